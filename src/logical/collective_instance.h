// One collective under way: who has entered and left, and what its leaves wait for.
//
// A member's own enter is no message to itself: a leave waits for the *other* relevant enters.
// Ranks number the members. Cost: O(1) per event, O(members) to start and to complete.
// Tested by: src/logical/collectives_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logical/logical_clocks.h"
#include "logical/logical_event.h"

namespace syncline {

inline constexpr uint32_t kNoRank = UINT32_MAX;

// The latest of the members' times, and the latest of the other members'; of equal ones that of the
// lowest rank.
struct LatestTwo {
  int64_t first = INT64_MIN;
  int64_t second = INT64_MIN;
  uint32_t first_rank = kNoRank;
  uint32_t second_rank = kNoRank;

  // A member's time may be added again when it has become later.
  void Add(int64_t time, uint32_t rank);
  int64_t Without(uint32_t rank) const { return rank == first_rank ? second : first; }
  uint32_t RankWithout(uint32_t rank) const {
    return rank == first_rank ? second_rank : first_rank;
  }
};

// Which enters a leave waits for.
enum class Awaited : uint8_t { kNothing, kAll, kRoot, kLowerRanks, kFirstRank };

// By the event's flow, for a group of `size` members.
Awaited AwaitedBy(const LogicalEvent& leave, uint32_t rank, size_t size);
bool IsAwaited(const LogicalEvent& enter, uint32_t rank, size_t size);
// Whether it is the root that enters.
inline bool IsRoot(const LogicalEvent& enter, uint32_t rank) {
  return enter.flow == CollectiveFlow::kFork ? rank == 0 : enter.is_root;
}
// Whether the member has gone once it has entered.
inline bool HasNoLeave(const LogicalEvent& enter, uint32_t rank) {
  return enter.flow == CollectiveFlow::kJoin && rank > 0;
}

inline bool IsOfRoot(Awaited awaited) {
  return awaited == Awaited::kRoot || awaited == Awaited::kFirstRank;
}

struct CollectiveMember {
  enum class State : uint8_t { kMissing, kEntered, kLeft, kAbsent };
  State state = State::kMissing;
  Awaited awaits = Awaited::kNothing;
  bool is_awaited = false;
  bool is_root = false;
  bool is_blocked = false;   // its leave stands first in its process and cannot be computed yet
  bool is_excused = false;   // nobody waits for its enter, though it may come
  bool has_entered = false;  // the enter's fields are set,
  bool has_left = false;     // the leave's
  bool enter_is_final = false;
  int64_t deadline = INT64_MAX;  // of its own process's clock: then it is absent
  uint64_t sequence = 0;         // of the enter in its process
  ClockBound enter;              // LC and LC'
  int64_t enter_before = 0;
  int64_t enter_after = 0;
  uint64_t enter_tag = 0;
  int64_t leave_before = 0;
  int64_t leave = 0;        // LC'
  int64_t leave_after = 0;  // LC', then the final time
  int64_t leave_delay = 0;  // µ from the latest enter it waited for
  uint64_t leave_tag = 0;
};

class CollectiveInstance {
 public:
  void Start(uint32_t group, uint64_t id, size_t size);

  std::span<CollectiveMember> members() { return members_; }
  std::span<const CollectiveMember> members() const { return members_; }
  uint32_t group() const { return group_; }
  uint64_t id() const { return id_; }
  bool is_complete() const { return gone_ == members_.size(); }

  // Nobody waits for the member's enter any more: it has come, or will not come.
  void Arrive(uint32_t rank);
  void Go() { ++gone_; }
  // Its enter takes part, with these times; again when they have become later.
  void AddEnter(uint32_t rank);
  bool IsReady(uint32_t rank, Awaited awaited) const;
  // The latest relevant enter: its times and rank.
  struct Latest {
    ClockBound enter;
    uint32_t rank = kNoRank;
  };
  Latest LatestFor(uint32_t rank, Awaited awaited) const;
  // For each member's enter, the earliest (leave − µ) of the leaves that wait for it; INT64_MAX
  // where there is none.
  std::vector<int64_t> EarliestLeaves() const;

  // Tells of each leave that waited for somebody; `processes` by rank. Requires: final times.
  void ReportLeaves(std::span<const uint32_t> processes, RetimedMessageSink& sink) const;

  // Ranks whose blocked leaves have become ready since the last call.
  std::vector<uint32_t> TakeReady();

  size_t not_final = 0;      // events under way to their final times
  bool has_blocked = false;  // a leave had to wait
  bool is_kept = false;      // complete, for members that may come after all

 private:
  void NoteReady(uint32_t rank);

  uint32_t group_ = 0;
  uint64_t id_ = 0;
  size_t arrived_ = 0;
  size_t gone_ = 0;
  uint32_t leading_ = 0;  // ranks below have arrived
  bool root_has_entered_ = false;
  std::vector<CollectiveMember> members_;
  LatestTwo all_controlled_;
  LatestTwo all_simple_;
  LatestTwo root_controlled_;
  LatestTwo root_simple_;
  int64_t all_witness_ = SteadyController::kNoWitness;
  int64_t root_witness_ = SteadyController::kNoWitness;
  // Of the awaited enters of the ranks up to each, as far as the leading ones.
  std::vector<Latest> up_to_;
  std::vector<uint32_t> ready_;
};

}  // namespace syncline
