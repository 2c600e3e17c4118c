// A bounded time series: what happened in each of at most 512 equal parts of a time that is not
// known beforehand. Where the parts would become too many, they double their width.
//
// Units: nanoseconds. Parts begin at multiples of their width, a power of two, so that the result
// does not depend on the order of what is added: it has the narrowest parts that are enough.
// Requires: Bin has Merge(const Bin&), which does not depend on the order either, and a Bin{} that
// changes nothing. Errors: none; times anywhere in int64 are safe. Cost: O(1) amortized, memory 512
// bins. Tested by: time_bins_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parcel.h"

namespace syncline {

template <typename Bin>
class TimeBins {
 public:
  static constexpr size_t kMost = 512;

  // The part that holds this instant.
  Bin& At(int64_t ns) {
    const uint64_t place = PlaceOf(ns);
    return place < bins_.size() ? bins_[place] : Extend(ns);
  }

  // Adds what another series has, as if it had been added here.
  void Merge(const TimeBins& other) {
    if (bins_.empty()) {
      *this = other;
      return;
    }
    // Each part of the other then lies within one of these.
    while (shift_ < other.shift_) DoubleWidth();
    for (size_t i = 0; i < other.bins_.size(); ++i) {
      const int64_t number = other.first_ + static_cast<int64_t>(i);
      At(number << other.shift_).Merge(other.bins_[i]);
    }
  }
  void Put(Parcel& parcel) const { parcel.Put(shift_, first_, bins_); }
  static TimeBins Take(ParcelReader& parcel) {
    TimeBins bins;
    parcel.Take(bins.shift_, bins.first_, bins.bins_);
    return bins;
  }

  std::span<const Bin> bins() const { return bins_; }
  // Where the first one begins, and how wide each is.
  int64_t start_ns() const { return first_ << shift_; }
  uint64_t width_ns() const { return uint64_t{1} << shift_; }

 private:
  // Numbers of parts are the instants divided by the width, rounded down.
  uint64_t PlaceOf(int64_t ns) const {
    return static_cast<uint64_t>(ns >> shift_) - static_cast<uint64_t>(first_);
  }

  Bin& Extend(int64_t ns) {
    if (bins_.empty()) {
      first_ = ns;
      return bins_.emplace_back();
    }
    int64_t last = first_ + static_cast<int64_t>(bins_.size() - 1);
    while (static_cast<uint64_t>(std::max(last, ns >> shift_)) -
               static_cast<uint64_t>(std::min(first_, ns >> shift_)) >=
           kMost) {
      DoubleWidth();
      last >>= 1;
    }
    const int64_t number = ns >> shift_;
    if (number < first_) {
      bins_.insert(bins_.begin(), static_cast<size_t>(first_ - number), Bin{});
      first_ = number;
    } else if (number > last) {
      bins_.resize(bins_.size() + static_cast<size_t>(number - last));
    }
    return bins_[PlaceOf(ns)];
  }

  void DoubleWidth() {
    const int64_t first = first_ >> 1;
    std::vector<Bin> merged;
    merged.reserve(kMost);
    for (size_t i = 0; i < bins_.size(); ++i) {
      const auto place = static_cast<size_t>(((first_ + static_cast<int64_t>(i)) >> 1) - first);
      if (place == merged.size()) {
        merged.push_back(std::move(bins_[i]));
      } else {
        merged[place].Merge(bins_[i]);
      }
    }
    bins_ = std::move(merged);
    first_ = first;
    ++shift_;
  }

  int shift_ = 0;  // the width is 2 to this power
  int64_t first_ = 0;
  std::vector<Bin> bins_;
};

}  // namespace syncline
