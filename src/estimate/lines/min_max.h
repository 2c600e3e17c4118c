// A line through the middles of the free strip between both directions' messages: `minmax`.
//
// Units: nominal nanoseconds. Errors: none; no line where no interval has messages both ways.
// Cost: one pass, O(1) per message; memory for at most 64 intervals a pair. Guarantee: none.
// Method: Hofmann 1993 (Rabenseifner 2000, 3.3 and figure 7.2). The traffic's time is cut into
// equal intervals; in each, taken for one of constant offset,
//     O⁻ = min(receive − send) over messages a → b,  O⁺ = max(send − receive) over messages b → a
// bound the offset; their mean stands for the interval's middle, and the line of least squares goes
// through these points. Departures: as many intervals as the square root of the rarer direction's
// messages, from 2 to 64, so that each has some and as many as there are intervals; slopes are
// limited to the prior. Tested by: src/estimate/lines/min_max_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/lines/line_fit.h"

namespace syncline {

class MinMaxFit : public LineFit {
 public:
  explicit MinMaxFit(const FitFrame& frame);

  void AddUpper(Point p) override;
  void AddLower(Point p) override;
  std::optional<FittedLine> Fit(SlopeRange allowed) const override;
  size_t intervals() const { return intervals_.size(); }

 private:
  struct Interval {
    std::optional<int64_t> least_above;     // O⁻
    std::optional<int64_t> greatest_below;  // O⁺
  };
  Interval& IntervalAt(int64_t x);

  FitFrame frame_;
  int64_t width_ = 1;
  std::vector<Interval> intervals_;
};

}  // namespace syncline
