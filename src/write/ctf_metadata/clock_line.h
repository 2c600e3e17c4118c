// The straight lines that a clock block can express, and the one nearest to a correction.
//
// A line is time = base + cycles · 10⁹ / freq with whole hertz; at 1 GHz neighbouring rates are 1
// ppb apart, 1 ns per second of trace. The nearest is the one whose largest distance over the
// traced interval is the least: the nearest rate, with equal distances at both ends.
// Units: cycles of the counter, nanoseconds since the epoch. Tested by: clock_line_test.cc, against
// all lines nearby.
#pragma once

#include <cstdint>
#include <optional>

#include "write/ctf_metadata/clock_setting.h"

namespace syncline::ctf_metadata {

// A straight correction by its values at two counts, between which all events lie.
struct CorrectedSpan {
  uint64_t first = 0;
  uint64_t last = 0;
  int64_t first_ns = 0;
  int64_t last_ns = 0;
};

struct ClockLine {
  uint64_t freq = 1'000'000'000;
  int64_t base_ns = 0;
};

// Nothing where the span is empty, or its rate or base beyond what a clock block holds.
std::optional<ClockLine> NearestLine(const CorrectedSpan& span);

// The setting whose time of 0 cycles, as babeltrace2 computes it, is nearest to the line's: within
// half a cycle and a nanosecond. Nothing where babeltrace2 would refuse it.
std::optional<ClockSetting> SettingOf(const ClockLine& line);

// How far the exact times of a line are from the correction over the span, at most; rounded up.
int64_t DeviationNs(const CorrectedSpan& span, const ClockLine& line);

}  // namespace syncline::ctf_metadata
