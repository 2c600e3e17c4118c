// Finds few ClockOffset records that turn every recorded time of a location into exactly the wanted
// one.
//
// Units: ticks, in program order. Numbers beyond the limits of clock_offset.h are counted as
// problems.
// Exactness: readers give every event that was added and not counted as a problem its wanted time.
// Where a straight line serves many events, it takes two records; where none does, one per distinct
// event time, at worst two. Method: the lines that round to the wanted offsets of consecutive
// events form a convex polygon in the plane of (slope, intercept); events are taken until it is
// empty (O'Rourke, "An on-line algorithm for fitting straight lines between data ranges", 1981).
// Records hold integers, so the chosen line is pinned where it comes closest to integer points, and
// what lies between two such lines is bridged by records at events. Fewest records would need a
// search over all such points; this is greedy. Memory: 16 bytes for each of at most kWindow events,
// and 16 per record. Cost: about 0.2 µs per event. Tested by: clock_offset_fitter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "write/otf2/clock_offset.h"

namespace syncline {

// What ClockOffset records cannot say. An archive with such events needs its events rewritten.
struct ClockOffsetProblems {
  uint64_t ties = 0;            // events recorded at one time that must be moved apart
  uint64_t recorded_back = 0;   // events recorded before their predecessor
  uint64_t corrected_back = 0;  // events wanted before their predecessor
  uint64_t out_of_range = 0;    // beyond the limits, or too far apart for a reader's doubles
  uint64_t first_event = 0;     // number in the location of the first of them, from 0
  uint64_t count() const { return ties + recorded_back + corrected_back + out_of_range; }
};

struct Line {
  long double slope = 0;
  long double height = 0;  // at x = 0
  long double At(long double x) const { return slope * x + height; }
};

// The straight lines that pass through a series of vertical gaps: a convex polygon in the plane of
// slope and height.
//
// x and y are differences from the caller's origin. Exactness: long double; lines closer to a gap's
// edge than 2^-20 are left out, so that rounding cannot push one across. Cost: O(vertices) per gap,
// and there are few.
class LinePolygon {
 public:
  // A gap reaches so far up and down; less than a half, by more than rounding.
  static constexpr long double kHalf = 0.5L - 0x1p-20L;

  LinePolygon() = default;  // no line at all
  // The lines that pass 0 between −½ and ½, and x between y − ½ and y + ½. Requires x > 0.
  LinePolygon(int64_t x, int64_t y);
  // Keeps the lines that pass x between y − ½ and y + ½. When there are none, it stays as it was
  // and the result is false.
  bool Narrow(int64_t x, int64_t y) {
    // After a few gaps, hardly one cuts anything off.
    return SurelyPasses(static_cast<double>(x), static_cast<double>(y)) || Cut(x, y);
  }
  // A line well inside.
  Line Middle() const;

 private:
  struct Rough {
    double slope = 0;
    double height = 0;
  };
  // Whether all corners pass the gap, with a margin for the rounding of doubles: numbers below 2^28
  // are off by less than 2^-22.
  bool SurelyPasses(double x, double y) const {
    constexpr double kMargin = 0x1p-19;
    constexpr double kLargest = 0x1p28;
    constexpr double kReach = static_cast<double>(kHalf) - kMargin;
    bool passes = !rough_.empty() && y < kLargest && y > -kLargest;
    for (const Rough& corner : rough_) {
      const double above = corner.slope * x + corner.height - y;
      passes &= above < kReach && above > -kReach;
    }
    return passes;
  }
  bool Cut(long double x, long double y);

  std::vector<Line> corners_;
  std::vector<Rough> rough_;  // the same in doubles; empty before anything was cut off
};

class ClockOffsetFitter {
 public:
  static constexpr size_t kWindow = size_t{1} << 16;

  void Add(int64_t recorded, int64_t wanted);
  // The records: none when there were no events, else at least two. Ends the fitting.
  std::vector<ClockOffset> Finish();
  const ClockOffsetProblems& problems() const { return problems_; }

 private:
  void Extend(ClockOffset event);
  bool TryExtend(ClockOffset event);
  void Fit(bool at_end);
  void FollowLine(const Line& line, bool at_end);
  bool EmitFarthest(const Line& line, bool at_end);
  void BridgeTo(ClockOffset target);
  void Emit(ClockOffset record);
  void DropServed();

  // The events after the last record; of equal consecutive offsets only the first and the last,
  // which a line cannot serve without serving those between.
  std::vector<ClockOffset> window_;
  LinePolygon lines_;  // that serve all of window_, about window_[0]
  std::vector<ClockOffset> records_;
  std::optional<ClockOffset> last_;  // event, as added
  uint64_t events_ = 0;
  ClockOffsetProblems problems_;
};

}  // namespace syncline
