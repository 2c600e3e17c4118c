// Where the true time of a clock's readings lies: L and U between and beyond the nodes that have
// them.
//
// Definition: between neighbours p < q of a track, L(z) = max(L(p) + lo·(z − p), L(q) − hi·(q − z))
// and U(z) = min(U(p) + hi·(z − p), U(q) − lo·(q − z)); beyond the outer ones the one that there
// is. Between two tracks of a clock, that is, about a step, a reading belongs to either: what both
// say holds, within what order alone leaves. Units: nominal nanoseconds of the clock in,
// nanoseconds of the reference out, rounded outward. Cost: O(log n) per query, O(1) near the last
// one. Tested by: tube_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"

namespace syncline::drift_bounded {

// Half-way between both bounds, and from one to the other.
struct Middle {
  int64_t value = Paths::kNone;  // where a side is open
  int64_t width = 0;
};

// Of one track; in units, readings since the clock's origin, times since the reference's.
struct TrackTube {
  std::span<const int64_t> readings;      // increasing; one at least
  std::span<const int64_t> earliest;      // L; Paths::kNone: open
  std::span<const int64_t> minus_latest;  // −U, as Paths has it; Paths::kNone: open
  RateLimits rate;
  // What these lie in, kept for the tube; none: something that outlives it.
  std::shared_ptr<const void> values = {};
  // Between it and the next track nothing is known; of the outermost ones: beyond.
  bool is_open_before = false, is_open_behind = false;

  // `near`: the node that the last query found, to begin with; any will do.
  int64_t Earliest(int64_t z, size_t* near = nullptr) const;
  int64_t Latest(int64_t z, size_t* near = nullptr) const;
  // Requires: both sides are bounded.
  Middle MiddleAt(int64_t z, size_t* near) const;
};

class Tube {
 public:
  // `tracks` by time, without such that have no nodes.
  Tube(int64_t origin_ns, int64_t reference_origin_ns, int shift, std::vector<TrackTube> tracks)
      : origin_ns_(origin_ns),
        reference_origin_ns_(reference_origin_ns),
        shift_(shift),
        tracks_(std::move(tracks)) {}

  // None where that side is open, or beyond int64. `near`: of the query before, for a reading
  // shortly behind its own.
  std::optional<int64_t> LowerNs(int64_t reading_ns, size_t* near = nullptr) const;
  std::optional<int64_t> UpperNs(int64_t reading_ns, size_t* near = nullptr) const;
  // Nominal nanoseconds at which either of them bends within tracks, rounded, none before the last.
  void VisitBendsNs(const std::function<void(int64_t)>& visit) const;
  // The same between tracks, rounded down, where slopes are any, and next to whose ends bounds
  // jump.
  std::vector<int64_t> BendsBetweenNs() const;

 private:
  std::optional<int64_t> Units(int64_t reading_ns) const;
  std::optional<int64_t> Ns(int64_t units, bool up) const;
  // The tracks before and behind a reading; equal where it lies within one.
  std::pair<size_t, size_t> Around(int64_t z) const;
  bool IsOpen(int64_t z) const;

  int64_t origin_ns_ = 0;
  int64_t reference_origin_ns_ = 0;
  int shift_ = 0;
  std::vector<TrackTube> tracks_;
};

// With values of its own, `latest` being U.
TrackTube TrackTubeWith(std::vector<int64_t> readings, std::vector<int64_t> earliest,
                        std::vector<int64_t> latest, RateLimits rate);
// The tube of a track of `graph`, which has nodes. `values` keeps both, or they outlive it.
TrackTube TubeOf(const Graph& graph, const BothPaths& paths, size_t track,
                 std::shared_ptr<const void> values = {});
// By track; of those without nodes an empty one.
std::vector<TrackTube> TubesOf(const Graph& graph, const BothPaths& paths);
// The tube of a track of which nothing is known.
TrackTube OpenTube(const Graph& graph, size_t track);

}  // namespace syncline::drift_bounded
