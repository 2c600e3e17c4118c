#include "estimate/affine.h"

#include <algorithm>
#include <cmath>

namespace syncline {

int64_t FineTime::Nearest() const {
  return Saturate(static_cast<Int128>(ns) + std::llround(fraction));
}

FineTime Affine::operator()(FineTime x) const {
  constexpr long double kFar = 0x1p100L;
  const Int128 dx = static_cast<Int128>(x.ns) - x0_;
  const long double extra =
      drift_ * static_cast<long double>(dx) + (1 + drift_) * x.fraction + y0_.fraction;
  const long double whole = std::clamp(std::floor(extra), -kFar, kFar);
  const Int128 ns = y0_.ns + dx + static_cast<Int128>(whole);
  const int64_t saturated = Saturate(ns);
  return {saturated, saturated == ns ? extra - whole : 0};
}

Affine Affine::Then(const Affine& after) const {
  Affine result;
  result.x0_ = x0_;
  result.y0_ = after(y0_);
  result.drift_ = drift_ + after.drift_ + drift_ * after.drift_;
  return result;
}

}  // namespace syncline
