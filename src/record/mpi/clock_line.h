// The ClockOffset records of a process, from what its bursts of exchanges found.
//
// One straight line from the first burst to the last, or a constant where they are too close
// together to tell a rate: a corrected clock must still run at a constant rate close to the
// others', for bounds to rest on that. So at most the rate is wrong by kMostRateError.
// Tested by: clock_line_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "record/mpi/definitions.h"

namespace syncline::mpi {

inline constexpr double kMostRateError = 10e-6;

// The two records, with times that differ. Nothing was measured: both add 0.
std::pair<OffsetPoint, OffsetPoint> ClockLine(std::span<const OffsetPoint> points,
                                              uint64_t ticks_per_second);

// Of the clock, from one instant to another by a clock that is never set.
uint64_t TicksPerSecond(std::span<const TimePoint> times, bool is_counter);

}  // namespace syncline::mpi
