#include "estimate/lines/min_max.h"

#include <algorithm>
#include <cmath>

#include "estimate/lines/least_squares.h"

namespace syncline {
namespace {

constexpr double kMostIntervals = 64;

size_t IntervalsFor(uint64_t messages) {
  return static_cast<size_t>(
      std::clamp(std::sqrt(static_cast<double>(messages)), 2.0, kMostIntervals));
}

}  // namespace

MinMaxFit::MinMaxFit(const FitFrame& frame)
    : frame_(frame), intervals_(IntervalsFor(frame.fewer_points)) {
  width_ = (frame.last_x - frame.first_x) / static_cast<int64_t>(intervals_.size()) + 1;
}

MinMaxFit::Interval& MinMaxFit::IntervalAt(int64_t x) {
  return intervals_[static_cast<size_t>((x - frame_.first_x) / width_)];
}

void MinMaxFit::AddUpper(Point p) {
  std::optional<int64_t>& least = IntervalAt(p.x).least_above;
  const int64_t offset = frame_.Difference(p);
  least = std::min(least.value_or(offset), offset);
}

void MinMaxFit::AddLower(Point p) {
  std::optional<int64_t>& greatest = IntervalAt(p.x).greatest_below;
  const int64_t offset = frame_.Difference(p);
  greatest = std::max(greatest.value_or(offset), offset);
}

std::optional<FittedLine> MinMaxFit::Fit(SlopeRange allowed) const {
  LeastSquares middles(frame_.origin);
  int64_t middle = frame_.first_x - frame_.origin.x + width_ / 2;
  for (const Interval& interval : intervals_) {
    if (interval.least_above && interval.greatest_below) {
      const Int128 sum = static_cast<Int128>(*interval.least_above) + *interval.greatest_below;
      middles.Add(middle, static_cast<int64_t>(FloorDiv(sum, 2)));
    }
    middle += width_;
  }
  if (middles.count() == 0) return std::nullopt;
  return FittedLine{middles.BestLine(allowed), std::nullopt};
}

}  // namespace syncline
