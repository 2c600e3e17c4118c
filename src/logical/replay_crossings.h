// What crosses the shares of a trace (replay_team.h): messages from one share to another, and the
// begins and ends of collectives of which both have members.
//
// Both shares number what goes from one to the other alike, without saying so: messages by their
// sender and the number of its event, then parts in the order in which their share has them. So a
// clock that crosses needs no more than its number.
// Requires: both shares were given the same messages between them. Cost: a sort of the messages
// that cross. Memory: 16 bytes for each crossing, and the parts of the others.
// Tested by: src/logical/shared_replay_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logical/replay_links.h"
#include "logical/replay_team.h"
#include "logical/replay_trace.h"

namespace syncline {

class ReplayCrossings {
 public:
  // What an event of this share tells another one.
  struct Outgoing {
    uint64_t event = 0;
    uint32_t share = 0;
    uint32_t number = 0;  // among what goes to that share
  };

  // `shares`: by process, which has it. Adds the others' parts of collectives that have members
  // here to the trace. All shares at once.
  ReplayCrossings(ReplayTrace& trace, std::span<const uint32_t> shares, ReplayTeam& team);

  // Of a process, in order of events.
  std::span<const Outgoing> outgoing(uint32_t process) const { return outgoing_[process]; }
  // What number `number` of those from the share is here: a receive, or a part.
  ReplayLink incoming(size_t share, uint32_t number) const {
    const From& from = from_[share];
    if (number < from.messages.size()) {
      return {ReplayLink::Kind::kReceive, from.messages[number]};
    }
    return {ReplayLink::Kind::kPart, from.first_part + (number - from.messages.size())};
  }
  // Messages by number: those that go to the share, and those that come from it.
  std::span<const uint32_t> messages_to(size_t share) const { return to_[share].messages; }
  std::span<const uint32_t> messages_from(size_t share) const { return from_[share].messages; }
  // Parts of this share that the other one has as well, and where those of the other one begin.
  std::span<const uint32_t> parts_to(size_t share) const { return to_[share].parts; }
  size_t first_part_from(size_t share) const { return from_[share].first_part; }
  bool is_here(ProcessId process) const { return shares_[process.index()] == own_; }

 private:
  struct To {
    std::vector<uint32_t> messages;
    std::vector<uint32_t> parts;
  };
  struct From {
    std::vector<uint32_t> messages;
    size_t first_part = 0;
  };

  void ExchangeParts(ReplayTrace& trace, ReplayTeam& team);
  void SortMessages(const ReplayTrace& trace);
  void ListOutgoing(const ReplayTrace& trace);

  std::span<const uint32_t> shares_;
  uint32_t own_ = 0;
  std::vector<To> to_;      // by share
  std::vector<From> from_;  // by share
  std::vector<std::vector<Outgoing>> outgoing_;
};

}  // namespace syncline
