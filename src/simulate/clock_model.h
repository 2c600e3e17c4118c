// A simulated clock: what it shows at every true time, as an exact integer function.
//
// The clock is true time plus the curves of its parts (OffsetKnots). Their sum is rounded to
// nanoseconds where any curve has a knot; between these knots the clock *is* the straight line,
// rounded down. So a truth file of the knots tells the true time of every reading to within one
// reading. It increases strictly from knot to knot but for backward jumps.
// Units: true nanoseconds in; ticks of the clock out. Requires: true time from the start on.
// Cost: At() O(1) while true time goes forward (about 15 ns); going back starts anew. Memory:
// O(parts). Tested by: clock_model_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/time.h"

#include "simulate/clock_spec.h"
#include "simulate/random.h"

namespace syncline {

// At this distance, drifts in parts in 10^12 give whole nanoseconds.
inline constexpr int64_t kMaxSegmentNs = 1'000'000'000'000;

// How far a part puts the clock ahead: piecewise linear in integers, by definition, so its lines
// meet exactly at these knots. Units: nanoseconds of true time since the start, nanoseconds ahead.
struct OffsetKnot {
  int64_t elapsed_ns = 0;
  int64_t ahead_ns = 0;
  bool is_step_back = false;  // the segment that ends here is a backward jump
};

// Goes on for ever; the knots start at 0, increase strictly, and are at most kMaxSegmentNs apart.
using OffsetKnots = std::function<OffsetKnot()>;

struct ClockKnot {
  int64_t true_ns = 0;
  int64_t local_ns = 0;  // before it is cut to ticks
  bool is_step_back = false;
};

// The knots of the sum of a clock's parts, one after the other.
class ClockKnots {
 public:
  ClockKnots(const ClockSpec& spec, int64_t start_ns, uint64_t seed);
  ClockKnot Next();

 private:
  struct Curve {
    OffsetKnots knots;
    OffsetKnot from;
    OffsetKnot to;  // elapsed beyond what was handed out
  };
  std::vector<Curve> curves_;
  int64_t start_ns_ = 0;
  int64_t elapsed_ns_ = 0;
  ClockKnot last_;
  bool any_ = false;
};

class ClockModel {
 public:
  // Clocks of equal parts and different seeds differ in what is drawn.
  ClockModel(ClockSpec spec, int64_t start_ns, uint64_t seed);

  LocalTime At(int64_t true_ns);
  // How the trace declares it.
  Clock Declaration(std::string name) const;
  // The knots from the start on.
  ClockKnots Knots() const { return {spec_, start_ns_, seed_}; }

 private:
  int64_t LocalNsAt(int64_t true_ns);

  ClockSpec spec_;
  int64_t start_ns_ = 0;
  uint64_t seed_ = 0;
  ClockKnots ahead_;
  ClockKnot from_;
  ClockKnot to_;
};

}  // namespace syncline
