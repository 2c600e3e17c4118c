#include "estimate/point.h"

#include <algorithm>
#include <cmath>

namespace syncline {
namespace {

Int128 Rise(const Line& line, int64_t x) {
  return (static_cast<Int128>(x) - line.at.x) * line.slope.num;
}

constexpr int64_t kFraction = 1'000'000'000'000'000;  // 10^15: 1 ns over 11 days

}  // namespace

double Slope::ToDouble() const { return static_cast<double>(1 + Drift()); }

long double Slope::Drift() const {
  return static_cast<long double>(static_cast<Int128>(num) - den) / static_cast<long double>(den);
}

Slope Middle(Slope a, Slope b) {
  const long double middle = (a.Drift() + b.Drift()) / 2;
  // Beyond the range of SlopeFromDrift any slope between will do.
  if (std::fabs(middle) > 1000) {
    return std::clamp(Slope{a.num / 2 + b.num / 2, a.den / 2 + b.den / 2 + 1}, a, b);
  }
  return SlopeFromDrift(middle, a, b);
}

Slope SlopeFromDrift(long double drift, Slope low, Slope high) {
  const int64_t ppq = std::llround(drift * static_cast<long double>(kFraction));
  return std::clamp(Slope{kFraction + ppq, kFraction}, low, high);
}

int64_t Line::Floor(int64_t x) const {
  return Saturate(at.y + FloorDiv(Rise(*this, x), slope.den));
}

int64_t Line::Ceil(int64_t x) const { return Saturate(at.y + CeilDiv(Rise(*this, x), slope.den)); }

int64_t Line::Nearest(int64_t x) const {
  return Saturate(at.y + MulDivRound(static_cast<Int128>(x) - at.x, slope.num,
                                     static_cast<UInt128>(slope.den)));
}

int Line::Side(Point p) const {
  const Int128 above = (static_cast<Int128>(p.y) - at.y) * slope.den;
  const Int128 rise = Rise(*this, p.x);
  return above > rise ? 1 : above < rise ? -1 : 0;
}

double Line::Residual(Point p) const {
  const Int128 dx = static_cast<Int128>(p.x) - at.x;
  const Int128 dy = static_cast<Int128>(p.y) - at.y;
  return static_cast<double>(static_cast<long double>(dy - dx) -
                             slope.Drift() * static_cast<long double>(dx));
}

}  // namespace syncline
