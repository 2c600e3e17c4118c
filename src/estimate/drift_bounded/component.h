// One component of clocks: its constraints, bounds and guess under given limits, tracks and
// suspects.
//
// Units: nominal nanoseconds. Tested by: drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "syncline/result.h"

#include "estimate/drift_bounded/collect.h"
#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

// What explains the messages.
struct Explanation {
  TrackTable tracks;
  std::vector<RateLimits> limits;  // by clock
  absl::flat_hash_set<uint64_t> left_out;
};

// Whether receives may be later than they were stamped.
enum class Stamps { kExact, kCoarse };

// A graph with its paths in both directions. `messages` outlives it.
struct Solved {
  std::unique_ptr<Graph> graph;
  Paths earliest;
  Paths latest;
  // The nodes of a positive cycle; empty: the messages agree with the limits.
  const std::vector<int32_t>& cycle() const {
    return earliest.cycle.empty() ? latest.cycle : earliest.cycle;
  }
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

  Result<Collection> CollectMessages(const Explanation& explanation) {
    return Collect(pass_, explanation.tracks, explanation.limits, delays_, explanation.left_out,
                   origins_);
  }
  // The tracks with the limits of their clocks; of the root's, the one with most messages keeps
  // its time.
  std::vector<Track> TracksOf(const Explanation& explanation, const Collection& messages) const {
    return TracksOf(explanation, messages, root_);
  }
  // `limits` by clock, within those that `messages` were collected with.
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps) const {
    return Solve(explanation, messages, stamps, root_);
  }

  // Whether these messages, all between two clocks, agree by themselves with the limits.
  bool AgreeAlone(const Explanation& explanation, const Collection& messages, ClockId a,
                  ClockId b) const;
  int64_t LeastDelayNs(ClockId from, ClockId to) const {
    const auto delay = delays_.find({from, to});
    return delay == delays_.end() ? 0 : delay->second;
  }

  std::span<const ClockInput> clocks() const { return clocks_; }
  ClockId root() const { return root_; }
  const MessagePass& pass() const { return pass_; }
  int64_t origin_ns(ClockId clock) const { return origins_[clock.index()].value_or(0); }

 private:
  std::vector<Track> TracksOf(const Explanation& explanation, const Collection& messages,
                              ClockId root) const;
  Solved Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
               ClockId root) const;

  std::span<const ClockInput> clocks_;
  ClockId root_;
  MessagePass pass_;
  DelayMap delays_;
  Origins origins_;
};

}  // namespace syncline::drift_bounded
