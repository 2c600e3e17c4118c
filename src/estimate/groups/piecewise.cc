#include "estimate/groups/piecewise.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/int128.h"

namespace syncline {
namespace {

// The report's proposal for the ratio of the longest to the shortest travel time.
constexpr int64_t kFactor = 2;
constexpr int64_t kNone = IntervalBounds::kNone;

// By direction, the one back between the same clocks; none where the pair was not seen.
std::vector<std::optional<size_t>> Opposites(const ComponentMessages& component) {
  std::map<std::pair<size_t, size_t>, size_t> by_clocks;
  for (size_t d = 0; d < component.directions.size(); ++d) {
    by_clocks[{component.directions[d].from, component.directions[d].to}] = d;
  }
  std::vector<std::optional<size_t>> opposites;
  for (const ComponentMessages::Direction& direction : component.directions) {
    const auto found = by_clocks.find({direction.to, direction.from});
    opposites.push_back(found == by_clocks.end() ? std::nullopt : std::optional(found->second));
  }
  return opposites;
}

// Of any pair's corridor in any interval; kNone where none has messages both ways.
int64_t SmallestWidth(const IntervalBounds& bounds,
                      const std::vector<std::optional<size_t>>& opposites) {
  int64_t smallest = kNone;
  for (size_t d = 0; d < opposites.size(); ++d) {
    if (!opposites[d]) continue;
    for (size_t i = 0; i < bounds.places(); ++i) {
      const int64_t there = bounds.Least(i, d);
      const int64_t back = bounds.Least(i, *opposites[d]);
      if (there >= kNone || back >= kNone) continue;
      const Int128 width = static_cast<Int128>(there) + back;
      smallest = std::min(smallest, Saturate(std::max<Int128>(width, 0)));
    }
  }
  return smallest;
}

// A pair whose limits are known at boundaries `left` and `right` (the same at the ends of the
// trace) and not at `at` between them.
class Interpolation {
 public:
  Interpolation(const std::vector<OffsetClosure>& known, size_t at, size_t left, size_t right)
      : left_(known[left]),
        right_(known[right]),
        step_(static_cast<int64_t>(at) - static_cast<int64_t>(left)),
        steps_(static_cast<int64_t>(right) - static_cast<int64_t>(left)) {}

  // Rounded down.
  int64_t Upper(size_t from, size_t to) const {
    const int64_t begin = *left_.Upper(from, to);
    if (steps_ == 0) return begin;
    const Int128 change = static_cast<Int128>(*right_.Upper(from, to)) - begin;
    return Saturate(begin + FloorDiv(change * step_, steps_));
  }

 private:
  const OffsetClosure& left_;
  const OffsetClosure& right_;
  int64_t step_;
  int64_t steps_;
};

struct Nearest {
  std::optional<size_t> left, right;
};

// By boundary, the nearest ones that bound the pair.
std::vector<Nearest> NearestBounded(const std::vector<OffsetClosure>& closed, size_t from,
                                    size_t to) {
  std::vector<Nearest> nearest(closed.size());
  std::optional<size_t> last;
  for (size_t j = 0; j < closed.size(); ++j) {
    if (closed[j].IsBounded(from, to)) last = j;
    nearest[j].left = last;
  }
  last.reset();
  for (size_t j = closed.size(); j-- > 0;) {
    if (closed[j].IsBounded(from, to)) last = j;
    nearest[j].right = last;
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

class PiecewiseMethod : public IntervalMethod {
 public:
  CorridorPlaces Places() const override { return CorridorPlaces::kBoundaries; }

  size_t Complete(const ComponentMessages& component, Corridors& corridors) const override {
    std::set<size_t> supplied = InterpolateOpen(corridors);
    const std::set<size_t> one_way = SupplyMissingDirections(component, corridors);
    supplied.insert(one_way.begin(), one_way.end());
    if (!one_way.empty()) supplied.merge(InterpolateOpen(corridors));
    return supplied.size();
  }

  ClockShift ShiftOf(const ComponentMessages& component, const Corridors& corridors,
                     size_t place) const override {
    const TraceEnds ends = EndsOf(component.clocks[place]);
    ClockShift shift;
    for (size_t j = 0; j < corridors.closed.size(); ++j) {
      if (!corridors.closed[j].IsBounded(0, place)) continue;
      const ClockShift::Node node{corridors.TimeOf(j), corridors.closed[j].Middle(0, place)};
      // Only the last boundary before the trace and the first one behind it count.
      if (!shift.nodes.empty() && shift.nodes.back().at_ns >= ends.last_ns) break;
      if (node.at_ns <= ends.first_ns) shift.nodes.clear();
      shift.nodes.push_back(node);
    }
    if (shift.nodes.size() == 1) {
      const int64_t value = shift.nodes[0].shift_ns;
      shift.nodes = {{ends.first_ns, value}, {ends.last_ns, value}};
    }
    return shift;
  }
};

}  // namespace

std::set<size_t> SupplyMissingDirections(const ComponentMessages& component, Corridors& corridors) {
  const int64_t width = SmallestWidth(corridors.bounds, Opposites(component));
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
        const Interpolation between(known, j, *nearest[j].left, *nearest[j].right);
        const int64_t there = between.Upper(a, b);
        const int64_t back = between.Upper(b, a);
        supplies[j].push_back({there + back, a, b, there, back});
      }
    }
  }
  std::set<size_t> touched;
  for (size_t j = 0; j < known.size(); ++j) {
    // What is known best comes first, and what follows from it is no longer open.
    std::sort(supplies[j].begin(), supplies[j].end());
    for (const Supply& supply : supplies[j]) {
      OffsetClosure& closed = corridors.closed[j];
      closed.Supply(supply.a, supply.b, supply.upper_ab);
      closed.Supply(supply.b, supply.a, supply.upper_ba);
      touched.insert(j);
    }
  }
  return touched;
}

Result<IntervalEstimate> EstimatePiecewise(std::span<const ClockInput> clocks,
                                           std::span<const PairInput> pairs,
                                           const MessagePass& messages,
                                           const IntervalOptions& options) {
  return EstimateByIntervals(clocks, pairs, messages, options, PiecewiseMethod());
}

}  // namespace syncline
