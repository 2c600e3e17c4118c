// How much corrections change the measured intervals between successive events of one process.
//
// Units: relative change |corrected − original| / |original|. An interval of zero is unchanged, or,
// if it is zero no longer, counted above and left out of mean and maximum. Classes as in
// Rabenseifner 2000, 6.3.1. Tested by: src/measure/interval_change_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

// The later end of an interval.
struct IntervalPlace {
  ProcessId process;
  uint64_t index = 0;  // of the event in its process, from 0
  Duration original;
  Duration corrected;
};

// The intervals of one class: how many, and how much they change.
struct IntervalClass {
  uint64_t count = 0;
  double sum = 0;
  double max = 0;
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  void Add(double change);
  void Merge(const IntervalClass& other);
};

class IntervalChange {
 public:
  void Add(const IntervalPlace& interval);
  void Merge(const IntervalChange& other);

  uint64_t unchanged() const { return unchanged_; }
  // Changed by at most 0.1 %, and by more.
  const IntervalClass& up_to_a_thousandth() const { return small_; }
  const IntervalClass& above() const { return large_; }
  double mean() const;  // over all intervals
  double max() const;
  // The first interval of the largest change; none where nothing changed.
  const std::optional<IntervalPlace>& largest() const { return largest_; }

 private:
  uint64_t unchanged_ = 0;
  IntervalClass small_, large_;
  std::optional<IntervalPlace> largest_;
};

// The intervals of one process: feed its events in program order.
class IntervalTracker {
 public:
  explicit IntervalTracker(ProcessId process) : process_(process) {}
  void Add(int64_t original_ns, GlobalTime corrected, IntervalChange& change);
  // The interval before the next event does not count.
  void BeginAnew() { has_last_ = false; }

 private:
  ProcessId process_;
  bool has_last_ = false;
  uint64_t events_ = 0;
  int64_t last_original_ns_ = 0;
  GlobalTime last_corrected_;
};

}  // namespace syncline
