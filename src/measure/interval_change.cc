#include "measure/interval_change.h"

#include <algorithm>
#include <cmath>

namespace syncline {

void IntervalChange::Add(Duration original, Duration corrected) {
  if (original == corrected) {
    ++unchanged_;
    return;
  }
  if (original.ns == 0) {
    ++large_;
    return;
  }
  const double change =
      std::abs(static_cast<double>(corrected.ns - original.ns) / static_cast<double>(original.ns));
  ++(change <= 1e-3 ? small_ : large_);
  sum_ += change;
  max_ = std::max(max_, change);
}

void IntervalChange::Merge(const IntervalChange& other) {
  unchanged_ += other.unchanged_;
  small_ += other.small_;
  large_ += other.large_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double IntervalChange::mean() const {
  const uint64_t count = unchanged_ + small_ + large_;
  return count == 0 ? 0 : sum_ / static_cast<double>(count);
}

void IntervalTracker::Add(int64_t original_ns, GlobalTime corrected) {
  if (any_) change_.Add({original_ns - last_original_ns_}, corrected - last_corrected_);
  any_ = true;
  last_original_ns_ = original_ns;
  last_corrected_ = corrected;
}

}  // namespace syncline
