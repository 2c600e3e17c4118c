#include "trace/chrome_matching.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "syncline/message.h"

#include "base/block_store.h"
#include "base/external_sort.h"
#include "base/try.h"
#include "match/group_operations.h"
#include "read/chrome/nccl_operation.h"

namespace syncline {
namespace {

constexpr size_t kMostPairs = 64;

// Puts parts between those that a list has, behind those of the same index.
class PartMerger {
 public:
  explicit PartMerger(BlockStore<ChromePart>& kept)
      : kept_(kept), reader_(kept), merged_(kept.space()) {}

  Result<void> Add(const ChromePart& part) {
    SYNCLINE_TRY(CopyUntil(part.index));
    return merged_.Add(part);
  }
  Result<void> Finish() {
    SYNCLINE_TRY(CopyUntil(UINT64_MAX));
    kept_ = std::move(merged_);
    return {};
  }

 private:
  Result<void> CopyUntil(uint64_t index) {
    for (; next_ < kept_.size(); ++next_) {
      SYNCLINE_ASSIGN(const ChromePart* part, reader_.At(next_));
      if (part->index > index) break;
      SYNCLINE_TRY(merged_.Add(*part));
    }
    return {};
  }

  BlockStore<ChromePart>& kept_;
  BlockReader<ChromePart> reader_;
  BlockStore<ChromePart> merged_;
  uint64_t next_ = 0;
};

class ChromeMatching {
 public:
  ChromeMatching(const LoadRequest& request, std::span<const MatchedChromeFile> files);

  Result<void> Run();

 private:
  using FlowEnds = BlockReader<ChromeFlowEnd>;
  struct FlowRange {
    uint64_t first = 0, size = 0;
    ClockId clock;  // of the first one
    bool is_of_one_clock = true;
    void Include(ClockId clock_of_end, uint64_t place);
  };
  // What a file has of a key.
  struct FlowsOfFile {
    uint32_t file = 0;
    FlowRange begins, ends;
    uint64_t steps = 0;  // among the ends
  };
  // Of a list of parts: a process's of collectives, or of messages.
  struct PlacedPart {
    size_t list = 0;
    ChromePart part;
  };
  struct PartOrder {
    bool operator()(const PlacedPart& a, const PlacedPart& b) const {
      return std::tie(a.list, a.part.index) < std::tie(b.list, b.part.index);
    }
  };
  // Those that came in order.
  struct PartList {
    BlockStore<ChromePart>* kept = nullptr;
    uint64_t next = 0;  // the least index that may follow
  };
  ProcessId ProcessOf(uint32_t file, uint32_t track) const {
    return files_[file].input->processes[track];
  }
  ProcessId ProcessOf(const GroupOperation& o) const { return ProcessOf(o.member, o.track); }
  EventRef BeginOf(const GroupOperation& o) const { return {ProcessOf(o), o.index, o.begin}; }
  EventRef EndOf(const GroupOperation& o) const { return {ProcessOf(o), o.index + 1, o.end}; }
  EventRef RefOf(const ChromeFlowEnd& end) const {
    return {ProcessOf(end.file, end.track), end.index, end.time};
  }
  Result<void> MatchOperations();
  Result<void> AddCollective(std::span<const GroupOperation> members);
  void DeliverCollective(std::span<const GroupOperation> members);
  void Deliver(const GroupOperation& from, const GroupOperation& to);
  uint32_t GroupOf(std::span<const GroupOperation> members);
  uint32_t KindNumber(std::string_view kind);
  Result<void> AddTransfer(const GroupOperation& send, const GroupOperation& receive);
  Result<void> MatchFlows();
  Result<std::vector<FlowsOfFile>> FlowsByFile(const BlockStore<ChromeFlowEnd>& together) const;
  Result<void> MatchFlowsOfKey(const BlockStore<ChromeFlowEnd>& together, bool may_join_files);
  Result<void> MatchFlowsWithin(std::span<const FlowsOfFile> files, FlowEnds& begins,
                                FlowEnds& ends);
  Result<void> MatchFlowsByTime(const FlowRange& begun, const FlowRange& ended, FlowEnds& begins,
                                FlowEnds& ends);
  // So many ends of one id.
  void LeaveAmbiguous(const ChromeFlowEnd& first, uint64_t ends);
  Result<void> AddFlow(const ChromeFlowEnd& begin, FlowEnds& ends,
                       std::span<const FlowRange> ranges);
  Result<void> AddPart(ProcessId process, const ChromePart& part);
  Result<void> PutPartsInOrder();

  LoadedTraces& loaded_;
  Diagnostics& diagnostics_;
  bool needs_parts_;
  MessageSink& messages_;
  MessageSink& collective_messages_;
  std::span<const MatchedChromeFile> files_;
  GroupOperations operations_;
  std::vector<PartList> parts_;                     // two of each process
  ExternalSort<PlacedPart, PartOrder> late_parts_;  // all others
  std::map<std::pair<std::string, std::vector<ProcessId>>, uint32_t> groups_;
  std::map<std::string, uint32_t, std::less<>> kind_numbers_;
  std::shared_ptr<std::vector<std::string>> kinds_ = std::make_shared<std::vector<std::string>>();
  uint64_t next_message_ = 1;
  uint64_t next_instance_ = 1;
  uint64_t without_root_ = 0, may_leave_out_ = 0, unexplained_ = 0;
  uint64_t to_itself_ = 0, unmatched_begins_ = 0, unmatched_ends_ = 0, ambiguous_ = 0;
  std::string ambiguous_example_;
};

ChromeMatching::ChromeMatching(const LoadRequest& request, std::span<const MatchedChromeFile> files)
    : loaded_(request.loaded),
      diagnostics_(loaded_.diagnostics),
      needs_parts_(request.asked.needs_events),
      messages_(request.messages),
      collective_messages_(request.collective_messages),
      files_(files),
      parts_(2 * loaded_.traces.processes.size()) {
  for (uint32_t f = 0; f < files_.size(); ++f) {
    KeptChrome& kept = *files_[f].kept;
    kept.kinds = kinds_;
    for (uint32_t i = 0; i < kept.tracks.size(); ++i) {
      const size_t list = 2 * ProcessOf(f, i).index();
      parts_[list].kept = &kept.tracks[i].of_collectives;
      parts_[list + 1].kept = &kept.tracks[i].of_messages;
    }
  }
}

Result<void> ChromeMatching::Run() {
  for (const MatchedChromeFile& file : files_) {
    SYNCLINE_TRY(operations_.Take(std::move(file.contents->operations)));
    without_root_ += file.contents->without_root;
    may_leave_out_ += file.contents->may_leave_out;
    unexplained_ += file.contents->unexplained;
  }
  SYNCLINE_TRY(MatchOperations());
  SYNCLINE_TRY(MatchFlows());
  SYNCLINE_TRY(PutPartsInOrder());
  diagnostics_.Count("collective-without-root", Severity::kInfo, without_root_);
  diagnostics_.Count("collective-may-leave-out", Severity::kInfo, may_leave_out_);
  diagnostics_.Count("nccl-kernel-unexplained", Severity::kInfo, unexplained_);
  diagnostics_.Count("message-to-itself", Severity::kInfo, to_itself_);
  diagnostics_.Count("unmatched-send", Severity::kInfo, unmatched_begins_);
  diagnostics_.Count("unmatched-receive", Severity::kInfo, unmatched_ends_);
  diagnostics_.Count("ambiguous-message", Severity::kWarning, ambiguous_, ambiguous_example_);
  loaded_.unmatched_sends += unmatched_begins_;
  loaded_.unmatched_receives += unmatched_ends_;
  return {};
}

Result<void> ChromeMatching::AddPart(ProcessId process, const ChromePart& part) {
  if (!needs_parts_) return {};
  const bool is_of_collective =
      part.kind == EventKind::kCollectiveBegin || part.kind == EventKind::kCollectiveEnd;
  const size_t number = 2 * process.index() + (is_of_collective ? 0 : 1);
  PartList& list = parts_[number];
  if (part.index < list.next) return late_parts_.Add({number, part});
  list.next = part.index + 1;
  return list.kept->Add(part);
}

Result<void> ChromeMatching::PutPartsInOrder() {
  std::optional<PartMerger> merger;
  size_t list = 0;
  SYNCLINE_TRY(late_parts_.ForEach([&](const PlacedPart& late) -> Result<void> {
    if (!merger || late.list != list) {
      if (merger) SYNCLINE_TRY(merger->Finish());
      list = late.list;
      merger.emplace(*parts_[list].kept);
    }
    return merger->Add(late.part);
  }));
  return merger ? merger->Finish() : Result<void>();
}

Result<void> ChromeMatching::MatchOperations() {
  SYNCLINE_ASSIGN(
      const MatchedOperations matched,
      operations_.Match(
          [this](std::span<const GroupOperation> members) { return AddCollective(members); },
          [this](const GroupOperation& send, const GroupOperation& receive) {
            return AddTransfer(send, receive);
          }));
  const auto place = [&](const std::optional<GroupOperation>& o) {
    return o ? fmt::format("{}: {} of group {}", files_[o->member].input->input.path, o->kind,
                           o->group)
             : std::string();
  };
  diagnostics_.Count("operations-matched-by-order", Severity::kWarning, matched.by_order,
                     place(matched.first_by_order));
  diagnostics_.Count("unmatched-collective", Severity::kInfo, matched.unmatched_collectives);
  unmatched_begins_ += matched.unmatched_sends;
  unmatched_ends_ += matched.unmatched_receives;
  diagnostics_.Count("ambiguous-collective", Severity::kWarning, matched.ambiguous,
                     place(matched.first_ambiguous));
  return {};
}

Result<void> ChromeMatching::AddCollective(std::span<const GroupOperation> members) {
  const std::string_view kind = members[0].kind;
  if (HasRoot(kind) && std::ranges::count(members, true, &GroupOperation::is_root) != 1) {
    without_root_ += members.size();
    return {};
  }
  DeliverCollective(members);
  const uint32_t group = GroupOf(members);
  const uint64_t instance = next_instance_++;
  for (const GroupOperation& o : members) {
    ChromePart part{.index = o.index,
                    .kind = EventKind::kCollectiveBegin,
                    .is_root = o.is_root,
                    .message = instance,
                    .group = group,
                    .name = KindNumber(kind)};
    SYNCLINE_TRY(AddPart(ProcessOf(o), part));
    ++part.index;
    part.kind = EventKind::kCollectiveEnd;
    SYNCLINE_TRY(AddPart(ProcessOf(o), part));
  }
  return {};
}

void ChromeMatching::Deliver(const GroupOperation& from, const GroupOperation& to) {
  collective_messages_.OnMessage({BeginOf(from), EndOf(to)});
}

void ChromeMatching::DeliverCollective(std::span<const GroupOperation> members) {
  const std::string_view kind = members[0].kind;
  if (HasRoot(kind)) {
    const auto root = std::ranges::find(members, true, &GroupOperation::is_root);
    for (const GroupOperation& o : members) {
      if (!o.is_root) IsFromRoot(kind) ? Deliver(*root, o) : Deliver(o, *root);
    }
    return;
  }
  const bool takes_all = members.size() * (members.size() - 1) <= kMostPairs;
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size() && (takes_all || i == 0); ++j) {
      Deliver(members[i], members[j]);
      Deliver(members[j], members[i]);
    }
  }
}

// Members of one name may differ: of a rank, whichever of its streams was used.
uint32_t ChromeMatching::GroupOf(std::span<const GroupOperation> members) {
  std::vector<ProcessId> processes;
  for (const GroupOperation& o : members) processes.push_back(ProcessOf(o));
  const std::string name(members[0].group);
  const auto next = static_cast<uint32_t>(loaded_.traces.groups.size());
  const auto [known, is_new] = groups_.try_emplace({name, processes}, next);
  if (is_new) loaded_.traces.groups.push_back({name, std::move(processes)});
  return known->second;
}

uint32_t ChromeMatching::KindNumber(std::string_view kind) {
  const auto known = kind_numbers_.find(kind);
  if (known != kind_numbers_.end()) return known->second;
  kinds_->emplace_back(kind);
  return kind_numbers_.emplace(kind, static_cast<uint32_t>(kinds_->size() - 1)).first->second;
}

Result<void> ChromeMatching::AddTransfer(const GroupOperation& send,
                                         const GroupOperation& receive) {
  const Message transfer{BeginOf(send), EndOf(receive)};
  messages_.OnMessage(transfer);
  const uint64_t message = next_message_++;
  SYNCLINE_TRY(AddPart(transfer.send.process, {.index = transfer.send.index,
                                               .kind = EventKind::kSend,
                                               .peer = transfer.receive.process,
                                               .message = message}));
  return AddPart(transfer.receive.process, {.index = transfer.receive.index,
                                            .kind = EventKind::kReceive,
                                            .peer = transfer.send.process,
                                            .message = message});
}

Result<void> ChromeMatching::MatchFlows() {
  SortedFlows flows;
  for (const MatchedChromeFile& file : files_) {
    SYNCLINE_TRY(flows.Take(std::move(file.contents->flows)));
  }
  const auto is_of_one_key = [](const ChromeFlowEnd& a, const ChromeFlowEnd& b) {
    return a.key[0] == b.key[0] && a.key[1] == b.key[1];
  };
  uint64_t collisions = 0;
  const auto count = [&](const BlockStore<ChromeFlowEnd>& together) -> Result<void> {
    SYNCLINE_ASSIGN(const auto files, FlowsByFile(together));
    const auto has_begun = [](const FlowsOfFile& file) { return file.begins.size > 0; };
    if (std::ranges::count_if(files, has_begun) > 1) ++collisions;
    return {};
  };
  if (files_.size() > 1) SYNCLINE_TRY(flows.ForEachGroup(is_of_one_key, count));
  diagnostics_.Count("flow-ids-by-file", Severity::kInfo, collisions);
  for (const MatchedChromeFile& file : files_) {
    file.kept->has_own_ids = collisions > 0 || file.contents->header.is_distributed;
  }
  return flows.ForEachGroup(is_of_one_key, [&](const BlockStore<ChromeFlowEnd>& together) {
    return MatchFlowsOfKey(together, collisions == 0);
  });
}

void ChromeMatching::FlowRange::Include(ClockId clock_of_end, uint64_t place) {
  if (size++ == 0) {
    first = place;
    clock = clock_of_end;
  }
  is_of_one_clock = is_of_one_clock && clock_of_end == clock;
}

Result<std::vector<ChromeMatching::FlowsOfFile>> ChromeMatching::FlowsByFile(
    const BlockStore<ChromeFlowEnd>& together) const {
  std::vector<FlowsOfFile> files;
  FlowEnds reader(together);
  for (uint64_t i = 0; i < reader.size(); ++i) {
    SYNCLINE_ASSIGN(const ChromeFlowEnd* end, reader.At(i));
    if (files.empty() || files.back().file != end->file) files.push_back({.file = end->file});
    FlowsOfFile& of_file = files.back();
    const ProcessId process = ProcessOf(end->file, end->track);
    (end->part == FlowPart::kBegin ? of_file.begins : of_file.ends)
        .Include(loaded_.traces.processes[process.index()].clock, i);
    of_file.steps += end->part == FlowPart::kStep ? 1 : 0;
  }
  return files;
}

Result<void> ChromeMatching::MatchFlowsOfKey(const BlockStore<ChromeFlowEnd>& together,
                                             bool may_join_files) {
  SYNCLINE_ASSIGN(const std::vector<FlowsOfFile> files, FlowsByFile(together));
  FlowEnds begins(together);
  FlowEnds ends(together);
  SYNCLINE_ASSIGN(const ChromeFlowEnd* first, begins.At(0));
  if (may_join_files && !first->is_of_process) return MatchFlowsWithin(files, begins, ends);
  for (const FlowsOfFile& file : files) {
    SYNCLINE_TRY(MatchFlowsWithin(std::span(&file, 1), begins, ends));
  }
  return {};
}

Result<void> ChromeMatching::MatchFlowsWithin(std::span<const FlowsOfFile> files, FlowEnds& begins,
                                              FlowEnds& ends) {
  std::vector<FlowRange> begun;
  std::vector<FlowRange> ended;
  uint64_t begin_count = 0;
  uint64_t end_count = 0;
  uint64_t steps = 0;
  for (const FlowsOfFile& file : files) {
    if (file.begins.size > 0) begun.push_back(file.begins);
    if (file.ends.size > 0) ended.push_back(file.ends);
    begin_count += file.begins.size;
    end_count += file.ends.size;
    steps += file.steps;
  }
  if (begun.empty() || ended.empty()) {
    unmatched_begins_ += begin_count;
    unmatched_ends_ += end_count;
    return {};
  }
  SYNCLINE_ASSIGN(const ChromeFlowEnd* first, begins.At(begun[0].first));
  if (begin_count == 1 && end_count - steps <= 1) return AddFlow(*first, ends, ended);
  const bool are_of_one_clock = begun.size() == 1 && ended.size() == 1 &&
                                begun[0].is_of_one_clock && ended[0].is_of_one_clock &&
                                begun[0].clock == ended[0].clock;
  if (steps == 0 && are_of_one_clock) return MatchFlowsByTime(begun[0], ended[0], begins, ends);
  LeaveAmbiguous(*first, begin_count + end_count);
  return {};
}

void ChromeMatching::LeaveAmbiguous(const ChromeFlowEnd& first, uint64_t ends) {
  ambiguous_ += ends;
  if (!ambiguous_example_.empty()) return;
  const Process& process = loaded_.traces.processes[ProcessOf(first.file, first.track).index()];
  ambiguous_example_ =
      fmt::format("{}: one begins in {} at {} ns", files_[first.file].input->input.path,
                  process.name, first.time.ticks);
}

// Of one clock. The first end may be of a flow that began before the recording.
Result<void> ChromeMatching::MatchFlowsByTime(const FlowRange& begun, const FlowRange& ended,
                                              FlowEnds& begins, FlowEnds& ends) {
  SYNCLINE_ASSIGN(const ChromeFlowEnd* first_begin, begins.At(begun.first));
  SYNCLINE_ASSIGN(const ChromeFlowEnd* first_end, ends.At(ended.first));
  const uint64_t skipped = first_end->time < first_begin->time ? 1 : 0;
  const uint64_t pairs = ended.size - skipped;
  bool take_turns = pairs == begun.size || pairs + 1 == begun.size;
  for (uint64_t i = 0; i < pairs && take_turns; ++i) {
    SYNCLINE_ASSIGN(const ChromeFlowEnd* end, ends.At(ended.first + skipped + i));
    const LocalTime ended_at = end->time;
    SYNCLINE_ASSIGN(const ChromeFlowEnd* begin, begins.At(begun.first + i));
    take_turns = begin->time <= ended_at;
    if (i + 1 == begun.size) break;
    SYNCLINE_ASSIGN(const ChromeFlowEnd* next, begins.At(begun.first + i + 1));
    take_turns = take_turns && ended_at <= next->time;
  }
  if (!take_turns) {
    SYNCLINE_ASSIGN(const ChromeFlowEnd* first, begins.At(begun.first));
    LeaveAmbiguous(*first, begun.size + ended.size);
    return {};
  }
  unmatched_ends_ += skipped;
  unmatched_begins_ += begun.size - pairs;
  for (uint64_t i = 0; i < pairs; ++i) {
    SYNCLINE_ASSIGN(const ChromeFlowEnd* begin, begins.At(begun.first + i));
    const FlowRange end{.first = ended.first + skipped + i, .size = 1};
    SYNCLINE_TRY(AddFlow(*begin, ends, std::span(&end, 1)));
  }
  return {};
}

Result<void> ChromeMatching::AddFlow(const ChromeFlowEnd& begin, FlowEnds& ends,
                                     std::span<const FlowRange> ranges) {
  const EventRef send = RefOf(begin);
  const uint64_t message = next_message_++;
  uint64_t receives = 0;
  ProcessId peer;
  for (const FlowRange& range : ranges) {
    for (uint64_t i = 0; i < range.size; ++i) {
      SYNCLINE_ASSIGN(const ChromeFlowEnd* end, ends.At(range.first + i));
      const EventRef receive = RefOf(*end);
      if (receive.process == send.process) {
        ++to_itself_;
        continue;
      }
      messages_.OnMessage({send, receive});
      ++receives;
      peer = receive.process;
      SYNCLINE_TRY(AddPart(receive.process, {.index = receive.index,
                                             .kind = EventKind::kReceive,
                                             .peer = send.process,
                                             .message = message}));
    }
  }
  if (receives == 0) return {};
  return AddPart(send.process, {.index = send.index,
                                .kind = receives == 1 ? EventKind::kSend : EventKind::kBroadcast,
                                .peer = receives == 1 ? peer : ProcessId(),
                                .message = message});
}

}  // namespace

Result<void> MatchChrome(const LoadRequest& request, std::span<const MatchedChromeFile> files) {
  return ChromeMatching(request, files).Run();
}

}  // namespace syncline
