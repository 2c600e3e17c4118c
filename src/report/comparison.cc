#include "report/comparison.h"

#include <algorithm>

#include "base/int128.h"

namespace syncline {

Summary::Bound Comparison::Method::Bound() const {
  Summary::Bound bound;
  Int128 sum = 0;
  int64_t count = 0;
  for (const Clock& clock : clocks) {
    if (clock.IsReference() || !clock.bound.worst_ns) continue;
    bound.best_ns = std::min(bound.best_ns.value_or(*clock.bound.best_ns), *clock.bound.best_ns);
    bound.worst_ns =
        std::max(bound.worst_ns.value_or(*clock.bound.worst_ns), *clock.bound.worst_ns);
    sum += *clock.bound.mean_ns;
    ++count;
  }
  if (count > 0) bound.mean_ns = static_cast<int64_t>((sum + count / 2) / count);
  return bound;
}

uint64_t Comparison::Method::AccurateClocks() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      clocks, [](const Clock& c) { return !c.IsReference() && c.quality == "accurate"; }));
}

uint64_t Comparison::Method::CorrectedClocks() const {
  return static_cast<uint64_t>(
      std::ranges::count_if(clocks, [](const Clock& c) { return !c.IsReference(); }));
}

}  // namespace syncline
