#include "measure/interval_change.h"

#include <algorithm>
#include <cmath>

#include "base/difference.h"

namespace syncline {
void IntervalClass::Add(double change) {
  ++count;
  sum += change;
  max = std::max(max, change);
}

void IntervalClass::Merge(const IntervalClass& other) {
  count += other.count;
  sum += other.sum;
  max = std::max(max, other.max);
}

void IntervalChange::Add(const IntervalPlace& interval) {
  if (interval.original == interval.corrected) {
    ++unchanged_;
    return;
  }
  if (interval.original.ns == 0) {
    ++large_.count;
    return;
  }
  const double change = std::abs(DifferenceOf(interval.corrected.ns, interval.original.ns) /
                                 static_cast<double>(interval.original.ns));
  if (change > max()) largest_ = interval;
  (change <= 1e-3 ? small_ : large_).Add(change);
}

void IntervalChange::Merge(const IntervalChange& other) {
  if (other.max() > max()) largest_ = other.largest_;
  unchanged_ += other.unchanged_;
  small_.Merge(other.small_);
  large_.Merge(other.large_);
}

double IntervalChange::mean() const {
  const uint64_t count = unchanged_ + small_.count + large_.count;
  return count == 0 ? 0 : (small_.sum + large_.sum) / static_cast<double>(count);
}

double IntervalChange::max() const { return std::max(small_.max, large_.max); }

void IntervalTracker::Add(int64_t original_ns, GlobalTime corrected, IntervalChange& change) {
  if (has_last_) {
    const Duration original = GlobalTime{original_ns} - GlobalTime{last_original_ns_};
    change.Add({process_, events_, original, corrected - last_corrected_});
  }
  has_last_ = true;
  ++events_;
  last_original_ns_ = original_ns;
  last_corrected_ = corrected;
}

}  // namespace syncline
