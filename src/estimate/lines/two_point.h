// A line through two quick exchanges far apart: `two-point`.
//
// Units: nominal nanoseconds. Errors: none; no line where there is no exchange. Cost: one pass, a
// comparison for most messages; at most 1280 messages kept a pair, 30 kB. Guarantee: none by
// itself, but the slope is within Δβ of the truth where the exchanges' clocks are linear.
// Method: Ashton 1995 (Poirier 2010, algorithm 2.1). An exchange is two messages in opposite
// directions, the second sent after the first was received, with times (t, t') at a and (θ, θ') at
// b. Its middle ((t + t')/2, (θ + θ')/2) is off the true line by at most δ/2, half of its round
// trip δ. The time between the first and last middle is cut into ten parts; of the ten exchanges of
// least δ in each, the two with the least Δβ = (δ1 + δ2) / (2 |distance of the middles|) give the
// slope, and the one of least δ at all the height. With minimum delays δ is less their sum.
// Departures:
// - An exchange's second message is the next one back among those kept, and of each direction those
//   are kept that are fastest, up to 64 per tenth of the time: messages come in any order, and
//   memory must not grow with them. Of fewer messages all are.
// - δ is measured at the rate of the line that the hulls give, so that a long exchange does not
//   look quick because one clock is slow.
// - Minimum delays count in every step, slopes are limited to the prior. The denominator of Δβ is
//   the one its meaning demands; equation 2.33 has twice that.
// Tested by: src/estimate/lines/two_point_test.cc, against all exchanges.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "estimate/lines/line_fit.h"

namespace syncline {

class TwoPointFit : public LineFit {
 public:
  static constexpr size_t kParts = 10;
  static constexpr size_t kKeptPerPart = 64;
  static constexpr size_t kBestPerPart = 10;

  explicit TwoPointFit(const FitFrame& frame);

  void AddUpper(Point p) override { Keep(upper_[PartOf(p.x)], {frame_.Residual(p), p}); }
  void AddLower(Point p) override { Keep(lower_[PartOf(p.x)], {-frame_.Residual(p), p}); }
  std::optional<FittedLine> Fit(SlopeRange allowed) const override;

 private:
  struct Kept {
    double slowness = 0;  // the delay, and a constant of the direction
    Point point;
    friend auto operator<=>(const Kept&, const Kept&) = default;
  };
  using Part = std::vector<Kept>;  // a heap, the slowest first
  using Direction = std::array<Part, kParts>;

  size_t PartOf(int64_t x) const { return static_cast<size_t>((x - frame_.first_x) / width_); }
  static void Keep(Part& part, const Kept& message);

  FitFrame frame_;
  int64_t width_ = 1;
  Direction upper_, lower_;
};

}  // namespace syncline
