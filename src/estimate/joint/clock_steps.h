// Clocks that were set: they run straight before and after, but ahead by another amount.
//
// A curve is that of centre_curves.h: by how much b would have to move against a, over time. Around
// each place a line with a step is fitted to some samples on either side, one between left out.
// It counts as a step where it is large against what the line leaves and against the curve's
// scatter; a clock that is slewed for longer than a few samples bends instead. Steps of several
// pairs at the same time are one clock's.
// Units: positions of samples as given, microseconds. Sign: positive, the clock is further ahead
// from then on. Errors: none; with samples that scatter as much as the step, nothing is found.
// Cost: O(samples). Tested by: src/estimate/joint/clock_steps_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncline {

struct StepCurve {
  size_t a = 0;
  size_t b = 0;
  struct Sample {
    double at = 0;
    double centre_us = 0;
  };
  std::vector<Sample> samples;  // ascending
};

struct ClockStep {
  size_t clock = 0;
  double after = 0;  // between these two
  double before = 0;
  double ahead_us = 0;
};

// In the order of time. Where a pair alone cannot tell which of its clocks it was, it is b.
std::vector<ClockStep> FindSteps(std::span<const StepCurve> curves, size_t clocks);

}  // namespace syncline
