// The slope of the fast messages of a pair: trimmed squares, then quantile regression; the latter
// of many clocks at once, too.
//
// A hull edge rests on two messages, however many there are. The trimmed slope rests on a quarter
// of each direction's messages, and slow ones do not count at all; the refined one on all that are
// not slow, and on both directions at once: where delays have no sharp floor it is several times as
// precise. They choose a line and have no part in bounds.
// Units: drift = slope − 1. Errors: none where there are fewer than kLeastPoints points, or all at
// one instant. Requires: coordinates of the points of one direction differ by less than 2^62; they
// enter as differences from the first point. Cost: O(n) per step, a few steps for the first, some
// ten for the second.
// Method of the first: Rousseeuw's least trimmed squares with a coverage of one quarter, by
// concentration steps (FAST-LTS) from the fit of all; messages are ranked by their delay instead of
// its square, because delays err to one side only.
// Of the second: quantile regression (Koenker and Bassett 1978) with one slope for several levels
// (Zou and Yuan 2008) and both directions: where delays rise from a sharp floor the low level tells
// most, where they do not the higher one. The loss is smoothed over a window about each level
// (Fernandes, Guerre and Horta 2021), so that Newton's method ends. Departure: messages far slower
// than the levels, by the slope so far, are left out; those of a loaded network, at one end of the
// trace, would tilt the slope. Of many clocks, each step is a least-squares fit over the graph of
// directions (potentials.h), each of which counts by 1/(how far apart its levels lie), as the
// likelihood of delays of one shape would have it.
// Tested by: src/estimate/lines/trimmed_slope_test.cc, src/estimate/lines/quantile_slope_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "estimate/point.h"

namespace syncline {

enum class DelaySide { kAbove, kBelow };  // where slow messages lie: a → b above, b → a below

inline constexpr size_t kLeastPoints = 8;

struct TrimmedDrift {
  long double drift = 0;
  double weight = 0;     // the sum of squared distances in time from the mean, in ns²: > 0
  double spread_ns = 0;  // how far apart the delays of the chosen messages lie
  // About two standard deviations of the drift, and more where the delays are not uniform.
  double error() const;
};

// Of the fastest quarter, but at least four.
std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> points, DelaySide side);
// Of both directions, each counting by its weight.
std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> above,
                                             std::span<const Point> below);

struct QuantileDrift {
  long double drift = 0;
  double error = 0;  // two standard deviations, of independent delays
};

// `start`: about the drift, by the fastest messages. A direction of too few points does not count.
std::optional<QuantileDrift> RefineDrift(std::span<const Point> above, std::span<const Point> below,
                                         long double start);

// Messages from one clock to another: x sent, y received.
struct DelaySeries {
  size_t from = 0;
  size_t to = 0;
  std::vector<Point> points;
};

// By clock: the drifts with which the fast delays of no direction rise or fall, as nearly as can
// be; of clocks that series relate, the first has 0. Series of too few messages do not count.
// Requires: clocks that are alike but for some ppm, as corrections leave them.
std::vector<double> RefineDrifts(size_t clocks, std::span<const DelaySeries> series);

}  // namespace syncline
