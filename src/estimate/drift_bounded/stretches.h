// The stretches of time that a ladder looks at, so that many messages cost it no more than some.
//
// Method: stretches of equal length, evenly over the time of all clocks; all of it where a clock
// would be passed over. Units: as graph.h, global time since the origin of the reference.
// Cost: O(log n) per stretch and question. Tested by: stretches_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

class Stretches {
 public:
  struct Stretch {
    int64_t from = INT64_MIN / 4, to = INT64_MAX / 4;
  };

  // About this share of the time; all of it from 1 on. Both outlive it.
  Stretches(const Graph& graph, const BothPaths& paths, const TrackTable& tracks, double share);

  // Of the time; 1: all of it.
  double share() const { return share_; }
  std::span<const Stretch> all() const { return stretches_; }
  // What lies in a stretch of a track's readings, or of messages that it sent, by s.
  std::span<const int64_t> Within(const Stretch& stretch, size_t track) const;
  std::span<const Constraint> Within(const Stretch& stretch, size_t track,
                                     std::span<const Constraint> messages) const;

 private:
  bool IsBounded(size_t track) const { return paths_->IsBounded(*graph_, track); }
  // What a track's readings lack to global time, as far as bounds tell.
  int64_t Ahead(size_t track) const;
  void Choose();
  bool PassesOverAClock(const TrackTable& tracks) const;

  const Graph* graph_;
  const BothPaths* paths_;
  double share_ = 1;
  std::vector<Stretch> stretches_;
};

}  // namespace syncline::drift_bounded
