#include "pipeline/summary/reading_bounds.h"

#include "syncline/time.h"

#include "base/int128.h"

namespace syncline {

std::vector<Summary::Clock::Bounds> BoundsAt(size_t count, std::span<const ReadingSpan> epochs,
                                             const ClockEstimate& estimate) {
  std::vector<Summary::Clock::Bounds> bounds;
  const auto length_of = [](const ReadingSpan& span) {
    return static_cast<Int128>(span.last.ticks) - span.first.ticks;
  };
  Int128 length = 0;
  for (const ReadingSpan& span : epochs) length += length_of(span);
  uint32_t epoch = 0;
  Int128 before = 0;  // the length of epochs before this one
  for (size_t i = 0; i < count; ++i) {
    const Int128 part =
        count > 1 ? length * static_cast<int64_t>(i) / static_cast<int64_t>(count - 1) : 0;
    while (epoch + 1 < epochs.size() && part > before + length_of(epochs[epoch])) {
      before += length_of(epochs[epoch++]);
    }
    const LocalTime t{static_cast<int64_t>(epochs[epoch].first.ticks + (part - before))};
    Summary::Clock::Bounds at{.local = t.ticks, .epoch = epoch};
    const TimeBounds& of_epoch = BoundsOf(estimate, epoch);
    if (const auto lower = of_epoch.Lower(t)) at.lower_ns = lower->ns;
    if (const auto upper = of_epoch.Upper(t)) at.upper_ns = upper->ns;
    bounds.push_back(at);
  }
  return bounds;
}

}  // namespace syncline
