#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "match/mpi_matcher.h"

namespace syncline {
namespace {

// The receives of a channel, which were written as they were completed, in order of their numbers.
// False where they are: nothing is written.
bool WriteAsPosted(std::span<const std::byte> completed, const PostingOrder& order,
                   EndWriter& writer) {
  std::vector<std::pair<uint64_t, TransferEnd>> numbered;
  bool is_any_misplaced = false;
  for (EndReader reader(completed); !reader.is_at_end();) {
    const TransferEnd end = reader.Take();
    const std::optional<uint64_t> number = order.NumberOf(end.index);
    is_any_misplaced |= number.has_value();
    numbered.emplace_back(number.value_or(numbered.size()), end);
  }
  if (!is_any_misplaced) return false;
  std::ranges::sort(numbered, {}, &std::pair<uint64_t, TransferEnd>::first);
  writer.Clear();
  for (const auto& [number, end] : numbered) writer.Add(end);
  return true;
}

}  // namespace

std::optional<NumberedRecord> MpiProcessSurvey::Record(const Event& event,
                                                       const MpiOperation& operation,
                                                       uint64_t index) {
  number_ = kNoNumber;
  Add(event, operation, index);
  if (number_ == kNoNumber) return std::nullopt;
  Event numbered = event;
  numbered.message = number_;
  return NumberedRecord(numbered, index, operation.bytes_received > 0);
}

std::vector<uint64_t> MpiProcessSurvey::Number(const MpiPairing& pairing,
                                               std::vector<NumberedRecord>& records,
                                               std::vector<uint64_t>* beside) const {
  std::vector<const MpiPairing::Channel*> channels;
  channels.reserve(channels_.size());
  for (const MpiFindings::Channel& own : channels_) {
    channels.push_back(&pairing.channels_.find(own.key)->second);
  }
  std::vector<uint64_t> collectives;
  size_t kept = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const NumberedRecord& record = records[i];
    const std::optional<NumberedRecord> numbered =
        record.is_transfer()
            ? Transfer(record, pairing, *channels[record.message() >> MpiPairing::kSequenceBits])
            : Collective(record, pairing);
    if (!numbered) continue;
    if (!numbered->is_transfer()) collectives.push_back(kept);
    if (beside != nullptr) (*beside)[kept] = (*beside)[i];
    records[kept++] = *numbered;
  }
  if (beside != nullptr) beside->resize(kept);
  records.resize(kept);
  return collectives;
}

void MpiProcessSurvey::Number(const MpiPairing& pairing, ChannelEnds& ends) const {
  for (ChannelEnds::Run& run : ends.runs()) {
    run.channel = pairing.channels_.find(channels_[run.channel].key)->second.number;
  }
  const PostingOrder& order = pairing.processes_[process_.index()].receives;
  if (!order.has_misplaced()) return;
  ChannelEnds in_order;
  EndWriter receives;
  for (const ChannelEnds::Run& run : std::as_const(ends).runs()) {
    const std::span<const std::byte> bytes = ends.BytesOf(run);
    const bool are_others = !run.is_send && WriteAsPosted(bytes, order, receives);
    in_order.Add(run.channel, run.is_send, are_others ? receives.bytes() : bytes);
  }
  ends = std::move(in_order);
}

std::optional<NumberedRecord> MpiProcessSurvey::Transfer(const NumberedRecord& kept,
                                                         const MpiPairing& pairing,
                                                         const MpiPairing::Channel& channel) const {
  const MpiPairing::Process& surveyed = pairing.processes_[process_.index()];
  const bool is_send = kept.kind() == EventKind::kSend;
  uint64_t number = kept.message() & (MpiPairing::kMaxSequence - 1);
  if (!is_send) number = surveyed.receives.NumberOf(kept.index()).value_or(number);
  if (channel.in_doubt || number >= std::min(channel.sends, channel.receives)) return std::nullopt;
  Event event = kept.event({});
  event.message = channel.number << MpiPairing::kSequenceBits | number;
  event.peer = is_send ? channel.receiver : channel.sender;
  return NumberedRecord(event, kept.index(), false);
}

std::optional<NumberedRecord> MpiProcessSurvey::Collective(const NumberedRecord& kept,
                                                           const MpiPairing& pairing) const {
  const MpiPairing::Process& surveyed = pairing.processes_[process_.index()];
  Event event = kept.event({});
  const std::optional<uint64_t> number = surveyed.collectives.NumberOf(kept.index());
  if (event.kind == EventKind::kMark) {
    const auto posted = surveyed.posted.find(kept.index());
    if (posted == surveyed.posted.end() || !number) return std::nullopt;
    event = posted->second.Begin();
  }
  event.message = number.value_or(event.message);
  if (event.message >= pairing.complete_instances_[event.group]) return std::nullopt;
  return NumberedRecord(event, kept.index(), kept.has_received());
}

}  // namespace syncline
