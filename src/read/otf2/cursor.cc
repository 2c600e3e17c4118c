#include "read/otf2/cursor.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"

namespace syncline {
namespace {

bool IsRma(Otf2MarkType type) {
  return type >= Otf2MarkType::kRmaAcquireLock && type <= Otf2MarkType::kRmaWinDestroy;
}

}  // namespace

Result<Otf2Cursor> Otf2Cursor::Open(std::shared_ptr<const Otf2Layout> layout, ProcessId process,
                                    Otf2Times times) {
  const OTF2_LocationRef location = layout->locations[process.index()];
  const std::string file = layout->FileOf(location, ".evt");
  Otf2Cursor cursor(std::move(layout), process, times);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    const uint64_t claimed = cursor.layout_->claimed_events[process.index()];
    // A location that recorded nothing needs no file.
    if (claimed > 0) cursor.diagnostics_.Count("event-file-missing", Severity::kWarning, 1, file);
    return cursor;
  }
  if (std::filesystem::file_size(file, error) == 0)
    return Fail(ErrorCode::kMalformed, "is empty", file);
  SYNCLINE_ASSIGN(cursor.stream_, Otf2EventStream::Open(*cursor.layout_, process));
  return cursor;
}

Otf2Cursor::Otf2Cursor(std::shared_ptr<const Otf2Layout> layout, ProcessId process, Otf2Times times)
    : layout_(std::move(layout)), process_(process), times_(times) {}

const Event* Otf2Cursor::Next() {
  const Otf2Record* record = stream_.Take();
  if (!record) {
    if (!is_finished_) Finish();
    return nullptr;
  }
  event_ = Event{};
  event_.process = process_;
  operation_ = MpiOperation{};
  flush_end_.reset();
  SetTime(*record);
  ++read_;
  if (!layout_->has_teams || !MayBeOfTeam(*record)) {
    Convert(*record);
    return &event_;
  }
  const Otf2Record of_team = *record;  // looking ahead moves it
  Convert(of_team);
  ConvertOfTeam(of_team);
  return &event_;
}

void Otf2Cursor::TakePlain(std::vector<uint64_t>& recorded) {
  while (const Otf2Record* record = stream_.Peek(0)) {
    const bool is_region =
        record->kind == Otf2RecordKind::kEnter || record->kind == Otf2RecordKind::kLeave;
    if (!is_region &&
        (record->kind != Otf2RecordKind::kMark || record->mark == Otf2MarkType::kBufferFlush))
      return;
    if (layout_->has_teams && MayBeOfTeam(*record)) return;
    if (is_region) {
      NameOfRegion(record->number);
    } else if (IsRma(record->mark)) {
      ++findings_.rma;
    }
    NoteTime(*record);
    recorded.push_back(record->time);
    ++read_;
    stream_.Take();
  }
}

void Otf2Cursor::NoteTime(const Otf2Record& record) {
  if (record.time < last_recorded_ && findings_.steps_back++ == 0)
    findings_.first_step_back = read_;
  last_recorded_ = record.time;
  if (record.time > static_cast<uint64_t>(INT64_MAX)) ++findings_.out_of_range;
}

void Otf2Cursor::SetTime(const Otf2Record& record) {
  NoteTime(record);
  recorded_ = {Saturate(static_cast<Int128>(record.time))};
  event_.time = times_ == Otf2Times::kArchive
                    ? layout_->offsets[process_.index()].Corrected(record.time)
                    : recorded_;
}

void Otf2Cursor::Convert(const Otf2Record& record) {
  switch (record.kind) {
    case Otf2RecordKind::kMark: return ConvertMark(record);
    case Otf2RecordKind::kEnter: return ConvertRegion(record, EventKind::kEnter);
    case Otf2RecordKind::kLeave: return ConvertRegion(record, EventKind::kLeave);
    case Otf2RecordKind::kSend: return ConvertMessage(record, EventKind::kSend, MpiKind::kSend);
    case Otf2RecordKind::kImmediateSend:
      return ConvertMessage(record, EventKind::kSend, MpiKind::kImmediateSend);
    case Otf2RecordKind::kReceive:
      return ConvertMessage(record, EventKind::kReceive, MpiKind::kReceive);
    case Otf2RecordKind::kReceiveComplete:
      return ConvertMessage(record, EventKind::kReceive, MpiKind::kReceiveComplete);
    case Otf2RecordKind::kSendComplete: return ConvertRequest(record, MpiKind::kSendComplete);
    case Otf2RecordKind::kReceivePosted: return ConvertRequest(record, MpiKind::kReceivePosted);
    case Otf2RecordKind::kCancelled: return ConvertRequest(record, MpiKind::kCancelled);
    case Otf2RecordKind::kCollectivePosted:
      return ConvertRequest(record, MpiKind::kCollectivePosted);
    case Otf2RecordKind::kCollectiveBegin: return ConvertBegin();
    case Otf2RecordKind::kCollectiveEnd:
      if (!std::exchange(in_collective_, false)) {
        ++findings_.ends_without_begin;
        return;
      }
      return ConvertEnd(record, MpiKind::kCollectiveEnd);
    case Otf2RecordKind::kCollectiveComplete:
      return ConvertEnd(record, MpiKind::kCollectiveComplete);
  }
}

void Otf2Cursor::ConvertMark(const Otf2Record& record) {
  event_.name = kFirstMarkName + static_cast<uint32_t>(record.mark);
  if (record.mark == Otf2MarkType::kBufferFlush) flush_end_ = record.end;
  if (IsRma(record.mark)) ++findings_.rma;
}

void Otf2Cursor::ConvertRegion(const Otf2Record& record, EventKind kind) {
  event_.kind = kind;
  event_.name = NameOfRegion(record.number);
}

uint32_t Otf2Cursor::NameOfRegion(uint32_t region) {
  KnownRegion& known = known_regions_[region % known_regions_.size()];
  if (known.region == region && region != UINT32_MAX) return known.name;
  const auto it = layout_->regions.find(region);
  if (it == layout_->regions.end()) {
    ++findings_.undefined_regions;
    return 0;
  }
  known = {region, it->second};
  return it->second;
}

void Otf2Cursor::ConvertMessage(const Otf2Record& record, EventKind event_kind, MpiKind mpi_kind) {
  const Membership& membership = MembershipOf(record.communicator);
  if (membership.kind == Otf2CommunicatorUse::Kind::kUnusable ||
      record.number >= membership.peers) {
    ++findings_.unknown_ranks;
    return;
  }
  const bool is_self = membership.kind == Otf2CommunicatorUse::Kind::kSelf;
  event_.kind = event_kind;
  event_.bytes = record.bytes;
  event_.peer =
      is_self
          ? process_
          : layout_->traces.groups[membership.group].members[membership.first_peer + record.number];
  operation_.kind = mpi_kind;
  operation_.communicator = membership.group;
  operation_.tag = record.tag;
  operation_.own = membership.own;
  operation_.peer = event_.peer;
  operation_.request = record.request;
}

void Otf2Cursor::ConvertRequest(const Otf2Record& record, MpiKind kind) {
  operation_.kind = kind;
  operation_.request = record.request;
}

void Otf2Cursor::ConvertBegin() {
  const Otf2Record* end = FindEnd();
  in_collective_ = end != nullptr;
  if (!end) {
    ++findings_.begins_without_end;
    operation_.kind = MpiKind::kCollectiveBegin;
    return;
  }
  if (!DescribeCollective(*end)) return;
  event_.kind = EventKind::kCollectiveBegin;
  operation_.kind = MpiKind::kCollectiveBegin;
}

void Otf2Cursor::ConvertEnd(const Otf2Record& record, MpiKind kind) {
  if (!DescribeCollective(record)) {
    const bool is_inter =
        MembershipOf(record.communicator).kind == Otf2CommunicatorUse::Kind::kInter;
    if (record.tag >= kOtf2CollectiveNames.size()) ++findings_.unknown_operations;
    if (is_inter) ++findings_.inter_collectives;
    if (MembershipOf(record.communicator).kind == Otf2CommunicatorUse::Kind::kUnusable)
      ++findings_.unknown_ranks;
    // Its request, if it had one, is over all the same.
    if (kind == MpiKind::kCollectiveComplete) ConvertRequest(record, MpiKind::kCancelled);
    return;
  }
  event_.kind = EventKind::kCollectiveEnd;
  operation_.kind = kind;
}

bool Otf2Cursor::DescribeCollective(const Otf2Record& end) {
  const Membership& membership = MembershipOf(end.communicator);
  // A group of oneself has nothing to say, and the two halves of an inter-communicator have two
  // roots: both stay marks.
  if (membership.kind != Otf2CommunicatorUse::Kind::kGroup ||
      end.tag >= kOtf2CollectiveNames.size())
    return false;
  const std::vector<ProcessId>& members = layout_->traces.groups[membership.group].members;
  event_.name = kFirstCollectiveName + end.tag;
  event_.group = membership.group;
  event_.bytes = end.bytes;
  event_.is_root = end.number < members.size() && members[end.number] == membership.own;
  operation_.communicator = membership.group;
  operation_.own = membership.own;
  operation_.request = end.request;
  operation_.bytes_received = end.bytes_received;
  return true;
}

// The end of the collective that begins at the latest record. eztrace records begins without ends:
// there the region is left, or the next collective begins, before an end comes.
const Otf2Record* Otf2Cursor::FindEnd() {
  uint64_t depth = 0;
  for (size_t ahead = 0; ahead < kMaxLookAhead; ++ahead) {
    const Otf2Record* record = stream_.Peek(ahead);
    if (!record || record->kind == Otf2RecordKind::kCollectiveBegin) return nullptr;
    if (record->kind == Otf2RecordKind::kCollectiveEnd) return record;
    if (record->kind == Otf2RecordKind::kEnter) ++depth;
    if (record->kind == Otf2RecordKind::kLeave && depth-- == 0) return nullptr;
  }
  return nullptr;
}

bool Otf2Cursor::MayBeOfTeam(const Otf2Record& record) const {
  const bool is_region =
      record.kind == Otf2RecordKind::kEnter || record.kind == Otf2RecordKind::kLeave;
  return is_region ? layout_->thread_barriers.contains(record.number) : IsTeamRecord(record);
}

void Otf2Cursor::ConvertOfTeam(const Otf2Record& record) {
  const bool is_fork = record.mark == Otf2MarkType::kThreadFork && IsTeamRecord(record);
  const auto part = teams_.PartOf(record, is_fork ? NextTeam() : std::nullopt);
  if (!part) return;
  const Membership& membership = MembershipOf(part->team);
  if (membership.kind != Otf2CommunicatorUse::Kind::kTeam) return;
  // The first member forks; where another one does, nothing follows from its forks.
  const bool is_first = layout_->traces.groups[membership.group].members.front() == process_;
  if (part->name != kBarrierName && part->is_root != is_first) return;
  const bool is_begin =
      part->kind == MpiKind::kCollectiveBegin || part->kind == MpiKind::kBeginAlone;
  event_.kind = is_begin ? EventKind::kCollectiveBegin : EventKind::kCollectiveEnd;
  event_.name = part->name;
  event_.group = membership.group;
  event_.is_root = part->is_root;
  operation_.kind = part->kind;
  operation_.communicator = membership.group;
  operation_.own = process_;
}

// Of the team that is forked by the latest record.
std::optional<uint32_t> Otf2Cursor::NextTeam() {
  constexpr size_t kFurthest = 256;
  for (size_t ahead = 0; ahead < kFurthest; ++ahead) {
    const Otf2Record* record = stream_.Peek(ahead);
    if (!record) return std::nullopt;
    if (!IsTeamRecord(*record)) continue;
    if (record->mark != Otf2MarkType::kThreadTeamBegin) return std::nullopt;
    return record->communicator;
  }
  return std::nullopt;
}

const Otf2Cursor::Membership& Otf2Cursor::MembershipOf(uint32_t communicator) {
  if (communicator == known_communicator_) return known_membership_;
  const auto [it, is_new] = memberships_.try_emplace(communicator);
  if (is_new) it->second = FindMembership(communicator);
  known_communicator_ = communicator;
  known_membership_ = it->second;
  return known_membership_;
}

Otf2Cursor::Membership Otf2Cursor::FindMembership(uint32_t communicator) const {
  using Kind = Otf2CommunicatorUse::Kind;
  const auto it = layout_->communicators.find(communicator);
  if (it == layout_->communicators.end() || it->second.kind == Kind::kUnusable) return {};
  const Otf2CommunicatorUse& use = it->second;
  if (use.kind == Kind::kSelf) return {Kind::kSelf, use.group, process_, 0, 1};
  const std::vector<ProcessId>& members = layout_->traces.groups[use.group].members;
  const uint64_t rank = layout_->ranks[process_.index()];
  const auto own = std::ranges::find_if(
      members, [&](ProcessId member) { return layout_->ranks[member.index()] == rank; });
  if (own == members.end()) return {};
  const auto size = static_cast<uint32_t>(members.size());
  if (use.kind == Kind::kTeam) {
    const bool is_member = std::ranges::find(members, process_) != members.end();
    return is_member ? Membership{Kind::kTeam, use.group, process_, 0, 0} : Membership{};
  }
  if (use.kind == Kind::kGroup) return {Kind::kGroup, use.group, *own, 0, size};
  const bool is_first = own - members.begin() < use.first_group;
  return {Kind::kInter, use.group, *own, is_first ? use.first_group : 0,
          is_first ? size - use.first_group : use.first_group};
}

void Otf2Cursor::Finish() {
  is_finished_ = true;
  const std::string file = layout_->FileOf(layout_->locations[process_.index()], ".evt");
  const auto report = [&](std::string_view name, Severity severity, uint64_t count) {
    diagnostics_.Count(name, severity, count, file);
  };
  diagnostics_.Count("time-steps-back", Severity::kInfo, findings_.steps_back,
                     fmt::format("{}: event {}", file, findings_.first_step_back));
  report("time-out-of-range", Severity::kWarning, findings_.out_of_range);
  report("undefined-region", Severity::kInfo, findings_.undefined_regions);
  report("mpi-rank-unknown", Severity::kWarning, findings_.unknown_ranks);
  report("unknown-collective", Severity::kInfo, findings_.unknown_operations);
  report("intercommunicator-collective", Severity::kInfo, findings_.inter_collectives);
  report("collective-without-end", Severity::kInfo, findings_.begins_without_end);
  report("collective-without-begin", Severity::kInfo, findings_.ends_without_begin);
  report("rma-record", Severity::kInfo, findings_.rma);
  const uint64_t claimed = layout_->claimed_events[process_.index()];
  if (read_ > claimed) report("more-events-than-defined", Severity::kInfo, read_ - claimed);
  // Where reading failed, the error says so.
  if (read_ < claimed && read_ > 0 && !error())
    report("fewer-events-than-defined", Severity::kWarning, claimed - read_);
}

}  // namespace syncline
