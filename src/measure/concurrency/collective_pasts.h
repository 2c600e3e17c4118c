// Collectives under way: what each member's end learns from the members it waits for.
//
// The begins of an instance are merged as they come, so a collective of n members costs n merges,
// not n²; prefixes alone cost n²/2. A fork of a team of threads has a begin of its root alone,
// which the other ends wait for, and a join an end of its root alone, which waits for the other
// begins. Parts of processes that are not in the group, and other ends without begin, teach nothing
// and are not waited for. An instance's number may be used again by members that have ended it.
// Memory: two stamps per instance under way, for prefixes one per member; 16 bytes per member of a
// group, and per member's part. Of a share (meter_share.h), begins elsewhere count as they are
// told, and an instance is over once all have been and the ends here are. Tested by:
// concurrency_meter_test.cc, shared_meter_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "logical/logical_event.h"
#include "measure/concurrency/meter_share.h"
#include "measure/concurrency/stamp.h"

namespace syncline {

// A member's part in an instance, as its events say. The flow is the same for all members.
struct CollectivePart {
  ProcessId process;
  uint32_t group = 0;
  uint64_t instance = 0;
  CollectiveFlow flow = CollectiveFlow::kNone;
  bool is_root = false;
  bool takes_part = true;
};

class CollectivePasts {
 public:
  // `share`: of whose processes the parts are; else of all. It must outlive this object.
  explicit CollectivePasts(std::span<const std::vector<ProcessId>> groups,
                           const MeterShare* share = nullptr);

  // An end that waits for nobody learns an empty stamp.
  struct Learned {
    std::optional<PastStamp> stamp;
    std::vector<EventOrigin> from;
  };

  // Returns the processes that waited for this begin, to be tried again.
  std::vector<ProcessId> Begin(const CollectivePart& part, const PastStamp& stamp,
                               EventOrigin origin);
  // The same of begins in another share.
  std::vector<ProcessId> Adopt(const BeginsElsewhere& begins);
  // Nothing: those it waits for have not all begun; the process is then remembered as waiting.
  std::optional<Learned> End(const CollectivePart& part);
  // Learned::from stays empty from now on.
  void ForgetOrigins() { keeps_origins_ = false; }
  // From now on nobody waits for members that have not begun, but for these parts: their begins
  // are still to come.
  void GiveUpMissing(std::span<const CollectivePart> to_come);

 private:
  struct Key {
    uint32_t group = 0;
    uint64_t instance = 0;
    uint64_t use = 0;  // of the number, from 0
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.group, key.instance, key.use);
    }
  };
  struct Begun {
    uint32_t rank = 0;
    bool is_root = false;
    bool takes_part = true;
    EventOrigin origin;
    std::optional<PastStamp> stamp;  // prefixes only
  };
  struct Instance {
    size_t begun = 0;
    size_t begun_here = 0;
    size_t ended = 0;
    bool has_root_here = false;
    std::optional<PastStamp> all;       // of those who take part
    std::optional<PastStamp> all_here;  // where members are in several shares: not yet in `all`
    std::optional<PastStamp> root;
    std::vector<Begun> begins;  // of those elsewhere only where somebody asks who they are
    std::vector<ProcessId> waiting;
  };
  struct Members {
    absl::flat_hash_map<uint32_t, uint32_t> ranks;  // by process
    size_t here = 0;
    bool are_shared() const { return here < ranks.size(); }
  };
  struct Use {
    uint64_t begun = 0;
    uint64_t ended = 0;
  };

  enum class Awaited : uint8_t { kNothing, kAll, kRoot, kLowerRanks };

  static Awaited AwaitedBy(const CollectivePart& part);
  static bool MayWake(CollectiveFlow flow, bool is_root, const Instance& instance,
                      const Members& members);
  static bool IsOver(CollectiveFlow flow, const Instance& instance, const Members& members);
  void TellOthers(const CollectivePart& part, const Key& key, Instance& instance) const;
  static bool IsReady(Awaited awaited, const Instance& instance, uint32_t rank, size_t members);
  Use& UseOf(const CollectivePart& part);
  std::optional<uint32_t> RankOf(uint32_t group, ProcessId process) const;
  Learned Learn(Awaited awaited, const Instance& instance, uint32_t rank) const;

  const MeterShare* share_;
  std::vector<Members> members_;  // by group
  absl::flat_hash_map<Key, Instance> instances_;
  std::vector<absl::flat_hash_map<std::pair<uint32_t, uint64_t>, Use>> uses_;  // by process
  bool keeps_origins_ = true;
  bool has_given_up_ = false;
  absl::flat_hash_set<Key> to_come_;
};

}  // namespace syncline
