// What the messages between two clocks say about them: two half hulls, a few sums, and a small
// sample.
//
// A message a → b is an upper point (x = send at a, y = receive at b): the conversion a → b passes
// on or below it. A message b → a is a lower point (x = receive at a, y = send at b). Units:
// nominal nanoseconds of the two clocks (Clock::NominalNs). Errors: a message more than 2^61 ns (73
// years) away from the first one is counted, not used: the estimate holds for the others. Cost: as
// half_hull.h; order of messages does not matter, but for which is the first: that is the origin of
// the sample. Messages wait in batches of a few hundred; what is asked of a PairPoints counts those
// too. Tested by: src/estimate/hulls/pair_points_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "base/parcel.h"
#include "estimate/hulls/half_hull.h"
#include "estimate/point.h"

namespace syncline {

// A bounded sample of points, for estimates that need more than a hull and less than all: the
// points with the smallest hashes, all of them up to kCapacity, then at least half as many; the
// same whatever order they come in, and without regard to any period in the traffic. What is hashed
// is the distance from an origin that moves with the clocks, so that clocks that show other years
// get the same sample. Cost: a hash per point. Tested by: src/estimate/lines/trimmed_slope_test.cc.
class PointSample {
 public:
  static constexpr size_t kCapacity = 1024;

  // `origin`: the same each time.
  void Add(std::span<const Point> points, Point origin);
  void Put(Parcel& parcel) const;
  static PointSample Take(ParcelReader& parcel);
  std::span<const Point> points() const { return std::span(buffer_).first(count_); }

 private:
  void MakeRoom(Point origin);

  uint64_t limit_ = UINT64_MAX;
  size_t count_ = 0;
  std::vector<Point> buffer_;
};

class PairPoints {
 public:
  void AddAToB(int64_t send_a_ns, int64_t receive_b_ns) { Add(ab_, {send_a_ns, receive_b_ns}); }
  void AddBToA(int64_t send_b_ns, int64_t receive_a_ns) { Add(ba_, {receive_a_ns, send_b_ns}); }

  std::vector<Point> HullAToB() const { return HullOf(ab_); }  // H(AB), convex
  std::vector<Point> HullBToA() const { return HullOf(ba_); }  // H(BA), concave
  uint64_t messages_ab() const { return ab_.settled + ab_.waiting.size(); }
  uint64_t messages_ba() const { return ba_.settled + ba_.waiting.size(); }
  uint64_t out_of_range() const { return out_of_range_; }
  // Whether the point is near enough to the first one to be used.
  bool IsInRange(Point p) const {
    // A difference that wraps around is too large as well.
    return static_cast<uint64_t>(p.x) - low_.x < width_.x &&
           static_cast<uint64_t>(p.y) - low_.y < width_.y;
  }
  // The mean abscissa (time at a) of one direction's messages, rounded down. Requires one message.
  int64_t CentroidAToB() const { return Centroid(ab_); }
  int64_t CentroidBToA() const { return Centroid(ba_); }
  PointSample SampleAToB() const { return SampleOf(ab_); }
  PointSample SampleBToA() const { return SampleOf(ba_); }
  size_t peak_points() const;

  // To another process, which goes on as this one would.
  void Put(Parcel& parcel) const;
  static PairPoints Take(ParcelReader& parcel);

 private:
  static constexpr size_t kBatch = 256;

  struct Direction {
    explicit Direction(HalfHull::Side side) : hull(side) {}

    std::vector<Point> waiting;  // in range, not yet in what follows
    HalfHull hull;
    PointSample sample;
    uint64_t settled = 0;  // messages
    Int128 sum_x = 0;      // from the origin
  };

  void Add(Direction& direction, Point p) {
    if (!IsInRange(p) && !BecomesOrigin(p)) {
      ++out_of_range_;
      return;
    }
    direction.waiting.push_back(p);
    if (direction.waiting.size() == kBatch) Settle(direction);
  }
  bool BecomesOrigin(Point p);
  void Settle(Direction& direction) const;
  void PutDirection(Direction direction, Parcel& parcel) const;
  static void TakeDirection(ParcelReader& parcel, HalfHull::Side side, Direction& direction);
  Int128 SumOfX(const std::vector<Point>& points) const;
  std::vector<Point> HullOf(const Direction& direction) const;
  PointSample SampleOf(const Direction& direction) const;
  int64_t Centroid(const Direction& direction) const;

  struct Corner {
    uint64_t x = 0;
    uint64_t y = 0;
  };

  Direction ab_{HalfHull::Side::kLower};
  Direction ba_{HalfHull::Side::kUpper};
  bool has_origin_ = false;
  Point origin_;
  // The range around the origin; empty before there is one.
  Corner low_, width_;
  uint64_t out_of_range_ = 0;
};

}  // namespace syncline
