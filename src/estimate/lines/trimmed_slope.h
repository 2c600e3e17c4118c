// The slope of the fastest quarter of one direction's messages: least trimmed squares.
//
// A hull edge rests on two messages, however many there are; this slope rests on a quarter of them,
// and slow ones do not count at all. It chooses a line and has no part in bounds.
// Units: drift = slope − 1. Errors: none where there are fewer than kLeastPoints points, or all at
// one instant. Cost: O(n) per step, a few steps. Coordinates enter as differences from the first
// point. Method: Rousseeuw's least trimmed squares with a coverage of one quarter, by concentration
// steps (FAST-LTS) from the fit of all; messages are ranked by their delay instead of its square,
// because delays err to one side only. Tested by: src/estimate/lines/trimmed_slope_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

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

// Coordinates of `points` differ by less than 2^62. The fastest quarter, but at least four.
std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> points, DelaySide side);
// Of both directions, each counting by its weight.
std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> above,
                                             std::span<const Point> below);

}  // namespace syncline
