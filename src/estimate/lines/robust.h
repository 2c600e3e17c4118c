// Least trimmed squares: the line of half of the messages, those that agree best: `robust`.
//
// Units: nominal nanoseconds. Errors: none; no line where messages go one way only. Cost: no pass
// over messages, but a sort of the sample for each of some hundred steps: 3 ms a pair at most.
// Guarantee: none; up to half of each direction's messages may be wrong or slow without effect.
// Model: y = α + β·x + τ for messages a → b and y = α + β·x − τ for b → a, with α, β and τ fitted;
// the line is α + β·x.
// Method: Rousseeuw's least trimmed squares, by concentration steps from many slopes of which the
// best go on (FAST-LTS, Rousseeuw and Van Driessen 2006; Proebstel 2008 for traces). Departures:
// - τ, and half of each direction instead of half of all: the messages are two clouds, and the
//   literal method settles in one of them, which puts its line beside the corridor.
// - For a given slope the best half of a direction is found exactly, by sorting, so only slopes are
//   searched; starts are slopes between messages of a fixed pseudo-random choice, the same in every
//   run; all of them where there are few.
// - All on a sample of up to 1024 messages each way (PointSample), not on all at the end.
// - Slopes are limited to the prior.
// fast_slope.h is its relative for the slope alone, from the fastest quarter of a
// direction. Tested by: src/estimate/lines/robust_test.cc, against all halves of few messages.
#pragma once

#include <optional>
#include <span>

#include "estimate/lines/line_fit.h"

namespace syncline {

// Of messages whose minimum delays have been taken off, as in the frame.
std::optional<Line> TrimmedSquaresLine(std::span<const Point> upper, std::span<const Point> lower,
                                       const FitFrame& frame, SlopeRange allowed);

}  // namespace syncline
