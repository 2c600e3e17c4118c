// The sums behind a line of least squares, exact for any number of points in any order.
//
// Units: nanoseconds; y enters as e = y − x, so that a drift of parts per million keeps its digits.
// Requires: |dx| < 2^62, |de| < 2^63, fewer than 2^63 points. Errors: none. Cost: O(1) per point,
// three 128-bit products and no floating point. Accuracy: sums are exact; moments about the mean
// lose at most a factor of (distance of the mean from the origin / spread)² of 64 digits.
// Tested by: src/estimate/lines/least_squares_test.cc.
#pragma once

#include <cstdint>

#include "base/int128.h"
#include "estimate/hulls/corridor.h"
#include "estimate/point.h"

namespace syncline {

// A sum of products of 64-bit integers that cannot overflow.
class SumOfProducts {
 public:
  void Add(int64_t a, int64_t b) {
    const Int128 product = static_cast<Int128>(a) * b;
    low_ += static_cast<uint64_t>(product);
    high_ += product >> 64;
  }
  long double Value() const {
    return static_cast<long double>(high_) * 0x1p64L + static_cast<long double>(low_);
  }

 private:
  UInt128 low_ = 0;
  Int128 high_ = 0;
};

// Σ(x − x̄)², Σ(x − x̄)(e − ē), Σ(e − ē)².
struct Moments {
  long double xx = 0;
  long double xe = 0;
  long double ee = 0;
};

class LeastSquares {
 public:
  explicit LeastSquares(Point origin) : origin_(origin) {}

  // The point that lies dx right of the origin and dx + de above it.
  void Add(int64_t dx, int64_t de) {
    ++count_;
    sum_x_ += dx;
    sum_e_ += de;
    xx_.Add(dx, dx);
    xe_.Add(dx, de);
    ee_.Add(de, de);
  }
  uint64_t count() const { return count_; }
  // The mean of x, from the origin. These two require count() > 0.
  long double MeanX() const;
  Moments AboutMean() const;
  // The line of least squares among those of allowed slopes, through the mean to 1 ns. All points
  // at one x: of the slope nearest to 1. Requires count() > 0.
  Line BestLine(SlopeRange allowed) const;

 private:
  Point origin_;
  uint64_t count_ = 0;
  Int128 sum_x_ = 0;
  Int128 sum_e_ = 0;
  SumOfProducts xx_, xe_, ee_;
};

// The same by doubles, of weighted points, for guesses: one line, or lines of one slope through
// groups of points, each with a height of its own. Coordinates should be counted from near their
// mean.
class SlopeFit {
 public:
  void BeginGroup() { weight_ = mean_x_ = mean_y_ = 0; }
  void Add(double x, double y, double weight = 1) {
    weight_ += weight;
    const double dx = x - mean_x_;
    mean_x_ += dx * weight / weight_;
    mean_y_ += (y - mean_y_) * weight / weight_;
    xx_ += weight * dx * (x - mean_x_);
    xy_ += weight * dx * (y - mean_y_);
  }
  // 0 where all points of a group are at one x.
  double Slope() const { return xx_ > 0 ? xy_ / xx_ : 0; }
  // Of the last group.
  bool HasPoints() const { return weight_ > 0; }
  double At(double x) const { return mean_y_ + Slope() * (x - mean_x_); }

 private:
  double weight_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

// 1 + drift as a slope within `allowed`, whatever the drift.
Slope AllowedSlope(long double drift, SlopeRange allowed);
// The line of slope s through the mean of n points with these sums of differences x and e = y − x
// from the origin; exact to 1 ns.
Line LineThroughMean(Point origin, Int128 sum_x, Int128 sum_e, uint64_t n, Slope s);

}  // namespace syncline
