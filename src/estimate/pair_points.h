// What the messages between two clocks say about them: two half hulls, a few sums, and a small
// sample.
//
// A message a → b is an upper point (x = send at a, y = receive at b): the conversion a → b passes
// on or below it. A message b → a is a lower point (x = receive at a, y = send at b). Units:
// nominal nanoseconds of the two clocks (Clock::NominalNs). Errors: a message more than 2^61 ns (73
// years) away from the first one is counted, not used: the estimate holds for the others. Cost: as
// half_hull.h; order of messages does not matter. Tested by: src/estimate/pair_points_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "estimate/half_hull.h"
#include "estimate/point.h"
#include "estimate/point_sample.h"

namespace syncline {

class PairPoints {
 public:
  void AddAToB(int64_t send_a_ns, int64_t receive_b_ns);
  void AddBToA(int64_t send_b_ns, int64_t receive_a_ns);

  std::vector<Point> HullAToB() const { return upper_.Points(); }  // H(AB), convex
  std::vector<Point> HullBToA() const { return lower_.Points(); }  // H(BA), concave
  uint64_t messages_ab() const { return sum_ab_.count; }
  uint64_t messages_ba() const { return sum_ba_.count; }
  uint64_t out_of_range() const { return out_of_range_; }
  // The mean abscissa (time at a) of one direction's messages, rounded down. Requires one message.
  int64_t CentroidAToB() const { return Centroid(sum_ab_); }
  int64_t CentroidBToA() const { return Centroid(sum_ba_); }
  const PointSample& sample_ab() const { return sample_ab_; }
  const PointSample& sample_ba() const { return sample_ba_; }
  size_t peak_points() const { return upper_.peak_points() + lower_.peak_points(); }

 private:
  struct Sum {
    uint64_t count = 0;
    Int128 x = 0;  // from the origin
  };

  bool IsInRange(Point p);
  int64_t Centroid(const Sum& sum) const;

  HalfHull upper_{HalfHull::Side::kLower};
  HalfHull lower_{HalfHull::Side::kUpper};
  bool has_origin_ = false;
  Point origin_;
  // The corners of the range around the origin; none before there is one.
  Point low_{1, 1}, high_{0, 0};
  Sum sum_ab_, sum_ba_;
  PointSample sample_ab_, sample_ba_;
  uint64_t out_of_range_ = 0;
};

}  // namespace syncline
