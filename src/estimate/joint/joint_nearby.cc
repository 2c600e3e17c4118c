#include "estimate/joint/joint_nearby.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace syncline {
namespace {

// The width of a pair's bounds in the middle of its hulls.
double WidthOf(const Bounds& bounds) {
  const auto middle = [](const BoundCurve& curve) {
    const int64_t first = curve.vertices().front().x;
    return first + (curve.vertices().back().x - first) / 2;
  };
  const int64_t upper = middle(*bounds.upper);
  const int64_t x = upper + (middle(*bounds.lower) - upper) / 2;
  return static_cast<double>(static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x));
}

Graph GraphOf(const JointProblem& problem) {
  std::vector<Edge> edges;
  for (const JointPair& pair : problem.pairs) {
    if (!pair.IsTwoWay()) continue;
    edges.push_back({pair.a, pair.b, {.weight = WidthOf(pair.estimate->bounds)}});
  }
  return {problem.clocks.size(), edges};
}

std::vector<double> DistancesTo(const Graph& graph, size_t from, size_t nodes) {
  std::vector<double> distances(nodes, std::numeric_limits<double>::infinity());
  for (const Graph::Reached& reached : graph.TreeFrom(from)) {
    distances[reached.node] = reached.cost.weight;
  }
  return distances;
}

}  // namespace

NearbyClocks::NearbyClocks(const JointProblem& problem, const JointPaths& paths)
    : problem_(problem),
      paths_(paths),
      graph_(GraphOf(problem)),
      to_root_(DistancesTo(graph_, 0, problem.clocks.size())) {}

// The root first, then the clock.
std::vector<size_t> NearbyClocks::Choose(size_t clock, size_t count) const {
  std::vector<size_t> chosen = {0, clock};
  const auto add = [&](size_t i) {
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  };
  for (size_t i = clock; i != 0; i = problem_.parents[i]) add(i);
  for (const size_t i : paths_.ClocksOn(clock)) add(i);
  const std::vector<double> to_clock = DistancesTo(graph_, clock, problem_.clocks.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < to_clock.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return to_root_[a] + to_clock[a] < to_root_[b] + to_clock[b];
  });
  for (const size_t i : order) {
    if (chosen.size() >= count) break;
    add(i);
  }
  return chosen;
}

JointProblem NearbyClocks::ProblemOf(size_t clock, size_t count) const {
  JointProblem nearby;
  nearby.prior = problem_.prior;
  std::vector<std::optional<size_t>> place(problem_.clocks.size());
  for (const size_t i : Choose(clock, count)) {
    place[i] = nearby.clocks.size();
    nearby.clocks.push_back(problem_.clocks[i]);
    nearby.anchors.push_back(problem_.anchors[i]);
    nearby.readings_ns.push_back(problem_.readings_ns[i]);
    if (!problem_.ends.empty()) nearby.ends.push_back(problem_.ends[i]);
  }
  for (const JointPair& pair : problem_.pairs) {
    if (!place[pair.a] || !place[pair.b]) continue;
    nearby.pairs.push_back({*place[pair.a], *place[pair.b], pair.estimate});
  }
  return nearby;
}

}  // namespace syncline
