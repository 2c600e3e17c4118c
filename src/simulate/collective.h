// One instance of a group operation: when each member may leave it.
//
// Units: nanoseconds of true time. Method: a group operation stands for messages (Becker,
// Rabenseifner, Wolf, Linford, 2009): from the root's beginning to every other end (bcast,
// scatter), from every beginning to the root's end (reduce, gather), from every beginning to every
// end (barrier, allreduce, allgather, alltoall), from a beginning to the ends of its own and higher
// ranks (scan). Cost: O(members) over the whole instance. Tested by: collective_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/program.h"

namespace syncline {

enum class GroupFlow { kOneToAll, kAllToOne, kAllToAll, kPrefix };
// Requires one of kBarrier…kAlltoall.
GroupFlow FlowOf(Name kind);

class Collective {
 public:
  struct End {
    uint32_t member = 0;
    int64_t ns = 0;
  };

  Collective(GroupFlow flow, uint32_t root, uint32_t members)
      : flow_(flow), root_(root), members_(members) {}

  // `begin_ns`: when the member enters; `delay_ns`: how long what it waits for travels to it;
  // `least_ns`: how long it stays at least. Returns the members whose end is decided by this.
  // Requires that a member enters once.
  std::vector<End> Enter(uint32_t member, int64_t begin_ns, int64_t delay_ns, int64_t least_ns);
  void Leave() { ++left_; }
  bool is_over() const { return left_ == members_.size(); }

 private:
  struct Member {
    bool has_entered = false;
    int64_t begin_ns = 0;
    int64_t delay_ns = 0;
    int64_t own_ns = 0;  // earliest end, whatever the others do
  };
  std::vector<End> EnterOneToAll(uint32_t member) const;
  std::vector<End> EnterAllToOne(uint32_t member) const;
  std::vector<End> EnterAllToAll() const;
  std::vector<End> EnterPrefix();

  GroupFlow flow_ = GroupFlow::kAllToAll;
  uint32_t root_ = 0;
  std::vector<Member> members_;
  uint32_t entered_ = 0;
  size_t left_ = 0;
  int64_t last_begin_ns_ = INT64_MIN;
  uint32_t prefix_ = 0;  // members below it have all entered
  int64_t prefix_begin_ns_ = INT64_MIN;
};

}  // namespace syncline
