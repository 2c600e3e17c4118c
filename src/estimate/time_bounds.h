// The interval that is guaranteed to hold the global time of a clock's readings.
//
// Bounds of pairs are composed along the path to the root: U₂∘U₁ above, L₂∘L₁ below. Valid, not
// tight. Each step rounds outward to whole nanoseconds. Or they come from a tube (drift_bounded),
// which holds the global time directly, and tightly.
// A reading stands for an instant up to Clock::reading_ns later, which Upper allows for. Ticks that
// are finer than a nanosecond but no multiple of it are taken as rounded to one. Cost: O(steps ·
// log h) per query; steps share their curves. Tested by: src/estimate/groups/tree_error_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/time.h"

#include "estimate/hulls/bound_curve.h"

namespace syncline {
namespace drift_bounded {
class Tube;
}

class TimeBounds {
 public:
  using Step = std::shared_ptr<const Bounds>;

  // Nothing is known.
  TimeBounds() = default;
  // From `clock`'s nominal time through every step in turn. Without steps the nominal time itself
  // is the global time, exactly.
  TimeBounds(Clock clock, std::vector<Step> steps)
      : is_open_(false), clock_(std::move(clock)), steps_(std::move(steps)) {}

  TimeBounds(Clock clock, std::shared_ptr<const drift_bounded::Tube> tube)
      : is_open_(false), clock_(std::move(clock)), tube_(std::move(tube)) {}

  // None where nothing bounds that side, or where the bound lies beyond int64.
  // `near`: where the query before found it, for a reading shortly behind its own.
  std::optional<GlobalTime> Lower(LocalTime t, size_t* near = nullptr) const;
  std::optional<GlobalTime> Upper(LocalTime t, size_t* near = nullptr) const;
  struct Interval {
    std::optional<GlobalTime> lower, upper;
  };
  // Both at readings that increase, which costs less than one after the other. `intervals`: as
  // many.
  void At(std::span<const LocalTime> increasing, std::span<Interval> intervals) const;
  // The readings, to a tick, at which Lower or Upper bend, and those of `also`; increasing, each
  // once, some at a time, since there may be many.
  void VisitBends(std::vector<LocalTime> also,
                  const std::function<void(std::span<const LocalTime>)>& visit) const;

 private:
  bool is_open_ = true;
  Clock clock_;
  std::vector<Step> steps_;
  std::shared_ptr<const drift_bounded::Tube> tube_;  // instead of steps
};

}  // namespace syncline
