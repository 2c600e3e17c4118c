#include "record/mpi/clock_line.h"

#include <algorithm>
#include <cmath>

#include "record/mpi/clock_source.h"

namespace syncline::mpi {

std::pair<OffsetPoint, OffsetPoint> ClockLine(std::span<const OffsetPoint> points,
                                              uint64_t ticks_per_second) {
  if (points.empty()) return {{0, 0, 0}, {ticks_per_second, 0, 0}};
  const OffsetPoint first = points.front();
  const OffsetPoint last = points.back();
  const uint64_t span = last.ticks > first.ticks ? last.ticks - first.ticks : 0;
  const double rate_error =
      static_cast<double>(first.uncertainty) + static_cast<double>(last.uncertainty);
  if (span > 0 && rate_error <= kMostRateError * static_cast<double>(span)) return {first, last};
  const OffsetPoint best = *std::ranges::min_element(points, {}, &OffsetPoint::uncertainty);
  return {best,
          {best.ticks + std::max(ticks_per_second, uint64_t{1}), best.added, best.uncertainty}};
}

uint64_t TicksPerSecond(std::span<const TimePoint> times, bool is_counter) {
  if (!is_counter || times.size() < 2) return kNanosecondsPerSecond;
  const auto ticks = static_cast<double>(times.back().ticks - times.front().ticks);
  const auto ns = static_cast<double>(times.back().steady_ns - times.front().steady_ns);
  const double per_second = ticks / ns * static_cast<double>(kNanosecondsPerSecond);
  constexpr double kMost = 1e12;
  if (!(per_second >= 1 && per_second < kMost)) return kNanosecondsPerSecond;
  return static_cast<uint64_t>(std::llround(per_second));
}

}  // namespace syncline::mpi
