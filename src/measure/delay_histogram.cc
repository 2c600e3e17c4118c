#include "measure/delay_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/difference.h"
#include "base/int128.h"

namespace syncline {
namespace {

constexpr int kBits = 6;  // 64 buckets per power of two
constexpr int64_t kFarNs = 1'000'000'000;

// Magnitudes below 64 have a bucket each; above, the leading bits after the first select it.
size_t BucketOf(uint64_t magnitude) {
  if (magnitude < (1U << kBits)) return magnitude;
  const int shift = static_cast<int>(std::bit_width(magnitude)) - 1 - kBits;
  return (static_cast<size_t>(shift + 1) << kBits) + ((magnitude >> shift) - (1U << kBits));
}

// The middle of a bucket.
uint64_t ValueOf(size_t bucket) {
  if (bucket < (1U << kBits)) return bucket;
  const int shift = static_cast<int>(bucket >> kBits) - 1;
  const uint64_t low = ((bucket & ((1U << kBits) - 1)) + (1U << kBits)) << shift;
  return low + (uint64_t{1} << shift) / 2;
}

void Increment(std::vector<uint64_t>& buckets, uint64_t magnitude) {
  const size_t bucket = BucketOf(magnitude);
  if (bucket >= buckets.size()) buckets.resize(bucket + 1);
  ++buckets[bucket];
}

// Most buckets are empty where values are few.
struct Filled {
  uint64_t place = 0;
  uint64_t count = 0;
};

std::vector<Filled> FilledOf(const std::vector<uint64_t>& buckets) {
  std::vector<Filled> filled;
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] != 0) filled.push_back({i, buckets[i]});
  }
  return filled;
}

std::vector<uint64_t> BucketsOf(const std::vector<Filled>& filled) {
  std::vector<uint64_t> buckets(filled.empty() ? 0 : filled.back().place + 1);
  for (const Filled& bucket : filled) buckets[bucket.place] = bucket.count;
  return buckets;
}

}  // namespace

void DelayHistogram::Add(int64_t ns) {
  if (count_ == 0) {
    first_ = smallest_ = largest_ = ns;
    if (ns > kFarNs || ns < -kFarNs) pivot_ = ns;
  }
  // Unsigned, a distance fits 64 bits.
  const auto distance = static_cast<uint64_t>(ns) - static_cast<uint64_t>(pivot_);
  if (ns < pivot_) {
    Increment(below_, 0 - distance);
  } else {
    Increment(above_, distance);
  }
  smallest_ = std::min(smallest_, ns);
  largest_ = std::max(largest_, ns);
  ++count_;
  const double value = DifferenceOf(ns, first_);
  const double delta = value - mean_;
  mean_ += delta / static_cast<double>(count_);
  squares_ += delta * (value - mean_);
}

std::optional<int64_t> DelayHistogram::Quantile(double share) const {
  if (count_ == 0) return std::nullopt;
  const auto rank =
      static_cast<uint64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_ - 1));
  const auto value = [&](Int128 distance) {
    return std::clamp(Saturate(pivot_ + distance), smallest_, largest_);
  };
  uint64_t seen = 0;
  for (size_t i = below_.size(); i-- > 0;) {
    seen += below_[i];
    if (seen > rank) return value(-static_cast<Int128>(ValueOf(i)));
  }
  for (size_t i = 0; i < above_.size(); ++i) {
    seen += above_[i];
    if (seen > rank) return value(ValueOf(i));
  }
  return largest_;
}

void DelayHistogram::Put(Parcel& parcel) const {
  parcel.Put(FilledOf(below_), FilledOf(above_), pivot_, smallest_, largest_, first_, count_, mean_,
             squares_);
}

DelayHistogram DelayHistogram::Take(ParcelReader& parcel) {
  DelayHistogram taken;
  taken.below_ = BucketsOf(parcel.TakeAll<Filled>());
  taken.above_ = BucketsOf(parcel.TakeAll<Filled>());
  parcel.Take(taken.pivot_, taken.smallest_, taken.largest_, taken.first_, taken.count_,
              taken.mean_, taken.squares_);
  return taken;
}

std::optional<int64_t> DelayHistogram::smallest() const {
  return count_ == 0 ? std::nullopt : std::optional(smallest_);
}

std::optional<int64_t> DelayHistogram::largest() const {
  return count_ == 0 ? std::nullopt : std::optional(largest_);
}

double DelayHistogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(first_) + mean_;
}

double DelayHistogram::standard_deviation() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

}  // namespace syncline
