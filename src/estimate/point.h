// Points, slopes and lines of the plane of two clocks, all exact.
//
// Units: x is nominal nanoseconds of clock a, y of clock b. A slope is d(y)/d(x), near 1.
// Requires: coordinates of points that meet in one computation differ by less than 2^62 + 2^51, and
// slopes keep numerator and denominator below that too; then every product fits 128 bits.
// Errors: none; results beyond int64 saturate. Cost: O(1), no floating point except where it says
// so. Tested by: src/estimate/point_test.cc.
#pragma once

#include <compare>
#include <cstdint>

#include "base/int128.h"

namespace syncline {

struct Point {
  int64_t x = 0;
  int64_t y = 0;
  friend auto operator<=>(const Point&, const Point&) = default;
};

// The turn o → p → q: positive to the left (q above the line o–p when o.x < p.x), 0 on the line.
constexpr Int128 Turn(Point o, Point p, Point q) {
  return static_cast<Int128>(p.x - o.x) * (q.y - o.y) -
         static_cast<Int128>(p.y - o.y) * (q.x - o.x);
}

// num / den as it stands, den > 0; not reduced.
struct Slope {
  int64_t num = 1;
  int64_t den = 1;

  double ToDouble() const;
  // num / den − 1 with one rounding: ppm-sized drifts keep all their digits.
  long double Drift() const;
  friend constexpr bool operator==(Slope a, Slope b) {
    return static_cast<Int128>(a.num) * b.den == static_cast<Int128>(b.num) * a.den;
  }
  friend constexpr std::strong_ordering operator<=>(Slope a, Slope b) {
    return static_cast<Int128>(a.num) * b.den <=> static_cast<Int128>(b.num) * a.den;
  }
};

// Requires p.x ≠ q.x.
constexpr Slope SlopeOf(Point p, Point q) {
  return p.x < q.x ? Slope{q.y - p.y, q.x - p.x} : Slope{p.y - q.y, p.x - q.x};
}

// The slope halfway between `a` ≤ `b`, to 10^-15; never outside [a, b].
Slope Middle(Slope a, Slope b);
// The fraction nearest to 1 + drift that lies in [low, high]. Requires |drift| ≤ 1000.
Slope SlopeFromDrift(long double drift, Slope low, Slope high);

// y = at.y + (x − at.x) · slope, exactly.
struct Line {
  Point at;
  Slope slope;

  int64_t Floor(int64_t x) const;
  int64_t Ceil(int64_t x) const;
  int64_t Nearest(int64_t x) const;
  // y(x) = whole + rest / slope.den with 0 ≤ rest < slope.den, exactly.
  struct Split {
    Int128 whole = 0;
    Int128 rest = 0;
  };
  Split At(int64_t x) const;
  // The sign of p.y − y(p.x): positive when p lies above the line.
  int Side(Point p) const;
  // p.y − y(p.x) in nanoseconds; for weights and choices, not for decisions that must be exact.
  double Residual(Point p) const;
  // x as a function of y. Requires slope.num > 0.
  Line Inverted() const { return {{at.y, at.x}, {slope.den, slope.num}}; }
};

// An instant between two nanoseconds: ns + fraction.
struct FineTime {
  int64_t ns = 0;
  long double fraction = 0;

  int64_t Nearest() const;
};

// A conversion between clocks that can be composed along a path without losing nanoseconds:
// value(x) = y0 + fraction + (x − x0) + drift · (x − x0). The origin is integer and only the drift
// term is floating point: over a year and ten compositions the error stays below 10^-3 ns. Beyond
// int64 values saturate. Tested by: src/estimate/affine_test.cc.
class Affine {
 public:
  Affine() = default;  // the identity
  explicit Affine(const Line& line) : x0_(line.at.x), y0_{line.at.y}, drift_(line.slope.Drift()) {}

  FineTime operator()(FineTime x) const;
  // The conversion x → after(this(x)).
  Affine Then(const Affine& after) const;
  // Slope − 1.
  long double drift() const { return drift_; }

 private:
  int64_t x0_ = 0;
  FineTime y0_;
  long double drift_ = 0;
};

}  // namespace syncline
