#include "estimate/drift_bounded/agreement.h"

#include <algorithm>
#include <map>
#include <utility>

namespace syncline::drift_bounded {
namespace {

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
  const RateLimits rate{static_cast<int64_t>(std::floor(relative(b.slow, a.fast))),
                        static_cast<int64_t>(std::ceil(relative(b.fast, a.slow)))};
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
    if (high < kOpen) high -= DriftOver(at - z, rate.fast);
    at = z;
    const int64_t delay = is_there ? there.least_delay : -back.least_delay;
    const int64_t own = graph.readings()[is_there ? link.send : link.receive] + delay - z;
    (is_there ? low : high) = is_there ? std::max(low, own) : std::min(high, own);
    if (low > high) return false;
  }
  return true;
}

}  // namespace

Contradiction FindContradiction(const Component& component, const TrackTable& tracks,
                                const std::vector<RateLimits>& limits, const Collection& messages) {
  const Solved solved = component.Solve({tracks, limits, {}}, messages, Stamps::kCoarse);
  const Graph& graph = *solved.graph;
  const std::vector<int32_t>& cycle = solved.cycle();
  Contradiction found;
  for (size_t k = 0; k < cycle.size(); ++k) {
    const int32_t node = cycle[k];
    found.clocks.push_back(tracks[graph.TrackOf(node)].clock);
    found.readings_ns.push_back(component.origin_ns(found.clocks.back()) +
                                graph.FloorNs(graph.readings()[node]));
    AddMessage(graph, node, cycle[(k + 1) % cycle.size()], found.messages);
  }
  return found;
}

std::vector<ClockPair> ContradictoryPairs(const Component& component, const TrackTable& tracks,
                                          const std::vector<RateLimits>& limits,
                                          const Collection& messages) {
  std::map<ClockPair, Collection> by_pair;
  for (const HalvedDirection& d : messages.directions) {
    const ClockId from = tracks[d.from].clock;
    const ClockId to = tracks[d.to].clock;
    if (from == to) continue;
    by_pair[{std::min(from, to), std::max(from, to)}].directions.push_back(d);
  }
  const Explanation tried{tracks, limits, {}};
  std::vector<ClockPair> contradictory;
  for (const auto& [clocks, collection] : by_pair) {
    if (!component.AgreeAlone(tried, collection, clocks.first, clocks.second)) {
      contradictory.push_back(clocks);
    }
  }
  return contradictory;
}

std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<const Graph::Links*, const Graph::Links*>>
      pairs;  // messages there and back
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
