#include "estimate/drift_bounded/component.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/difference.h"
#include "base/int128.h"
#include "base/try.h"

namespace syncline::drift_bounded {
namespace {

std::vector<Track> TracksOf(const Explanation& explanation, const Collection& messages,
                            ClockId root) {
  const TrackTable& table = explanation.tracks;
  std::vector<size_t> count(table.size(), 0);
  for (const HalvedDirection& d : messages.directions) {
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
    const auto link = std::lower_bound(links.links.begin(), links.links.end(), node,
                                       [](const Graph::Link& l, int32_t n) { return l.send < n; });
    if (link == links.links.end() || link->send != node || link->receive != next) continue;
    if (links.messages.empty()) continue;
    messages.push_back(links.messages[static_cast<size_t>(link - links.links.begin())]);
  }
}

// Whether a's readings can be a function of b's within the limits: what earlier messages leave
// for a's reading is carried along b's.
bool Agree(const Graph& graph, const Graph::Links& there, const Graph::Links& back) {
  const auto relative = [](int64_t b, int64_t a) {
    const auto one = static_cast<double>(RateLimits::kOne);
    return static_cast<double>(b - a) / (1 + static_cast<double>(a) / one);
  };
  const RateLimits a = graph.track(there.from).rate;
  const RateLimits b = graph.track(there.to).rate;
  // Where the global time may stand still, a's readings have no limit.
  const RateLimits rate{NearestInteger(std::floor(relative(b.slow, a.fast))),
                        NearestInteger(std::ceil(relative(b.fast, a.slow)))};
  constexpr int64_t kOpen = INT64_MAX / 2;
  int64_t low = -kOpen, high = kOpen, at = 0;  // of a's reading less b's
  auto to_b = there.links.begin();
  auto to_a = back.links.begin();
  while (to_b != there.links.end() || to_a != back.links.end()) {
    const bool is_there = to_a == back.links.end() ||
                          (to_b != there.links.end() &&
                           graph.readings()[to_b->receive] <= graph.readings()[to_a->send]);
    const Graph::Link& link = is_there ? *to_b++ : *to_a++;
    const int64_t z = graph.readings()[is_there ? link.receive : link.send];
    if (low > -kOpen) low += DriftOver(z - at, rate.slow);
    const Int128 most = high - ((static_cast<Int128>(at - z) * rate.fast) >> RateLimits::kBits);
    high = static_cast<int64_t>(std::min<Int128>(most, kOpen));
    at = z;
    const int64_t delay = is_there ? there.least_delay : -back.least_delay;
    const int64_t own = graph.readings()[is_there ? link.send : link.receive] + delay - z;
    (is_there ? low : high) = is_there ? std::max(low, own) : std::min(high, own);
    if (low > high) return false;
  }
  return true;
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

Result<Collection> Component::CollectMessages(const Explanation& explanation) {
  MessageCollector collector(explanation, placement_);
  SYNCLINE_TRY(pass_.Run(collector));
  return collector.Finish(delays_);
}

Solved Component::Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
                        ClockId root) const {
  std::vector<Direction> directions;
  for (const HalvedDirection& d : messages.directions) {
    const size_t to = explanation.tracks[d.to].clock.index();
    const int64_t late = stamps == Stamps::kExact
                             ? 0
                             : Fastest(clocks_[to].clock.reading_ns, explanation.limits[to]);
    directions.push_back({d.from, d.to, d.least_delay_ns - late, d.all});
  }
  Graph graph(TracksOf(explanation, messages, root), directions, Graph::ShiftFor(directions));
  BothPaths paths = std::move(FindBothPaths({&graph, 1}).front());
  return {std::move(graph), std::move(paths)};
}

Contradiction FindContradiction(const Component& component, const Explanation& explanation,
                                const Collection& messages) {
  const Solved solved = component.Solve(explanation, messages, Stamps::kCoarse);
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
  for (const HalvedDirection& d : messages.directions) {
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
    relative.limits[b.index()] = RateLimits::Within(
        1e6 * RelativeRate(explanation.limits[a.index()], explanation.limits[b.index()]));
    const Solved solved = component.Solve(relative, of_pair, Stamps::kCoarse, a);
    if (!solved.paths.cycle().empty()) contradictory.push_back(clocks);
  }
  return contradictory;
}

std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph) {
  // Messages there and back.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<const Graph::Links*, const Graph::Links*>>
      pairs;
  for (const Graph::Links& links : graph.links()) {
    if (links.is_order) continue;
    auto& [there, back] = pairs[std::minmax(links.from, links.to)];
    (links.from < links.to ? there : back) = &links;
  }
  std::vector<std::pair<uint32_t, uint32_t>> contradictory;
  for (const auto& [tracks, ways] : pairs) {
    if (ways.first == nullptr || ways.second == nullptr) continue;
    if (!Agree(graph, *ways.first, *ways.second)) contradictory.push_back(tracks);
  }
  return contradictory;
}

}  // namespace syncline::drift_bounded
