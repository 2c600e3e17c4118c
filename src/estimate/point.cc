#include "estimate/point.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace syncline {
namespace {

Int128 Rise(const Line& line, int64_t x) {
  return (static_cast<Int128>(x) - line.at.x) * line.slope.num;
}

// Where slopes are near 1 and 64 bits suffice: the line at x is whole + rest / slope.den with
// 0 ≤ rest < slope.den, by dx·num/den = dx + dx·(num − den)/den.
struct Small {
  int64_t whole = 0;
  int64_t rest = 0;
  bool is_left = false;  // of the line's point
};
std::optional<Small> SmallSplit(const Line& line, int64_t x) {
  int64_t dx = 0, excess = 0, product = 0, whole = 0;
  const int64_t den = line.slope.den;
  const bool overflows = __builtin_sub_overflow(x, line.at.x, &dx) ||
                         __builtin_sub_overflow(line.slope.num, den, &excess) ||
                         __builtin_mul_overflow(dx, excess, &product) ||
                         __builtin_add_overflow(line.at.y, dx, &whole);
  if (overflows || line.slope.num <= 0) return std::nullopt;
  int64_t change = product / den;
  int64_t rest = product - change * den;
  if (rest < 0) {
    --change;
    rest += den;
  }
  // One is left for rounding up.
  if (__builtin_add_overflow(whole, change, &whole) || whole == INT64_MAX) return std::nullopt;
  return Small{whole, rest, dx < 0};
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
  if (const auto at_x = SmallSplit(*this, x)) return at_x->whole;
  return Saturate(at.y + FloorDiv(Rise(*this, x), slope.den));
}

int64_t Line::Ceil(int64_t x) const {
  if (const auto at_x = SmallSplit(*this, x)) return at_x->whole + (at_x->rest > 0 ? 1 : 0);
  return Saturate(at.y + CeilDiv(Rise(*this, x), slope.den));
}

int64_t Line::Nearest(int64_t x) const {
  if (const auto at_x = SmallSplit(*this, x)) {
    // Halves go away from the line's point.
    const int64_t half = slope.den - at_x->rest;
    const bool is_up = at_x->is_left ? at_x->rest > half : at_x->rest >= half;
    return at_x->whole + (is_up ? 1 : 0);
  }
  return Saturate(at.y + MulDivRound(static_cast<Int128>(x) - at.x, slope.num,
                                     static_cast<UInt128>(slope.den)));
}

Line::Split Line::At(int64_t x) const {
  const Int128 rise = Rise(*this, x);
  const Int128 whole = FloorDiv(rise, slope.den);
  return {at.y + whole, rise - whole * slope.den};
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
