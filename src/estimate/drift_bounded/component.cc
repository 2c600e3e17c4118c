#include "estimate/drift_bounded/component.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/difference.h"
#include "base/int128.h"
#include "base/try.h"
#include "estimate/drift_bounded/across_epochs.h"
#include "estimate/point.h"

namespace syncline::drift_bounded {
namespace {

std::vector<Track> TracksOf(const Explanation& explanation, const Collection& messages,
                            ClockId root) {
  const TrackTable& table = explanation.tracks;
  std::vector<size_t> count(table.size(), 0);
  for (const KeptDirection& d : messages.directions) {
    count[d.from] += d.all.size();
    count[d.to] += d.all.size();
  }
  std::vector<Track> tracks;
  for (size_t t = 0; t < table.size(); ++t) {
    const bool is_next = t > 0 && table[t].clock == table[t - 1].clock;
    tracks.push_back({.rate = explanation.limits[table[t].clock.index()],
                      .previous = is_next ? static_cast<int32_t>(t) - 1 : -1});
  }
  const auto first = count.begin() + table.first(root.index());
  const auto end = count.begin() + table.end(root.index());
  tracks[static_cast<size_t>(std::max_element(first, end) - count.begin())].is_reference = true;
  return tracks;
}

// A message that leads from one node to the next.
void AddMessage(const Graph& graph, int32_t node, int32_t next, std::vector<Constraint>& messages) {
  for (const uint32_t i : graph.outgoing(graph.TrackOf(node))) {
    const Graph::Links& links = graph.links()[i];
    const auto link = std::ranges::lower_bound(links.links, node, {}, &Graph::Link::send);
    if (link == links.links.end() || link->send != node || link->receive != next) continue;
    if (links.messages.empty()) continue;
    messages.push_back(links.messages[static_cast<size_t>(link - links.links.begin())]);
  }
}

// The messages of two tracks, each way.
struct BothWays {
  const Graph::Links* there = nullptr;
  const Graph::Links* back = nullptr;
};
// By tracks; those with messages both ways.
std::map<std::pair<uint32_t, uint32_t>, BothWays> PairsOf(const Graph& graph) {
  std::map<std::pair<uint32_t, uint32_t>, BothWays> pairs;
  for (const Graph::Links& links : graph.links()) {
    if (links.is_order) continue;
    auto& [there, back] = pairs[std::minmax(links.from, links.to)];
    (links.from < links.to ? there : back) = &links;
  }
  std::erase_if(pairs, [](const auto& pair) {
    return pair.second.there == nullptr || pair.second.back == nullptr;
  });
  return pairs;
}

// Of a's readings per reading of b, less 1.
RateLimits Relative(RateLimits a, RateLimits b) {
  const auto relative = [](int64_t of_b, int64_t of_a) {
    const auto one = static_cast<double>(RateLimits::kOne);
    return static_cast<double>(of_b - of_a) / (1 + static_cast<double>(of_a) / one);
  };
  // Where the global time may stand still, a's readings have no limit.
  return {NearestInteger(std::floor(relative(b.slow, a.fast))),
          NearestInteger(std::ceil(relative(b.fast, a.slow)))};
}

// The narrowest that messages leave of a's reading as a function of b's, by limits of its rate:
// what earlier ones leave is carried along b's. It is also the least round trip, of some message
// there and one back, at the rates that suit them best. Negative: there is no such function.
struct RoundTrip {
  int64_t units = INT64_MAX / 2;  // beyond least delays
  int32_t of_a = 0, of_b = 0;     // nodes of the last of its messages
  // The middle of what is left, first and last, at b's readings: a's reading less b's.
  Point first, last;
  // Of a's readings per reading of b, less 1, in RateLimits' units.
  int64_t MeanRate() const {
    const double span = static_cast<double>(last.x) - static_cast<double>(first.x);
    if (span <= 0) return 0;
    const double change = static_cast<double>(last.y) - static_cast<double>(first.y);
    return NearestInteger(change / span * static_cast<double>(RateLimits::kOne));
  }
};
RoundTrip LeastRoundTrip(const Graph& graph, const BothWays& messages, RateLimits rate) {
  constexpr int64_t kOpen = INT64_MAX / 2;
  const auto& [there, back] = messages;
  int64_t low = -kOpen, high = kOpen, at = 0;  // of a's reading less b's
  RoundTrip least;
  auto to_b = there->links.begin();
  auto to_a = back->links.begin();
  while (to_b != there->links.end() || to_a != back->links.end()) {
    const bool is_there = to_a == back->links.end() ||
                          (to_b != there->links.end() &&
                           graph.readings()[to_b->receive] <= graph.readings()[to_a->send]);
    const Graph::Link& link = is_there ? *to_b++ : *to_a++;
    const int32_t of_a = is_there ? link.send : link.receive;
    const int32_t of_b = is_there ? link.receive : link.send;
    const int64_t z = graph.readings()[of_b];
    if (low > -kOpen) low += DriftOver(z - at, rate.slow);
    if (high < kOpen) {
      const Int128 most = high - ((static_cast<Int128>(at - z) * rate.fast) >> RateLimits::kBits);
      high = static_cast<int64_t>(std::min<Int128>(most, kOpen));
    }
    at = z;
    const int64_t delay = is_there ? there->least_delay : -back->least_delay;
    const int64_t own = graph.readings()[of_a] + delay - z;
    (is_there ? low : high) = is_there ? std::max(low, own) : std::min(high, own);
    if (low <= -kOpen || high >= kOpen) continue;
    least.last = {z, low + (high - low) / 2};
    if (least.units == kOpen) least.first = least.last;
    if (high - low >= least.units) continue;
    least.units = high - low;
    least.of_a = of_a;
    least.of_b = of_b;
  }
  return least;
}

}  // namespace

Component::Component(std::span<const ClockInput> clocks, ClockId root, MessagePass pass,
                     DelayMap delays, std::vector<bool> is_inside)
    : clocks_(clocks),
      root_(root),
      pass_(std::move(pass)),
      delays_(std::move(delays)),
      placement_{std::move(is_inside), pass_.first_readings_ns()} {
  placement_.origins.resize(clocks.size());
}

Result<void> Component::LookAcrossEpochs() {
  across_epochs_.emplace();
  std::vector<bool> was_set_back;
  for (size_t c = 0; c < clocks_.size(); ++c) {
    was_set_back.push_back(placement_.is_inside[c] && clocks_[c].epochs.size() > 1);
  }
  if (std::ranges::count(was_set_back, true) == 0) return {};
  AcrossEpochs across(std::move(was_set_back));
  SYNCLINE_TRY(pass_.Run(across));
  across_epochs_ = across.Messages(clocks_);
  return {};
}

Result<void> Component::Run(MessageWork& work) const {
  SYNCLINE_TRY(pass_.Run(work));
  for (const RecordedMessage& m : *across_epochs_) work.Add(m);
  return {};
}

Result<Collection> Component::CollectMessages(const Explanation& explanation) {
  if (!across_epochs_) SYNCLINE_TRY(LookAcrossEpochs());
  MessageCollector collector(explanation, placement_);
  SYNCLINE_TRY(Run(collector));
  return collector.Finish(delays_);
}

// Where tracks begin and end with the epochs of a clock that was set back.
void Component::AddEpochs(const TrackTable& table, std::vector<Track>& tracks) const {
  for (size_t t = 0; t < table.size(); ++t) {
    const TrackTable::Entry& of = table[t];
    const ClockInput& input = clocks_[of.clock.index()];
    if (of.epoch >= input.epochs.size()) continue;
    const auto since_origin = [&](LocalTime reading, int64_t later_ns) {
      int64_t since = 0;
      const bool is_far =
          __builtin_sub_overflow(input.clock.NominalNs(reading), origin_ns(of.clock), &since) ||
          __builtin_add_overflow(since, later_ns, &since);
      return is_far ? std::nullopt : std::optional(since);
    };
    const ReadingSpan& epoch = input.epochs[of.epoch];
    const bool is_last = !table.AreOfOneEpoch(t, t + 1);
    // The first reading was shown some time after what it is the beginning of.
    if (of.from_ns == INT64_MIN) {
      tracks[t].first_ns = since_origin(epoch.first, input.clock.reading_ns);
    }
    if (is_last) tracks[t].last_ns = since_origin(epoch.last, 0);
  }
}

Graph Component::GraphOf(const Explanation& explanation, const Collection& messages, Stamps stamps,
                         ClockId root) const {
  std::vector<Direction> directions;
  for (const KeptDirection& d : messages.directions) {
    const size_t to = explanation.tracks[d.to].clock.index();
    const int64_t late = stamps == Stamps::kExact
                             ? 0
                             : Fastest(clocks_[to].clock.reading_ns, explanation.limits[to]);
    directions.push_back({d.from, d.to, d.least_delay_ns - late, d.all});
  }
  std::vector<Track> tracks = TracksOf(explanation, messages, root);
  AddEpochs(explanation.tracks, tracks);
  return {std::move(tracks), directions, Graph::ShiftFor(directions)};
}

Solved Component::Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
                        ClockId root) const {
  Graph graph = GraphOf(explanation, messages, stamps, root);
  BothPaths paths = std::move(FindBothPaths({&graph, 1}).front());
  return {std::move(graph), std::move(paths)};
}

Contradiction FindContradiction(const Component& component, const Explanation& explanation,
                                const Solved& solved) {
  const Graph& graph = solved.graph;
  const std::vector<int32_t>& cycle = solved.paths.cycle();
  Contradiction found;
  for (size_t k = 0; k < cycle.size(); ++k) {
    const int32_t node = cycle[k];
    found.clocks.push_back(explanation.tracks[graph.TrackOf(node)].clock);
    found.readings_ns.push_back(component.origin_ns(found.clocks.back()) +
                                graph.FloorNs(graph.readings()[node]));
    AddMessage(graph, node, cycle[(k + 1) % cycle.size()], found.messages);
  }
  return found;
}

std::vector<ClockPair> ContradictoryPairs(const Component& component,
                                          const Explanation& explanation,
                                          const Collection& messages) {
  std::map<ClockPair, Collection> by_pair;
  for (const KeptDirection& d : messages.directions) {
    const ClockId from = explanation.tracks[d.from].clock;
    const ClockId to = explanation.tracks[d.to].clock;
    if (from != to) by_pair[std::minmax(from, to)].directions.push_back(d);
  }
  std::vector<ClockPair> contradictory;
  Explanation relative{explanation.tracks, {}, {}};
  for (const auto& [clocks, of_pair] : by_pair) {
    // Of one of them, as the other one sees it.
    const auto& [a, b] = clocks;
    relative.limits = explanation.limits;
    relative.limits[a.index()] = {};
    relative.limits[b.index()] =
        Relative(explanation.limits[a.index()], explanation.limits[b.index()])
            .And({-RateLimits::kOne, RateLimits::kOne});
    const Solved solved = component.Solve(relative, of_pair, Stamps::kCoarse, a);
    if (!solved.paths.cycle().empty()) contradictory.push_back(clocks);
  }
  return contradictory;
}

std::vector<Implausible> ImplausiblePairs(const Component& component,
                                          const Explanation& explanation, const Graph& graph,
                                          RateLimits slew) {
  constexpr double kShare = 2.0 / 3;  // of a round trip by S
  constexpr double kDense = 1.25;     // by how much 2 · S may make it longer
  constexpr double kFine = 0.1;       // ticks, as a share of it
  const RateLimits twice = RateLimits::Within(2 * slew.WidestPpm());
  std::vector<Implausible> found;
  for (const auto& [tracks, messages] : PairsOf(graph)) {
    const RateLimits a = graph.track(tracks.first).rate, b = graph.track(tracks.second).rate;
    const int64_t delays = messages.there->least_delay + messages.back->least_delay;
    const auto by = [&, &m = messages](RateLimits limits) {
      const RateLimits none;
      const RateLimits of_a = a == none ? none : limits, of_b = b == none ? none : limits;
      return static_cast<double>(LeastRoundTrip(graph, m, Relative(of_a, of_b)).units + delays);
    };
    const RateLimits rate = Relative(a, b);
    const RoundTrip least = LeastRoundTrip(graph, messages, rate);
    const double seen = by(slew);
    if (static_cast<double>(least.units + delays) >= kShare * seen) continue;
    if (by(twice) > kDense * seen) continue;
    const ClockId of_a = explanation.tracks[tracks.first].clock;
    const ClockId of_b = explanation.tracks[tracks.second].clock;
    const auto tick = [&](ClockId c) { return component.clocks()[c.index()].clock.reading_ns; };
    const int64_t tick_ns = std::max(tick(of_a), tick(of_b));
    if (static_cast<double>(graph.Units(tick_ns)) > kFine * seen) continue;
    // Of many messages some are lucky: a rate that hardly changes is no reason to doubt limits.
    const int64_t mean = least.MeanRate(), quarter = (rate.fast - rate.slow) / 8;
    if (LeastRoundTrip(graph, messages, {mean - quarter, mean + quarter}).units >= 0) continue;
    const auto reading = [&](ClockId c, int32_t node) {
      return component.origin_ns(c) + graph.FloorNs(graph.readings()[node]);
    };
    found.push_back({{of_a, of_b},
                     {reading(of_a, least.of_a), reading(of_b, least.of_b)},
                     graph.FloorNs(least.units + delays),
                     graph.FloorNs(static_cast<int64_t>(seen))});
  }
  return found;
}

std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph) {
  std::vector<std::pair<uint32_t, uint32_t>> contradictory;
  for (const auto& [tracks, messages] : PairsOf(graph)) {
    const auto& [t, u] = tracks;
    if (LeastRoundTrip(graph, messages, Relative(graph.track(t).rate, graph.track(u).rate)).units <
        0) {
      contradictory.push_back(tracks);
    }
  }
  return contradictory;
}

}  // namespace syncline::drift_bounded
