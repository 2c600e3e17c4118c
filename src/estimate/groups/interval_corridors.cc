#include "estimate/groups/interval_corridors.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

// How many intervals memory and the time for closing allow.
size_t AffordableIntervals(size_t clocks, size_t directions) {
  constexpr double kMostLimits = 1 << 24;
  constexpr double kMostSteps = 1e10;
  const auto n = static_cast<double>(clocks);
  const double by_directions = kMostLimits / std::max(static_cast<double>(directions), 1.0);
  const double affordable =
      std::min({by_directions, kMostLimits / (n * n), kMostSteps / (n * n * n)});
  return std::max<size_t>(static_cast<size_t>(affordable), 1);
}

class Gatherer {
 public:
  Gatherer(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
           const GroupEstimate& coarse, size_t most_intervals)
      : coarse_(coarse), components_(coarse.roots.size()), place_(clocks.size()) {
    for (size_t c = 0; c < coarse.roots.size(); ++c) AddClock(clocks, coarse.roots[c].index());
    for (size_t i = 0; i < clocks.size(); ++i) {
      if (coarse.roots[coarse.clocks[i].component].index() != i) AddClock(clocks, i);
    }
    for (const PairInput& pair : pairs) {
      if (ComponentOf(pair.a) != ComponentOf(pair.b)) continue;
      AddDirection(pair.a, pair.b, pair.estimate.min_delays.ab_ns);
      AddDirection(pair.b, pair.a, pair.estimate.min_delays.ba_ns);
    }
    size_t directions = 0;
    for (const ComponentMessages& component : components_) {
      directions += component.directions.size();
    }
    for (ComponentMessages& component : components_) {
      component.bounds = {
          GridOver(component, std::min(most_intervals,
                                       AffordableIntervals(component.clocks.size(), directions))),
          component.directions.size()};
    }
  }

  void Add(const RecordedMessage& message) {
    const auto found = directions_.find(KeyOf(message.from, message.to));
    if (found == directions_.end()) return;
    ComponentMessages& component = components_[ComponentOf(message.from)];
    const int64_t sent = CoarseTime(message.from, message.sent);
    const int64_t received = CoarseTime(message.to, message.received);
    const int64_t least = component.directions[found->second].min_delay_ns;
    const Int128 delay = static_cast<Int128>(received) - sent - least;
    component.bounds.Add(found->second, sent, received, Saturate(delay));
  }

  std::vector<ComponentMessages> Done() && { return std::move(components_); }

 private:
  size_t ComponentOf(ClockId clock) const { return coarse_.clocks[clock.index()].component; }
  int64_t CoarseTime(ClockId clock, LocalTime t) const {
    return coarse_.clocks[clock.index()].correction(t).ns;
  }
  static uint64_t KeyOf(ClockId from, ClockId to) { return uint64_t{from.value} << 32 | to.value; }

  void AddClock(std::span<const ClockInput> clocks, size_t i) {
    const ClockId id(static_cast<uint32_t>(i));
    const auto [first, last] =
        std::minmax({CoarseTime(id, clocks[i].first), CoarseTime(id, clocks[i].last)});
    std::vector<ComponentMessages::Member>& members = components_[ComponentOf(id)].clocks;
    place_[i] = members.size();
    members.push_back({i, first, last, clocks[i].clock.reading_ns});
  }

  void AddDirection(ClockId from, ClockId to, int64_t min_delay_ns) {
    auto& directions = components_[ComponentOf(from)].directions;
    if (directions_.emplace(KeyOf(from, to), directions.size()).second) {
      directions.push_back({place_[from.index()], place_[to.index()], min_delay_ns});
    }
  }

  static IntervalGrid GridOver(const ComponentMessages& component, size_t most) {
    int64_t first = component.clocks[0].first_ns;
    int64_t last = component.clocks[0].last_ns;
    for (const ComponentMessages::Member& member : component.clocks) {
      first = std::min(first, member.first_ns);
      last = std::max(last, member.last_ns);
    }
    return IntervalGrid::Over(first, last, most);
  }

  const GroupEstimate& coarse_;
  std::vector<ComponentMessages> components_;
  std::vector<size_t> place_;                        // by clock
  std::unordered_map<uint64_t, size_t> directions_;  // within their component
};

// Whether a receive may be later than it was stamped, by the length of its clock's tick.
enum class Readings { kIgnored, kAllowed };

// None where the messages of a place contradict each other.
std::optional<std::vector<OffsetClosure>> CloseAll(const ComponentMessages& component,
                                                   const IntervalBounds& bounds,
                                                   Readings readings) {
  std::vector<OffsetClosure> closed;
  closed.reserve(bounds.places());
  for (size_t j = 0; j < bounds.places(); ++j) {
    OffsetClosure closure(component.clocks.size());
    for (size_t d = 0; d < component.directions.size(); ++d) {
      const ComponentMessages::Direction& direction = component.directions[d];
      const int64_t reading =
          readings == Readings::kAllowed ? component.clocks[direction.to].reading_ns : 0;
      // What is sent must not be later than what is received: x(from) − x(to) ≤ delay.
      closure.Limit(direction.to, direction.from,
                    Saturate(static_cast<Int128>(bounds.Least(j, d)) + reading));
    }
    if (!closure.Close()) return std::nullopt;
    closed.push_back(std::move(closure));
  }
  return closed;
}

// Over `parts` intervals; none where they have no solution.
std::optional<Corridors> CorridorsIn(const ComponentMessages& component, CorridorPlaces places,
                                     size_t parts) {
  const bool has_readings = std::any_of(component.clocks.begin(), component.clocks.end(),
                                        [](const auto& member) { return member.reading_ns > 0; });
  Corridors corridors{.places = places, .bounds = component.bounds.InParts(parts)};
  corridors.grid = corridors.bounds.grid();
  const IntervalBounds at =
      places == CorridorPlaces::kBoundaries ? corridors.bounds.AtBoundaries() : corridors.bounds;
  auto closed = CloseAll(component, at, Readings::kIgnored);
  if (!closed && has_readings) {
    closed = CloseAll(component, at, Readings::kAllowed);
    corridors.allows_readings = true;
  }
  if (!closed) return std::nullopt;
  corridors.closed = std::move(*closed);
  return corridors;
}

}  // namespace

Result<std::vector<ComponentMessages>> GatherIntervals(std::span<const ClockInput> clocks,
                                                       std::span<const PairInput> pairs,
                                                       const GroupEstimate& coarse,
                                                       const MessagePass& messages,
                                                       size_t most_intervals) {
  Gatherer gatherer(clocks, pairs, coarse, most_intervals);
  auto done = messages([&](const RecordedMessage& message) { gatherer.Add(message); });
  if (!done) return tl::unexpected(done.error());
  return std::move(gatherer).Done();
}

int64_t Corridors::TimeOf(size_t j) const {
  const int64_t start = grid.Boundary(j);
  if (places == CorridorPlaces::kBoundaries) return start;
  return Saturate(static_cast<Int128>(start) + grid.length_ns / 2);
}

std::optional<Corridors> FindCorridors(const ComponentMessages& component, CorridorPlaces places,
                                       size_t first_intervals) {
  const size_t finest = component.bounds.grid().intervals;
  size_t parts = std::min(first_intervals, finest);
  size_t refused = 0;
  std::optional<Corridors> corridors = CorridorsIn(component, places, parts);
  while (!corridors && parts < finest) {
    ++refused;
    parts *= 2;
    corridors = CorridorsIn(component, places, parts);
  }
  if (!corridors) return std::nullopt;
  // Where the corridors have only just enough room, half of an interval's change leaves them more.
  if (refused > 0 && parts < finest) {
    if (auto finer = CorridorsIn(component, places, parts * 2)) corridors = std::move(finer);
  }
  corridors->refused = refused;
  return corridors;
}

size_t BestReference(const Corridors& corridors) {
  const size_t clocks = corridors.closed.empty() ? 0 : corridors.closed[0].clocks();
  size_t best = 0;
  std::pair<size_t, double> least;
  for (size_t r = 0; r < clocks; ++r) {
    std::pair<size_t, double> sum;  // unbounded ones, then half-widths
    for (const OffsetClosure& closed : corridors.closed) {
      for (size_t k = 0; k < clocks; ++k) {
        if (closed.IsBounded(r, k)) {
          sum.second += closed.HalfWidth(r, k);
        } else {
          ++sum.first;
        }
      }
    }
    if (r == 0 || sum < least) std::tie(best, least) = std::pair(r, sum);
  }
  return best;
}

}  // namespace syncline
