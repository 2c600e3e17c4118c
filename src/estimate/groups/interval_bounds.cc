#include "estimate/groups/interval_bounds.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/int128.h"

namespace syncline {

IntervalGrid IntervalGrid::Over(int64_t first_ns, int64_t last_ns, size_t most) {
  constexpr Int128 kShortest = 1000;
  const Int128 span = static_cast<Int128>(last_ns) - first_ns + 1;
  IntervalGrid grid{.first_ns = first_ns};
  while (grid.intervals * 2 <= most &&
         span >= kShortest * 2 * static_cast<int64_t>(grid.intervals)) {
    grid.intervals *= 2;
  }
  grid.length_ns = Saturate(CeilDiv(span, static_cast<int64_t>(grid.intervals)));
  return grid;
}

size_t IntervalGrid::IntervalOf(int64_t t) const {
  const Int128 interval = FloorDiv(static_cast<Int128>(t) - first_ns, length_ns);
  return static_cast<size_t>(std::clamp(interval, Int128{0}, static_cast<Int128>(intervals) - 1));
}

int64_t IntervalGrid::Boundary(size_t j) const {
  return Saturate(first_ns + static_cast<Int128>(length_ns) * static_cast<int64_t>(j));
}

IntervalGrid IntervalGrid::InParts(size_t parts) const {
  SYNCLINE_CHECK(parts > 0 && intervals % parts == 0);
  const Int128 length = static_cast<Int128>(length_ns) * static_cast<int64_t>(intervals / parts);
  return {first_ns, Saturate(length), parts};
}

void IntervalBounds::Lower(size_t place, size_t direction, int64_t delay_ns) {
  int64_t& least = least_[place * directions_ + direction];
  least = std::min(least, delay_ns);
}

void IntervalBounds::Add(size_t direction, int64_t sent_ns, int64_t received_ns, int64_t delay_ns) {
  const auto [begin, end] = std::minmax(sent_ns, received_ns);
  const size_t last = grid_.IntervalOf(end);
  for (size_t i = grid_.IntervalOf(begin); i <= last; ++i) Lower(i, direction, delay_ns);
}

IntervalBounds IntervalBounds::InParts(size_t parts) const {
  IntervalBounds coarse(grid_.InParts(parts), directions_);
  const size_t ratio = grid_.intervals / parts;
  for (size_t i = 0; i < grid_.intervals; ++i) {
    for (size_t d = 0; d < directions_; ++d) coarse.Lower(i / ratio, d, Least(i, d));
  }
  return coarse;
}

IntervalBounds IntervalBounds::AtBoundaries() const {
  IntervalBounds boundaries(grid_, directions_);
  boundaries.least_.resize((grid_.intervals + 1) * directions_, kNone);
  for (size_t i = 0; i < grid_.intervals; ++i) {
    for (size_t d = 0; d < directions_; ++d) {
      boundaries.Lower(i, d, Least(i, d));
      boundaries.Lower(i + 1, d, Least(i, d));
    }
  }
  return boundaries;
}

}  // namespace syncline
