#include "estimate/groups/piecewise.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "syncline/time.h"

#include "base/int128.h"

namespace syncline {
namespace {

// The report's proposal for the ratio of the longest to the shortest travel time.
constexpr int64_t kFactor = 2;
constexpr int64_t kNone = IntervalBounds::kNone;

// Of any pair's corridor in any interval; kNone where none has messages both ways.
int64_t SmallestWidth(const ComponentMessages& component, const IntervalBounds& bounds) {
  std::map<std::pair<size_t, size_t>, size_t> directions;  // by clocks
  for (size_t d = 0; d < component.directions.size(); ++d) {
    directions[{component.directions[d].from, component.directions[d].to}] = d;
  }
  int64_t smallest = kNone;
  for (const auto& [clocks, d] : directions) {
    const auto opposite = directions.find({clocks.second, clocks.first});
    if (opposite == directions.end()) continue;
    for (size_t i = 0; i < bounds.places(); ++i) {
      const int64_t there = bounds.Least(i, d);
      const int64_t back = bounds.Least(i, opposite->second);
      if (there >= kNone || back >= kNone) continue;
      smallest = std::min(smallest, std::max<int64_t>(SaturatedSum(there, back), 0));
    }
  }
  return smallest;
}

struct Nearest {
  std::optional<size_t> left, right;
};

// By boundary, the nearest ones that bound the pair: the same at the ends of the trace.
std::vector<Nearest> NearestBounded(const std::vector<OffsetClosure>& closed, size_t from,
                                    size_t to) {
  std::vector<Nearest> nearest(closed.size());
  std::optional<size_t> left, right;
  for (size_t j = 0, k = closed.size(); k-- > 0; ++j) {
    if (closed[j].IsBounded(from, to)) left = j;
    if (closed[k].IsBounded(from, to)) right = k;
    nearest[j].left = left;
    nearest[k].right = right;
  }
  for (Nearest& n : nearest) {
    if (!n.left) n.left = n.right;
    if (!n.right) n.right = n.left;
  }
  return nearest;
}

// Limits to supply at one boundary.
struct Supply {
  int64_t width = 0;
  size_t a = 0;
  size_t b = 0;
  int64_t upper_ab = 0;
  int64_t upper_ba = 0;
  friend auto operator<=>(const Supply&, const Supply&) = default;
};

// The upper limit at boundary `at`, between the nearest that know it; rounded down.
int64_t InterpolatedUpper(const std::vector<OffsetClosure>& known, const Nearest& nearest,
                          size_t at, size_t from, size_t to) {
  const int64_t begin = *known[*nearest.left].Upper(from, to);
  if (nearest.left == nearest.right) return begin;
  const Int128 change = Minus(*known[*nearest.right].Upper(from, to), begin);
  return Saturate(begin + FloorDiv(change * static_cast<int64_t>(at - *nearest.left),
                                   static_cast<int64_t>(*nearest.right - *nearest.left)));
}

}  // namespace

std::set<size_t> SupplyMissingDirections(const ComponentMessages& component, Corridors& corridors) {
  const int64_t width = SmallestWidth(component, corridors.bounds);
  std::set<size_t> touched;
  if (width >= kNone) return touched;
  const IntervalBounds at = corridors.bounds.AtBoundaries();
  for (size_t j = 0; j < corridors.closed.size(); ++j) {
    OffsetClosure& closed = corridors.closed[j];
    for (size_t d = 0; d < component.directions.size(); ++d) {
      const auto& [from, to, min_delay] = component.directions[d];
      const int64_t present = at.Least(j, d);
      if (present >= kNone || closed.Upper(from, to)) continue;
      const Int128 limit = static_cast<Int128>(width) * kFactor - present;
      closed.Supply(from, to, Saturate(limit));
      touched.insert(j);
    }
  }
  return touched;
}

std::set<size_t> InterpolateOpen(Corridors& corridors) {
  const std::vector<OffsetClosure> known = corridors.closed;
  const size_t clocks = known.empty() ? 0 : known[0].clocks();
  std::vector<std::vector<Supply>> supplies(known.size());
  for (size_t a = 0; a < clocks; ++a) {
    for (size_t b = a + 1; b < clocks; ++b) {
      const std::vector<Nearest> nearest = NearestBounded(known, a, b);
      for (size_t j = 0; j < known.size(); ++j) {
        if (!nearest[j].left || known[j].IsBounded(a, b)) continue;
        const int64_t there = InterpolatedUpper(known, nearest[j], j, a, b);
        const int64_t back = InterpolatedUpper(known, nearest[j], j, b, a);
        supplies[j].push_back({there + back, a, b, there, back});
      }
    }
  }
  std::set<size_t> touched;
  for (size_t j = 0; j < known.size(); ++j) {
    // What is known best comes first, and what follows from it is no longer open.
    std::ranges::sort(supplies[j]);
    for (const Supply& supply : supplies[j]) {
      OffsetClosure& closed = corridors.closed[j];
      closed.Supply(supply.a, supply.b, supply.upper_ab);
      closed.Supply(supply.b, supply.a, supply.upper_ba);
      touched.insert(j);
    }
  }
  return touched;
}

size_t SupplyMissing(const ComponentMessages& component, Corridors& corridors) {
  std::set<size_t> supplied = InterpolateOpen(corridors);
  const std::set<size_t> one_way = SupplyMissingDirections(component, corridors);
  supplied.insert(one_way.begin(), one_way.end());
  if (!one_way.empty()) supplied.merge(InterpolateOpen(corridors));
  return supplied.size();
}

ClockShift ThroughBoundaries(const ComponentMessages& component, const Corridors& corridors,
                             size_t place) {
  const auto [first_ns, last_ns] = TraceEnds(component.clocks[place]);
  ClockShift shift;
  for (size_t j = 0; j < corridors.closed.size(); ++j) {
    if (!corridors.closed[j].IsBounded(0, place)) continue;
    const ClockShift::Node node{corridors.TimeOf(j), corridors.closed[j].Middle(0, place)};
    // Only the last boundary before the trace and the first one behind it count.
    if (!shift.nodes.empty() && shift.nodes.back().at_ns >= last_ns) break;
    if (node.at_ns <= first_ns) shift.nodes.clear();
    shift.nodes.push_back(node);
  }
  if (shift.nodes.size() == 1) {
    const int64_t value = shift.nodes[0].shift_ns;
    shift.nodes = {{first_ns, value}, {last_ns, value}};
  }
  return shift;
}

}  // namespace syncline
