// Turns complete collectives into the messages that they imply, for estimation.
//
// Method: Becker, Rabenseifner, Wolf, Linford, Parallel Computing 35 (2009), with N messages where
// the paper's N-to-N collectives stand for N²:
//   one to all (bcast, scatter):   the root's begin → every other end
//   all to one (reduce, gather):   every other begin → the root's end
//   all to all (barrier, allreduce, allgather, alltoall, reduce_scatter):
//                                  member 0's begin → every other end, every other begin → its end
//   scan, exscan:                  the begin of each rank → the end of the next
//   fork of a team of threads:     rank 0's begin → every other end; only rank 0 has a begin
//   join:                          every other begin → rank 0's end; only rank 0 has an end
// The messages left out are true as well, but relate pairs of clocks that are related through
// member 0; which begin was the last cannot be asked of clocks that differ. Nothing follows from
// alltoallv and alltoallw, where any pair may exchange nothing, from kinds that are not named here,
// from the begin of a member that sent no bytes, as far as is known, in gatherv and allgatherv, and
// for the end of one that received none in scatterv, nor in reduce_scatter while others did.
// Requires: events of a process in order, processes in any order.
// Cost: O(members) per collective; memory: 64 bytes per member of an instance not complete yet.
// Tested by: collective_messages_test.cc (against all pairs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/message.h"

namespace syncline {

enum class CollectiveShape : uint8_t {
  kNothing,
  kOneToAll,
  kAllToOne,
  kAllToAll,
  kScan,
  kFork,  // rank 0's begin → every other end
  kJoin,  // every other begin → rank 0's end
};

// What a team of threads does as its region begins and ends. No MPI names, which have no spaces.
inline constexpr std::string_view kForkOfThreads = "thread fork";
inline constexpr std::string_view kJoinOfThreads = "thread join";

// The shape of a kind by its lower-case MPI name, or as above.
CollectiveShape ShapeOf(std::string_view kind);

struct CollectiveCounts {
  uint64_t collectives = 0;      // complete, of a shape that implies something
  uint64_t messages = 0;         // delivered
  uint64_t without_meaning = 0;  // complete, but implying nothing
  uint64_t ambiguous = 0;        // without exactly one root, of kinds that differ, or named twice
  uint64_t incomplete = 0;
  friend bool operator==(const CollectiveCounts&, const CollectiveCounts&) = default;
};

class CollectiveMessages {
 public:
  // All outlive this object. `names` is what Event::name is an index of, Event::group of `groups`;
  // both may grow between events.
  CollectiveMessages(const std::vector<Group>& groups, const std::vector<std::string>& names,
                     MessageSink& sink);

  // Takes begins and ends of collectives and ignores all others. `bytes_received` is only looked at
  // for ends.
  void Add(const Event& event, uint64_t index, uint64_t bytes_received = 0);
  // Counts what was ambiguous ("ambiguous-collective", warning, instances).
  CollectiveCounts Finish(Diagnostics& diagnostics);

 private:
  struct Part {
    EventRef begin;
    EventRef end;
    bool has_begin = false;
    bool has_end = false;
    bool is_root = false;
    bool has_sent = false;
    bool has_received = false;
    uint32_t name = 0;
  };
  struct Key {
    uint32_t group = 0;
    uint64_t instance = 0;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.group, key.instance);
    }
  };
  struct Instance {
    std::vector<Part> parts;  // by rank
    size_t ends = 0;          // of those that come, for the others their begins
    bool is_sound = true;     // each member's begin and end came once, in this order
  };
  using Ranks = absl::flat_hash_map<ProcessId, uint32_t>;

  const Ranks& RanksOf(uint32_t group);
  // kFork, kJoin or kNothing.
  CollectiveShape TeamShapeOf(uint32_t name) const;
  void Deliver(const Instance& instance);
  void DeliverRooted(const Instance& instance, CollectiveShape shape, std::string_view kind);
  void DeliverTeam(const Instance& instance, CollectiveShape shape);
  void DeliverAllToAll(const Instance& instance, std::string_view kind);
  void Send(const Part& from, const Part& to);

  const std::vector<Group>& groups_;
  const std::vector<std::string>& names_;
  MessageSink& sink_;
  absl::flat_hash_map<uint32_t, Ranks> ranks_;  // by group
  absl::flat_hash_map<Key, Instance> instances_;
  CollectiveCounts counts_;
};

}  // namespace syncline
