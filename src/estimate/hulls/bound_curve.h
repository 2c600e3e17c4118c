// A guaranteed bound of a conversion between two clocks: a convex or concave, strictly increasing,
// piecewise linear function given by its vertices and the slopes of its two outer rays.
//
// Units: nominal nanoseconds in and out. Requires: at least one vertex; x and y strictly
// increasing; slopes > 0. Errors: none; results beyond int64 saturate. Cost: O(log vertices) and
// one 128-bit division per query. Exact: Floor and Ceil round the exact rational value down and up,
// so a bound rounded outward still holds. Tested by: src/estimate/hulls/bound_curve_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/parcel.h"
#include "estimate/point.h"

namespace syncline {

class BoundCurve {
 public:
  BoundCurve(Slope left, std::vector<Point> vertices, Slope right);

  int64_t Floor(int64_t x) const { return LineAt(x).Floor(x); }
  int64_t Ceil(int64_t x) const { return LineAt(x).Ceil(x); }
  // The x whose value is `y`, rounded down.
  int64_t Preimage(int64_t y) const;
  // x as a function of y. An upper bound of y becomes a lower bound of x, and the reverse.
  BoundCurve Inverted() const;

  std::span<const Point> vertices() const { return vertices_; }
  Slope left() const { return left_; }
  Slope right() const { return right_; }

  void Put(Parcel& parcel) const { parcel.Put(left_, vertices_, right_); }
  static BoundCurve Take(ParcelReader& parcel) {
    return {parcel.Take<Slope>(), parcel.TakeAll<Point>(), parcel.Take<Slope>()};
  }

 private:
  Line LineAt(int64_t x) const;

  Slope left_;
  std::vector<Point> vertices_;
  Slope right_;
};

// What is guaranteed about a conversion: lower(x) ≤ y ≤ upper(x). Nothing on a side without curve.
struct Bounds {
  std::optional<BoundCurve> upper;
  std::optional<BoundCurve> lower;

  static auto Members(auto& self) { return std::tie(self.upper, self.lower); }
  // The same knowledge about x as a function of y: upper⁻¹(y) ≤ x ≤ lower⁻¹(y).
  Bounds Inverted() const;
};

}  // namespace syncline
