// The parts of a simulated clock as curves: how far each puts the clock ahead of true time.
//
// Every part is piecewise linear in integers, by definition: these knots are exactly where its
// lines meet. Units: nanoseconds of true time since the start, nanoseconds ahead. A source goes on
// for ever; its knots start at 0, increase strictly, and are at most kMaxSegmentNs apart. Cost:
// O(1) per knot. Tested by: clock_model_test.cc (against closed forms).
#pragma once

#include <cstdint>
#include <functional>

#include "simulate/clock_spec.h"
#include "simulate/random.h"

namespace syncline {

// At this distance, drifts in parts in 10^12 give whole nanoseconds.
inline constexpr int64_t kMaxSegmentNs = 1'000'000'000'000;

struct OffsetKnot {
  int64_t elapsed_ns = 0;
  int64_t ahead_ns = 0;
  bool is_step_back = false;  // the segment that ends here is a backward jump
};

using OffsetKnots = std::function<OffsetKnot()>;

// What the part leaves to chance is drawn from `random`.
OffsetKnots KnotsOf(const ClockPart& part, Random random);

}  // namespace syncline
