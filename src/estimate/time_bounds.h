// The interval that is guaranteed to hold the global time of a clock's readings.
//
// Bounds of pairs are composed along the path to the root: U₂∘U₁ above, L₂∘L₁ below. Valid, not
// tight. Each step rounds outward to whole nanoseconds. Or they come from a tube (drift_bounded),
// which holds the global time directly, and tightly.
// A reading stands for an instant up to Clock::reading_ns later, which Upper allows for. Ticks that
// are finer than a nanosecond but no multiple of it are taken as rounded to one. Cost: O(steps ·
// log h) per query; steps share their curves. Tested by: src/estimate/groups/tree_error_test.cc.
#pragma once

#include <memory>
#include <optional>
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
  std::optional<GlobalTime> Lower(LocalTime t) const;
  std::optional<GlobalTime> Upper(LocalTime t) const;
  // The readings, to a tick, at which Lower or Upper bend; unsorted.
  std::vector<LocalTime> Bends() const;
  std::span<const Step> steps() const { return steps_; }

 private:
  bool is_open_ = true;
  Clock clock_;
  std::vector<Step> steps_;
  std::shared_ptr<const drift_bounded::Tube> tube_;  // instead of steps
};

}  // namespace syncline
