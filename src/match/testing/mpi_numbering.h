// Numbers every event of a process by the survey's pairing, as records of them are numbered
// (MpiProcessSurvey::Number), and with the events that then are marks: for tests, fuzzing and
// benchmarks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "match/mpi_matcher.h"

namespace syncline {

// Second pass, over one process.
class MpiNumbering {
 public:
  MpiNumbering(std::shared_ptr<const MpiPairing> pairing, ProcessId process)
      : pairing_(std::move(pairing)), process_(process) {}

  // The event with its number, or as a mark. Every event of the process in its order.
  Event Number(const Event& event, const MpiOperation& operation, uint64_t index);

 private:
  struct Use {
    const MpiPairing::Channel* channel = nullptr;
    uint64_t next = 0;
  };
  // The event without what only a partner could give a meaning.
  static Event AsMark(const Event& event) {
    return Event{.time = event.time, .process = event.process, .kind = EventKind::kMark};
  }
  Use& UseOf(const MpiPairing::ChannelKey& key);
  Event Message(const Event& event, Use& use, std::optional<uint64_t> misplaced) const;
  Event Collective(const Event& event, uint64_t number) const;
  Event Posted(const Event& event, uint64_t index) const;

  std::shared_ptr<const MpiPairing> pairing_;
  ProcessId process_;
  absl::flat_hash_map<MpiPairing::ChannelKey, Use> uses_;
  absl::flat_hash_map<uint32_t, uint64_t> completed_;  // collectives by communicator
};

inline Event MpiNumbering::Number(const Event& event, const MpiOperation& operation,
                                  uint64_t index) {
  const MpiPairing::Process& surveyed = pairing_->processes_[process_.index()];
  switch (operation.kind) {
    case MpiKind::kSend:
    case MpiKind::kImmediateSend:
      if (operation.own == operation.peer) return AsMark(event);
      return Message(event,
                     UseOf({operation.communicator, operation.tag, operation.own, operation.peer}),
                     std::nullopt);
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete:
      if (operation.own == operation.peer) return AsMark(event);
      return Message(event,
                     UseOf({operation.communicator, operation.tag, operation.peer, operation.own}),
                     surveyed.receives.NumberOf(index));
    case MpiKind::kCollectiveBegin:
      if (event.kind != EventKind::kCollectiveBegin) return event;
      return Collective(
          event, surveyed.collectives.NumberOf(index).value_or(completed_[operation.communicator]));
    case MpiKind::kBeginAlone:
    case MpiKind::kEndAlone:
    case MpiKind::kCollectiveEnd:
    case MpiKind::kCollectiveComplete: {
      const uint64_t before = completed_[operation.communicator]++;
      return Collective(event, surveyed.collectives.NumberOf(index).value_or(before));
    }
    case MpiKind::kCollectivePosted: return Posted(event, index);
    case MpiKind::kNone:
    case MpiKind::kSendComplete:
    case MpiKind::kReceivePosted:
    case MpiKind::kCancelled: break;
  }
  return event;
}

inline MpiNumbering::Use& MpiNumbering::UseOf(const MpiPairing::ChannelKey& key) {
  const auto [it, is_new] = uses_.try_emplace(key);
  if (is_new) {
    const auto channel = pairing_->channels_.find(key);
    if (channel != pairing_->channels_.end()) it->second.channel = &channel->second;
  }
  return it->second;
}

inline Event MpiNumbering::Message(const Event& event, Use& use,
                                   std::optional<uint64_t> misplaced) const {
  const uint64_t number = misplaced.value_or(use.next);
  ++use.next;
  const MpiPairing::Channel* channel = use.channel;
  if (!channel || channel->in_doubt || number >= std::min(channel->sends, channel->receives))
    return AsMark(event);
  Event numbered = event;
  numbered.message = channel->number << MpiPairing::kSequenceBits | number;
  numbered.peer = event.kind == EventKind::kSend ? channel->receiver : channel->sender;
  return numbered;
}

inline Event MpiNumbering::Collective(const Event& event, uint64_t number) const {
  if (number >= pairing_->complete_instances_[event.group]) return AsMark(event);
  Event numbered = event;
  numbered.message = number;
  return numbered;
}

inline Event MpiNumbering::Posted(const Event& event, uint64_t index) const {
  const MpiPairing::Process& surveyed = pairing_->processes_[process_.index()];
  const auto it = surveyed.posted.find(index);
  const std::optional<uint64_t> number = surveyed.collectives.NumberOf(index);
  if (it == surveyed.posted.end() || !number) return event;
  Event begin = it->second.Begin();
  begin.time = event.time;
  begin.process = event.process;
  return Collective(begin, *number);
}

}  // namespace syncline
