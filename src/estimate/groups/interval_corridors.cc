#include "estimate/groups/interval_corridors.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "syncline/time.h"

#include "base/check.h"
#include "base/int128.h"
#include "base/try.h"

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

// Brings messages to the coarse time line, and each to its component.
class Gatherer {
 public:
  Gatherer(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
           const GroupEstimate& coarse, size_t most_intervals)
      : coarse_(coarse), components_(coarse.roots.size()), place_(clocks.size()) {
    for (const ClockId root : coarse.roots) AddClock(root, clocks[root.index()]);
    for (uint32_t i = 0; i < clocks.size(); ++i) {
      if (coarse.roots[ComponentOf(ClockId(i))] != ClockId(i)) AddClock(ClockId(i), clocks[i]);
    }
    for (const PairInput& pair : pairs) {
      if (ComponentOf(pair.a) != ComponentOf(pair.b)) continue;
      AddDirection(pair.a, pair.b, pair.estimate.min_delays.ab_ns);
      AddDirection(pair.b, pair.a, pair.estimate.min_delays.ba_ns);
    }
    for (ComponentMessages& c : components_) {
      const size_t most = AffordableIntervals(c.clocks.size(), directions_.size());
      c.bounds = {GridOver(c, std::min(most_intervals, most)), c.directions.size()};
    }
  }

  void Add(const RecordedMessage& message) {
    const auto found = directions_.find(KeyOf(message.from, message.to));
    if (found == directions_.end()) return;
    ComponentMessages& component = components_[ComponentOf(message.from)];
    const int64_t sent = CoarseTime(message.from, message.sent);
    const int64_t received = CoarseTime(message.to, message.received);
    const int64_t least = component.directions[found->second].min_delay_ns;
    component.bounds.Add(found->second, sent, received, Saturate(Minus(received, sent) - least));
  }

  std::vector<ComponentMessages> Done() && { return std::move(components_); }

 private:
  size_t ComponentOf(ClockId clock) const { return coarse_.clocks[clock.index()].component; }
  int64_t CoarseTime(ClockId clock, LocalTime t) const {
    return coarse_.clocks[clock.index()].correction(t).ns;
  }
  static uint64_t KeyOf(ClockId from, ClockId to) { return uint64_t{from.value} << 32 | to.value; }

  void AddClock(ClockId id, const ClockInput& input) {
    const auto [first, last] =
        std::minmax({CoarseTime(id, input.first), CoarseTime(id, input.last)});
    std::vector<ComponentMessages::Member>& members = components_[ComponentOf(id)].clocks;
    place_[id.index()] = members.size();
    members.push_back({id.index(), first, last, input.clock.reading_ns});
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
      closure.Limit(direction.to, direction.from, SaturatedSum(bounds.Least(j, d), reading));
    }
    if (!closure.Close()) return std::nullopt;
    closed.push_back(std::move(closure));
  }
  return closed;
}

// Over `parts` intervals; none where they have no solution.
std::optional<Corridors> CorridorsIn(const ComponentMessages& component, IntervalMethod method,
                                     size_t parts) {
  const bool has_readings = std::ranges::any_of(
      component.clocks, [](const auto& member) { return member.reading_ns > 0; });
  Corridors corridors{.method = method, .bounds = component.bounds.InParts(parts)};
  corridors.grid = corridors.bounds.grid();
  const IntervalBounds at =
      method == IntervalMethod::kPiecewise ? corridors.bounds.AtBoundaries() : corridors.bounds;
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

std::pair<int64_t, int64_t> TraceEnds(const ComponentMessages::Member& member) {
  constexpr int64_t kSecond = 1'000'000'000;
  if (Minus(member.last_ns, member.first_ns) >= kSecond) return {member.first_ns, member.last_ns};
  const int64_t last_ns = SaturatedSum(member.first_ns, kSecond);
  return {SaturatedSum(last_ns, -kSecond), last_ns};
}

Result<std::vector<ComponentMessages>> GatherIntervals(std::span<const ClockInput> clocks,
                                                       std::span<const PairInput> pairs,
                                                       const GroupEstimate& coarse,
                                                       const MessagePass& messages,
                                                       size_t most_intervals) {
  Gatherer gatherer(clocks, pairs, coarse, most_intervals);
  SYNCLINE_TRY(messages([&](const RecordedMessage& message) { gatherer.Add(message); }));
  return std::move(gatherer).Done();
}

int64_t Corridors::TimeOf(size_t j) const {
  return SaturatedSum(grid.Boundary(j),
                      method == IntervalMethod::kPiecewise ? 0 : grid.length_ns / 2);
}

std::optional<Corridors> FindCorridors(const ComponentMessages& component, IntervalMethod method,
                                       size_t first_intervals) {
  const size_t finest = component.bounds.grid().intervals;
  size_t parts = std::min(first_intervals, finest);
  size_t refused = 0;
  std::optional<Corridors> corridors = CorridorsIn(component, method, parts);
  for (; !corridors && parts < finest; ++refused) {
    parts *= 2;
    corridors = CorridorsIn(component, method, parts);
  }
  if (!corridors) return std::nullopt;
  // Where the corridors are only just wide enough, half of an interval's change leaves them more.
  if (refused > 0 && parts < finest) {
    if (auto finer = CorridorsIn(component, method, parts * 2)) corridors = std::move(finer);
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
        const bool is_bounded = closed.IsBounded(r, k);
        sum.first += is_bounded ? 0 : 1;
        sum.second += is_bounded ? closed.HalfWidth(r, k) : 0;
      }
    }
    if (r == 0 || sum < least) std::tie(best, least) = std::pair(r, sum);
  }
  return best;
}

}  // namespace syncline
