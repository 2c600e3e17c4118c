// The clocks of a component whose conversions bend at the borders of windows, and the messages that
// can bind them.
//
// Corrections are continuous: the knot at a border belongs to both windows. The first and last knot
// are the ends of the trace; borders nearer to them than half a window are left out.
// Units: nominal nanoseconds in, those of the root out. Exact: knots are integers; weights and
// slacks are differences. Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimate/group.h"
#include "estimate/joint/piecewise_problem.h"
#include "estimate/windows/window_hulls.h"

namespace syncline {

// Messages of one direction whose least slack is at one of the vertices. Minimum delays are taken
// off and added at b, as in PairOptions.
struct WindowCell {
  size_t pair = 0;
  bool is_a_to_b = false;
  size_t earlier = 0;  // clock
  size_t later = 0;
  int64_t earlier_part = 0;
  int64_t later_part = 0;
  std::vector<Point> vertices;  // earlier's time, later's time

  int64_t PartOfA() const { return is_a_to_b ? earlier_part : later_part; }
};

// A time of a clock within one of its segments.
struct KnotTime {
  size_t clock = 0;
  size_t segment = 0;
  int64_t ns = 0;
};

// Ownership: the inputs must outlive it.
struct WindowProblem {
  std::span<const ClockInput> inputs;
  std::vector<size_t> clocks;  // indices of the group's clocks; the root first
  std::vector<KnottedClock> knotted;
  std::vector<PiecewisePair> pairs;
  std::vector<WindowCell> cells;  // by pair
  int64_t part_ns = 1;

  size_t SegmentOfPart(size_t clock, int64_t part) const;
  KnotTime Earlier(const WindowCell& cell, Point vertex) const;
  KnotTime Later(const WindowCell& cell, Point vertex) const;
  int64_t GlobalAt(const KnotTime& t) const;
  // Of the knots at both ends of the segment; their sum is 1.
  std::array<double, 2> WeightsAt(const KnotTime& t) const;
  // Later − earlier on global time, to a nanosecond.
  double SlackNs(const WindowCell& cell, Point vertex) const;
  // The segment gets a knot in its middle part border, on its line; false where it has one part.
  bool Halve(size_t clock, size_t segment);
};

// None where times are further apart than exact arithmetic allows. `group` gives the components and
// a first guess; `cells` are all cells.
std::optional<WindowProblem> MakeWindowProblem(std::span<const ClockInput> clocks,
                                               std::span<const PairInput> pairs,
                                               const GroupEstimate& group, size_t component,
                                               std::span<const WindowHulls::Cell> cells,
                                               int64_t part_ns);

}  // namespace syncline
