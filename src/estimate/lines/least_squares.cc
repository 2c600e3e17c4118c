#include "estimate/lines/least_squares.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace syncline {

Slope AllowedSlope(long double drift, SlopeRange allowed) {
  return SlopeFromDrift(std::clamp(drift, -1000.0L, 1000.0L), allowed.min, allowed.max);
}

Line LineThroughMean(Point origin, Int128 sum_x, Int128 sum_e, uint64_t n, Slope s) {
  const auto count = static_cast<Int128>(n);
  const Int128 x = FloorDiv(sum_x, count);
  const Int128 e = FloorDiv(sum_e, count);
  const auto rest_of = [&](Int128 sum, Int128 whole) {
    return static_cast<long double>(sum - whole * count) / static_cast<long double>(count);
  };
  const long double lift = rest_of(sum_e, e) - s.Drift() * rest_of(sum_x, x);
  return {{Saturate(origin.x + x), Saturate(origin.y + x + e + std::llround(lift))}, s};
}

long double LeastSquares::MeanX() const {
  return static_cast<long double>(sum_x_) / static_cast<long double>(count_);
}

Moments LeastSquares::AboutMean() const {
  SYNCLINE_CHECK(count_ > 0);
  const auto n = static_cast<long double>(count_);
  const auto x = static_cast<long double>(sum_x_);
  const auto e = static_cast<long double>(sum_e_);
  return {std::max(xx_.Value() - x * x / n, 0.0L), xe_.Value() - x * e / n,
          std::max(ee_.Value() - e * e / n, 0.0L)};
}

Line LeastSquares::BestLine(SlopeRange allowed) const {
  const Moments about = AboutMean();
  // Equal instants leave a rounding residue.
  const bool tells_rate = about.xx > xx_.Value() * 0x1p-60L;
  const Slope s = AllowedSlope(tells_rate ? about.xe / about.xx : 0, allowed);
  return LineThroughMean(origin_, sum_x_, sum_e_, count_, s);
}

}  // namespace syncline
