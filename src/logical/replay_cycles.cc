#include "logical/replay_cycles.h"

#include <algorithm>
#include <span>

#include "syncline/time.h"

#include "logical/causal_cycles.h"
#include "logical/collective_instance.h"

namespace syncline {
namespace {

class CycleFinder {
 public:
  CycleFinder(const ReplayTrace& trace, const ReplayLinks& links)
      : trace_(trace), links_(links), processes_(trace.processes.size()) {}

  ReplayCycles Run() {
    AddMessages();
    for (uint32_t i = 0; i < links_.instances().size(); ++i) AddInstance(i);
    ReplayCycles cycles;
    for (const uint32_t link : LinksToLeaveOut(processes_, causal_)) {
      if (link < messages_.size()) {
        cycles.messages.push_back(messages_[link]);
      } else {
        cycles.waits.push_back(waits_[link - messages_.size()]);
      }
    }
    std::ranges::sort(cycles.waits);
    const auto is_same_leave = [](const Wait& a, const Wait& b) { return a.leave == b.leave; };
    cycles.waits.erase(std::unique(cycles.waits.begin(), cycles.waits.end(), is_same_leave),
                       cycles.waits.end());
    return cycles;
  }

 private:
  using Wait = ReplayCycles::Wait;
  using Member = ReplayLinks::Member;
  static constexpr uint32_t kNoPart = ReplayLinks::kNoPart;
  // Of links that stand for no wait of their own: never the most inverted.
  static constexpr int64_t kNeverLeftOut = INT64_MAX;

  int64_t TimeOf(ProcessId process, uint64_t event) const {
    return trace_.processes[process.index()].before[event];
  }

  void AddMessages() {
    for (uint32_t i = 0; i < trace_.messages.size(); ++i) {
      if (!links_.is_linked(i)) continue;
      const ReplayTrace::Message& m = trace_.messages[i];
      const int64_t delay =
          SaturatedDifference(TimeOf(m.receiver, m.receive), TimeOf(m.sender, m.send));
      causal_.push_back({m.sender.value, m.receiver.value, m.send, m.receive, delay});
      messages_.push_back(i);
    }
  }

  void AddInstance(uint32_t instance) {
    const std::span<const Member> members = links_.members(instance);
    AddLeavesOfRoot(members);
    AddLeavesOfAll(members);
    AddLeavesOfLowerRanks(members);
  }

  Awaited AwaitedIn(std::span<const Member> members, uint32_t rank) const {
    if (members[rank].leave == kNoPart) return Awaited::kNothing;
    return AwaitedBy(ReplayTrace::RoleOf(trace_.parts[members[rank].leave]), rank, members.size());
  }
  // Whether anybody may wait for the member.
  bool Enters(const Member& member) const {
    return member.enter != kNoPart && trace_.parts[member.enter].takes_part;
  }
  int64_t EnterOf(const Member& member) const {
    const ReplayTrace::Part& enter = trace_.parts[member.enter];
    return TimeOf(enter.process, enter.event);
  }

  void AddLeavesOfRoot(std::span<const Member> members) {
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      const Awaited awaited = AwaitedIn(members, rank);
      if (!IsOfRoot(awaited)) continue;
      const size_t end = awaited == Awaited::kFirstRank ? 1 : members.size();
      for (uint32_t other = 0; other < end; ++other) {
        const Member& m = members[other];
        if (other == rank || !Enters(m)) continue;
        if (!IsRoot(ReplayTrace::RoleOf(trace_.parts[m.enter]), other)) continue;
        const ReplayTrace::Part& enter = trace_.parts[m.enter];
        AddWait(enter.process.value, enter.event, {members[rank].leave, m.enter});
      }
    }
  }

  void AddLeavesOfAll(std::span<const Member> members) {
    LatestTwo latest;
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      if (Enters(members[rank])) latest.Add(EnterOf(members[rank]), rank);
    }
    bool has_hub = false;
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      const uint32_t from = latest.RankWithout(rank);
      if (AwaitedIn(members, rank) != Awaited::kAll || from == kNoRank) continue;
      if (!has_hub) {
        for (uint32_t r = 0; r < members.size(); ++r) AddToHub(members[r], r);
        has_hub = true;
      }
      AddWait(processes_, members.size(), {members[rank].leave, members[from].enter});
    }
    processes_ += has_hub ? 1 : 0;
  }

  // A leave waits for the ranks before it: the hub sends to it before it receives from it.
  void AddLeavesOfLowerRanks(std::span<const Member> members) {
    LatestTwo latest;
    bool has_hub = false;
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      if (AwaitedIn(members, rank) == Awaited::kLowerRanks && latest.first_rank != kNoRank) {
        if (!has_hub) {
          for (uint32_t r = 0; r < members.size(); ++r) AddToHub(members[r], 2 * r + 1);
          has_hub = true;
        }
        AddWait(processes_, 2 * rank, {members[rank].leave, members[latest.first_rank].enter});
      }
      if (Enters(members[rank])) latest.Add(EnterOf(members[rank]), rank);
    }
    processes_ += has_hub ? 1 : 0;
  }

  void AddToHub(const Member& member, uint64_t event) {
    if (!Enters(member)) return;
    const ReplayTrace::Part& enter = trace_.parts[member.enter];
    causal_.push_back({enter.process.value, static_cast<uint32_t>(processes_), enter.event, event,
                       kNeverLeftOut});
    waits_.emplace_back();
  }

  // Where it leads from is the enter's place or that of its hub.
  void AddWait(size_t process, uint64_t event, const Wait& wait) {
    const ReplayTrace::Part& leave = trace_.parts[wait.leave];
    const ReplayTrace::Part& enter = trace_.parts[wait.enter];
    const int64_t delay =
        SaturatedDifference(TimeOf(leave.process, leave.event), TimeOf(enter.process, enter.event));
    causal_.push_back({static_cast<uint32_t>(process), leave.process.value, event, leave.event,
                       std::min(delay, kNeverLeftOut - 1)});
    waits_.push_back(wait);
  }

  const ReplayTrace& trace_;
  const ReplayLinks& links_;
  size_t processes_;  // those of the trace, then hubs
  std::vector<CausalLink> causal_;
  std::vector<uint32_t> messages_;  // by link
  std::vector<Wait> waits_;         // by link after those of messages
};

}  // namespace

ReplayCycles FindCycles(const ReplayTrace& trace, const ReplayLinks& links) {
  return CycleFinder(trace, links).Run();
}

}  // namespace syncline
