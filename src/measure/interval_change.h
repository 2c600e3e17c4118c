// How much corrections change the measured intervals between successive events of one process.
//
// Units: relative change |corrected − original| / |original|. An interval of zero is unchanged, or,
// if it is zero no longer, counted above and left out of mean and maximum. Tested by:
// src/measure/interval_change_test.cc.
#pragma once

#include <cstdint>

#include "syncline/time.h"

namespace syncline {

class IntervalChange {
 public:
  void Add(Duration original, Duration corrected);
  void Merge(const IntervalChange& other);

  uint64_t unchanged() const { return unchanged_; }
  uint64_t up_to_a_thousandth() const { return small_; }
  uint64_t above() const { return large_; }
  double mean() const;  // over all intervals
  double max() const { return max_; }

 private:
  uint64_t unchanged_ = 0, small_ = 0, large_ = 0;
  double sum_ = 0, max_ = 0;
};

// The intervals of one process: feed its events in program order.
class IntervalTracker {
 public:
  explicit IntervalTracker(IntervalChange& change) : change_(change) {}
  void Add(int64_t original_ns, GlobalTime corrected);

 private:
  IntervalChange& change_;
  bool any_ = false;
  int64_t last_original_ns_ = 0;
  GlobalTime last_corrected_;
};

}  // namespace syncline
