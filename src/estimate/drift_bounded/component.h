// One component of clocks: its messages, and their bounds and contradictions under given limits,
// tracks and suspects.
//
// Messages are collected in one pass (collection.h). Units: nominal nanoseconds. Errors: those of
// the pass. Cost: collecting, and bounds (paths.h), for pairs those of each pair. Memory: the
// envelopes. Tested by: drift_bounded_test.cc, ladder_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/drift_bounded/collection.h"
#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

// Whether receives may be later than they were stamped.
enum class Stamps { kExact, kCoarse };

// `messages` outlives the links of `graph`.
struct Solved {
  Graph graph;
  BothPaths paths;
};

class Component {
 public:
  // All clocks, of which those of `is_inside` (by clock) are the component's. `root` keeps its
  // time.
  Component(std::span<const ClockInput> clocks, ClockId root, MessagePass pass, DelayMap delays,
            std::vector<bool> is_inside);

  // Learns the clocks' origins on the way.
  Result<Collection> CollectMessages(const Explanation& explanation);
  // With the limits of the explanation, within those that `messages` were collected with. Of the
  // root's tracks the one with most messages keeps its time.
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps) const {
    return Solve(explanation, messages, stamps, root_);
  }
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
               ClockId root) const;
  Graph GraphOf(const Explanation& explanation, const Collection& messages, Stamps stamps,
                ClockId root) const;

  int64_t LeastDelayNs(ClockId from, ClockId to) const {
    const auto delay = delays_.find({from, to});
    return delay == delays_.end() ? 0 : delay->second;
  }
  // By what a reading can be late, less.
  int64_t LeastBetweenReadingsNs(ClockId from, ClockId to) const {
    return LeastDelayNs(from, to) - clocks_[to.index()].clock.reading_ns;
  }
  std::span<const ClockInput> clocks() const { return clocks_; }
  ClockId root() const { return root_; }
  // All messages, as they are.
  const MessagePass& pass() const { return pass_; }
  // These, and what they say across epochs.
  Result<void> Run(MessageWork& work) const;
  const std::vector<bool>& is_inside() const { return placement_.is_inside; }
  int64_t origin_ns(ClockId clock) const { return placement_.OriginNs(clock); }
  std::optional<PlacedMessage> Place(const RecordedMessage& m, const TrackTable& tracks) const {
    return placement_.Place(m, tracks);
  }

 private:
  Result<void> LookAcrossEpochs();
  void AddEpochs(const TrackTable& table, std::vector<Track>& tracks) const;

  std::span<const ClockInput> clocks_;
  ClockId root_;
  MessagePass pass_;
  DelayMap delays_;
  ComponentClocks placement_;
  std::optional<std::vector<RecordedMessage>> across_epochs_;
};

// A positive cycle of the graph: no behaviour of clocks within the limits has these readings.
struct Contradiction {
  std::vector<ClockId> clocks;       // by node of the cycle
  std::vector<int64_t> readings_ns;  // of these
  std::vector<Constraint> messages;  // along it
  bool IsNone() const { return clocks.empty(); }
};

Contradiction FindContradiction(const Component& component, const Explanation& explanation,
                                const Solved& solved);
// Pairs whose own messages contradict the limits; increasing. The limits of the explanation lie
// within those that `messages` were collected with.
std::vector<ClockPair> ContradictoryPairs(const Component& component,
                                          const Explanation& explanation,
                                          const Collection& messages);

// Two clocks whose messages agree with the limits only if a round trip between them took less than
// two thirds of any that they made by the limits S, and not with limits a quarter as wide about
// their mean rate (drift-bounded.md, "Rates beyond D"). Not where messages are so sparse, or stamps
// so coarse, that they say little of what a round trip takes.
struct Implausible {
  ClockPair clocks;
  std::pair<int64_t, int64_t> readings_ns;  // of both, about when that was
  int64_t least_ns = 0;                     // by the limits of the graph
  int64_t seen_ns = 0;                      // by S
};
std::vector<Implausible> ImplausiblePairs(const Component& component,
                                          const Explanation& explanation, const Graph& graph,
                                          RateLimits slew);

// Tracks of a graph whose own messages contradict its limits; increasing. O(messages).
std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph);

}  // namespace syncline::drift_bounded
