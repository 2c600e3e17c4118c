// The distribution of delays in constant memory: quantiles of any number of values within 1/64 of
// the value's magnitude (1.6 %), exact smallest and largest.
//
// Delays by clocks that are seconds apart would all fall into few buckets: where the first value is
// beyond a second, magnitudes are taken from it instead of from zero.
// Units: nanoseconds, signed. Method: log-linear buckets, 64 per power of two.
// Cost: O(1) per value, at most 64 KiB. Tested by: src/measure/delay_histogram_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/parcel.h"

namespace syncline {

class DelayHistogram {
 public:
  void Add(int64_t ns);

  uint64_t count() const { return count_; }
  // The value at the given share (0..1) of the sorted values; nothing when empty.
  std::optional<int64_t> Quantile(double share) const;
  std::optional<int64_t> smallest() const;
  std::optional<int64_t> largest() const;
  double mean() const;                // 0 when empty
  double standard_deviation() const;  // of the population; 0 when empty

  // To another process, which goes on as this one would.
  void Put(Parcel& parcel) const;
  static DelayHistogram Take(ParcelReader& parcel);

 private:
  std::vector<uint64_t> below_;  // the pivot, by distance from it
  std::vector<uint64_t> above_;
  int64_t pivot_ = 0;
  uint64_t count_ = 0;
  int64_t smallest_ = 0;
  int64_t largest_ = 0;
  // Moments about the first value, so that large offsets do not cancel.
  int64_t first_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace syncline
