// What each event of a trace in memory is linked with.
//
// Messages whose ends are not there, are taken already, or belong to one process, link nothing and
// are counted; so are parts of groups that do not know their process. Ends that another share of
// the trace has (replay_team.h) are taken to be there.
// Cost: O(1) per event, message and part, a hash look-up per part. Memory: 4 bytes per event, 8 per
// part and 8 per member of a collective.
// Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logical/logical_report.h"
#include "logical/replay_trace.h"

namespace syncline {

class ReplayLink {
 public:
  enum class Kind : uint8_t { kNone, kSend, kReceive, kPart };
  static constexpr size_t kMost = size_t{1} << 30;  // messages, or parts

  ReplayLink() = default;
  ReplayLink(Kind kind, size_t index)
      : word_(static_cast<uint32_t>(index) << 2 | static_cast<uint32_t>(kind)) {}
  Kind kind() const { return static_cast<Kind>(word_ & 3); }
  // 1 or 0, without branches.
  uint32_t is_none() const { return ~(word_ | word_ >> 1) & 1; }
  uint32_t is_send() const { return word_ & ~(word_ >> 1) & 1; }
  // Of the message, or the part; of a broadcast the first of its messages. Where there is no link,
  // the number of messages.
  uint32_t index() const { return word_ >> 2; }
  friend bool operator==(ReplayLink, ReplayLink) = default;

 private:
  uint32_t word_ = 0;
};

class ReplayLinks {
 public:
  // Requires: fewer messages and parts than ReplayLink::kMost. The trace must outlive this object.
  explicit ReplayLinks(const ReplayTrace& trace);

  std::span<const ReplayLink> operator[](uint32_t process) const { return links_[process]; }
  // Whether both ends are linked with the message, or that of them which is here.
  bool is_linked(uint32_t message) const {
    const ReplayTrace::Message& m = trace_->messages[message];
    if (IsElsewhere(m.receiver)) return Is(m.sender, m.send, ReplayLink::Kind::kSend, message);
    return Is(m.receiver, m.receive, ReplayLink::Kind::kReceive, message);
  }
  bool is_broadcast(uint32_t message) const { return !broadcasts_.empty() && broadcasts_[message]; }

  static constexpr uint32_t kNoPart = UINT32_MAX;
  struct Instance {
    uint32_t group = 0;
    size_t first_member = 0;
  };
  struct Member {
    uint32_t enter = kNoPart;  // stays so for the higher ranks of a fork
    uint32_t leave = kNoPart;  // and for those of a join
  };
  // A part's place in its instance.
  struct Place {
    uint32_t instance = 0;
    uint32_t rank = 0;
  };
  const std::vector<Instance>& instances() const { return instances_; }
  Place place(uint32_t part) const { return places_[part]; }
  std::span<const Member> members(uint32_t instance) const {
    const Instance& i = instances_[instance];
    return std::span(members_).subspan(i.first_member, trace_->groups[i.group].size());
  }
  // The processes of a group, in rank order.
  std::span<const uint32_t> processes(uint32_t group) const { return processes_[group]; }

  // Both of whose ends are linked; of those between shares, that are received here.
  uint64_t linked_messages() const { return linked_messages_; }
  // Both its ends become internal; a send that has other receives keeps those. Requires: it is
  // linked.
  void Unlink(uint32_t message);
  // Whether each message has one receive, and each member of a collective entered and left it once;
  // of forks and joins only where it does.
  bool is_plain() const { return is_plain_; }
  uint64_t ambiguous() const { return ambiguous_; }
  // Adds to_itself and ambiguous.
  void CountIn(LogicalReport& report) const {
    report.to_itself += to_itself_;
    report.ambiguous += ambiguous_;
  }

 private:
  ReplayLink* At(ProcessId process, uint64_t event);
  bool IsElsewhere(ProcessId process) const {
    return process.index() < links_.size() && trace_->processes[process.index()].is_elsewhere;
  }
  bool Is(ProcessId process, uint64_t event, ReplayLink::Kind kind, uint32_t index) const {
    return process.index() < links_.size() && event < links_[process.index()].size() &&
           links_[process.index()][event] == ReplayLink(kind, index);
  }
  bool LinkMessage(const ReplayTrace::Message& message, uint32_t index);
  void LinkMessages();
  bool LinkSend(const ReplayTrace::Message& message, uint32_t index);
  void LinkParts();
  void LinkPart(uint32_t part, const Place& place);
  void CheckMembers();
  bool IsWhole(const Member& member, uint32_t rank) const;

  const ReplayTrace* trace_;
  std::vector<std::vector<ReplayLink>> links_;  // by process
  std::vector<bool> broadcasts_;                // by message; empty where there are none
  std::vector<std::vector<uint32_t>> processes_;
  std::vector<Place> places_;
  std::vector<Instance> instances_;
  std::vector<Member> members_;
  bool is_plain_ = true;
  uint64_t linked_messages_ = 0;
  uint64_t to_itself_ = 0;
  uint64_t ambiguous_ = 0;
};

}  // namespace syncline
