// One component of clocks: its messages, and their bounds and contradictions under given limits,
// tracks and suspects.
//
// Messages are collected in one pass: what the graph needs of each direction, and of its halves.
// Units: nominal nanoseconds; readings are kept since an origin of their clock, the first one that
// a message had. Errors: those of the pass. Cost: of collecting see envelope.h, and a look-up per
// message; of the rest that of bounds (paths.h), for pairs of those of each pair. Memory: the
// envelopes. Tested by: drift_bounded_test.cc, ladder_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

using ClockPair = std::pair<ClockId, ClockId>;
using DelayMap = absl::flat_hash_map<ClockPair, int64_t>;  // µ of a direction; 0 where absent

struct Collection {
  std::vector<HalvedDirection> directions;  // between tracks, in order of both
  std::vector<Extent> extents;              // by track, of all messages
  uint64_t out_of_range = 0;
};

// What explains the messages.
struct Explanation {
  TrackTable tracks;
  std::vector<RateLimits> limits;  // by clock
  absl::flat_hash_set<uint64_t> left_out;
};

// Whether receives may be later than they were stamped.
enum class Stamps { kExact, kCoarse };

// `messages` outlives it.
struct Solved {
  Graph graph;
  BothPaths paths;
};

// Tracks, and readings since the clocks' origins.
struct PlacedMessage {
  uint32_t from = 0, to = 0;
  int64_t s = 0, r = 0;
};

class Component {
 public:
  // All clocks, of which only those that `pass` has messages of matter. `root` keeps its time.
  Component(std::span<const ClockInput> clocks, ClockId root, MessagePass pass, DelayMap delays)
      : clocks_(clocks),
        root_(root),
        pass_(std::move(pass)),
        delays_(std::move(delays)),
        origins_(clocks.size()) {}

  // Learns the clocks' origins on the way.
  Result<Collection> CollectMessages(const Explanation& explanation);
  // With the limits of the explanation, within those that `messages` were collected with. Of the
  // root's tracks the one with most messages keeps its time.
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps) const {
    return Solve(explanation, messages, stamps, root_);
  }
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
               ClockId root) const;

  int64_t LeastDelayNs(ClockId from, ClockId to) const {
    const auto delay = delays_.find({from, to});
    return delay == delays_.end() ? 0 : delay->second;
  }
  std::span<const ClockInput> clocks() const { return clocks_; }
  ClockId root() const { return root_; }
  const MessagePass& pass() const { return pass_; }
  int64_t origin_ns(ClockId clock) const { return origins_[clock.index()].value_or(0); }
  // None where a reading is more than 2^57 ns from its clock's origin.
  std::optional<PlacedMessage> Place(const RecordedMessage& m, const TrackTable& tracks) const;

 private:
  std::span<const ClockInput> clocks_;
  ClockId root_;
  MessagePass pass_;
  DelayMap delays_;
  std::vector<std::optional<int64_t>> origins_;  // by clock
};

// A positive cycle of the graph: no behaviour of clocks within the limits has these readings.
struct Contradiction {
  std::vector<ClockId> clocks;       // by node of the cycle
  std::vector<int64_t> readings_ns;  // of these
  std::vector<Constraint> messages;  // along it
  bool IsNone() const { return clocks.empty(); }
};

// The limits of the explanation lie within those that `messages` were collected with.
Contradiction FindContradiction(const Component& component, const Explanation& explanation,
                                const Collection& messages);
// Pairs whose own messages contradict the limits; increasing.
std::vector<ClockPair> ContradictoryPairs(const Component& component,
                                          const Explanation& explanation,
                                          const Collection& messages);
// The same of tracks of a graph, by limits within its own, both ways between two tracks alone:
// O(messages).
std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph,
                                                               std::span<const RateLimits> rates);

}  // namespace syncline::drift_bounded
