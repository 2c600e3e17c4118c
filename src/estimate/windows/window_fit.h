// Moves the knots of all clocks to where the middles between the fastest messages are.
//
// Least squares over all pairs and parts at once. First every centre should be 0, the more the
// narrower its pair: that decides the offsets. Then each pair keeps what it disagrees by on
// average, since its ways there and back differ, and only what changes counts, the more the less a
// pair scatters: that decides how clocks run. A centre counts the less the further its half-width
// is from what its pair usually has: a queue or a wrong match moves it by up to as much. Changes of
// rate at a knot cost a little, so that silence is bridged by an even rate.
// Departure: none of a published method; docs/methods/windows.md.
// Cost: a few systems of all knots whose width is about three times the number of clocks
// (envelope_system.h). Errors: false where a clock would have to run backwards; knots then stay.
// Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <vector>

#include "estimate/windows/window_problem.h"

namespace syncline {

[[nodiscard]] bool FitKnots(WindowProblem& problem);

// By clock and segment: the median square of what centres lack of 0, but for what their pair
// disagrees by, in variances; about ½ where the segment runs straight, 0 where nothing tells.
std::vector<std::vector<double>> MisfitsOf(const WindowProblem& problem);

// Moves knots as `moves_us` says, by clock and knot, rounded; false, and no change, where global
// times would not increase.
[[nodiscard]] bool MoveKnots(std::vector<std::vector<double>> moves_us, WindowProblem& problem);

}  // namespace syncline
