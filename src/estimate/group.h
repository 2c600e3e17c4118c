// What bringing all clocks together yields, whichever method does it.
//
// Units: nanoseconds and ppm where a name says so. Sign: offset = local − global, positive: the
// clock is ahead; drift = rate − 1, positive: it runs fast.
// Tested by: src/estimate/groups/tree_error_test.cc, src/estimate/group_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/correction.h"
#include "syncline/id.h"
#include "syncline/time.h"

#include "estimate/pair.h"
#include "estimate/point.h"
#include "estimate/time_bounds.h"
#include "model/epochs.h"

namespace syncline {

struct ClockInput {
  Clock clock;
  // The clock's earliest and latest event.
  LocalTime first;
  LocalTime last;
  // Of a clock that was set back: what each epoch spans, the first included; else empty.
  std::vector<ReadingSpan> epochs;
};

struct PairInput {
  ClockId a;
  ClockId b;
  PairEstimate estimate;
};

// A distance from the corrected time to its guaranteed bounds, over the traced interval; never
// negative.
struct BoundSummary {
  int64_t best_ns = 0;
  double mean_ns = 0;
  int64_t worst_ns = 0;
};

// The same where both sides are known, and the share of the interval for which that is not so.
struct BoundedPart {
  BoundSummary bound, below, above;
  double unbounded_share = 0;
};

// Of a clock that was set back, one epoch after the first (model/epochs.h).
struct ClockEpoch {
  Correction correction = Correction::Nominal(Clock{});
  TimeBounds bounds;  // of the same
};

struct ClockEstimate {
  size_t component = 0;                // index into GroupEstimate::roots
  std::optional<ClockId> parent;       // the next clock on the path to the root, of tree methods
  Quality quality = Quality::kAbsent;  // the worst on that path
  std::string reason;                  // why it is below kAccurate; empty otherwise
  // To the time of the component's root; of a clock that was set back, in its first epoch.
  Correction correction = Correction::Nominal(Clock{});
  TimeBounds bounds;  // of the same
  // Of a clock that was set back: epoch k + 1. Methods that know no epochs leave this empty; what
  // is above then stands for all readings.
  std::vector<ClockEpoch> later_epochs;
  double drift_ppm = 0;   // against the root
  int64_t offset_ns = 0;  // at the middle of the traced interval
  // The ±: the larger of the distances to both bounds; none where a side is open.
  std::optional<BoundSummary> bound;
  // Down to the lower and up to the upper bound; none where that side is open.
  std::optional<BoundSummary> below;
  std::optional<BoundSummary> above;
  std::optional<BoundedPart> where_bounded;  // none: nowhere
  // Whether corrected times are within the bounds where those bend, at knots and at both ends.
  bool is_within_bounds = true;

  // Nothing is known of the true time any more.
  void WithdrawBounds();
};

// A clock that was set forward or back, at an instant that is known to lie between two.
struct ClockJump {
  ClockId clock;
  int64_t ahead_ns = 0;  // more than before; negative: it was set back
  // On the time of the component's root, and of the clock itself: its last reading before that is
  // known to be so, and its first after.
  GlobalTime after, before;
  LocalTime after_local, before_local;
  // By bounds, at any rate within the limits: how far it was set, and between which instants; none
  // where a side is open. Where rates have no limit nothing tells how far it was set at least.
  struct Known {
    std::optional<int64_t> least_ns;
    int64_t most_ns = 0;
    GlobalTime earliest, latest;
  };
  std::optional<Known> known = {};
};

struct GroupEstimate {
  std::vector<ClockEstimate> clocks;  // by ClockId
  // One per component; nothing relates different components. The first is the reference.
  std::vector<ClockId> roots;
  // Of methods that find them; each clock's in order of time.
  std::vector<ClockJump> steps;
  // As roots; of a root that was set itself: how many of its steps lie before the stretch whose
  // time is that of all. Empty: none.
  std::vector<size_t> root_steps_before;
};

// Those of this epoch of the clock, or of the last one that the estimate knows.
const Correction& CorrectionOf(const ClockEstimate& clock, uint32_t epoch);
const TimeBounds& BoundsOf(const ClockEstimate& clock, uint32_t epoch);

// The epoch of a reading that belongs to no event: the first one whose correction reaches as far.
uint32_t EpochNear(const ClockEstimate& clock, LocalTime t);
// The reading at a global time, in the last epoch whose correction begins before it.
LocalTime ReadingAt(const ClockEstimate& clock, GlobalTime t);

// The estimate of one clock whose nominal time `to_global` converts: its correction has knots at
// the ends of the traced interval (at least 1 s apart, rounded to nearest), so it stays within 1 ns
// of `to_global` there. A conversion that rounding makes non-monotone, possible only beyond int64
// or for absurd rates, leaves the nominal correction with quality kAbsent and a reason of its own.
// Cost: O(n log n) for n bends of the bounds.
ClockEstimate DescribeClock(const ClockInput& input, const Affine& to_global, TimeBounds bounds,
                            Quality quality, std::string reason = {});
// The same for any correction; drift_ppm is that of the chord over the traced interval, of a clock
// with epochs over the longest one, as is offset_ns; the ± is that over all. Requires: none in
// `later`, or as many as input.epochs has besides the first.
ClockEstimate DescribeClock(const ClockInput& input, Correction correction, TimeBounds bounds,
                            Quality quality, std::vector<ClockEpoch> later = {});
// What DescribeClock() does last: how far the estimate's bounds lie apart over the traced readings.
void MeasureBounds(const ClockInput& input, ClockEstimate& estimate);

}  // namespace syncline
