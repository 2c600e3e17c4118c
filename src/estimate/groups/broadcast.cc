#include "estimate/groups/broadcast.h"

#include <algorithm>
#include <utility>

#include "estimate/groups/broadcast_programme.h"
#include "estimate/groups/shortest_paths.h"
#include "estimate/groups/tree_error.h"
#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

// Broadcasts that two clocks or more received, each clock's first reception.
std::vector<Receptions> ComparableOf(std::span<const TimedBroadcast> broadcasts,
                                     std::span<const ClockInput> clocks) {
  std::vector<Receptions> comparable;
  for (const TimedBroadcast& broadcast : broadcasts) {
    Receptions receptions;
    for (const TimedReception& r : broadcast) {
      receptions.push_back({r.clock.index(), clocks[r.clock.index()].clock.NominalNs(r.time)});
    }
    std::sort(receptions.begin(), receptions.end(), [](const Reception& a, const Reception& b) {
      return std::pair(a.clock, a.nominal_ns) < std::pair(b.clock, b.nominal_ns);
    });
    receptions.erase(
        std::unique(receptions.begin(), receptions.end(),
                    [](const Reception& a, const Reception& b) { return a.clock == b.clock; }),
        receptions.end());
    if (receptions.size() > 1) comparable.push_back(std::move(receptions));
  }
  return comparable;
}

// A conversion between two clocks, from a broadcast's fit or from messages.
struct Link {
  size_t a = 0;
  size_t b = 0;
  Line line;  // a → b
  PathCost cost;
};

class BroadcastEstimator {
 public:
  BroadcastEstimator(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                     const BroadcastOptions& options)
      : clocks_(clocks), pairs_(pairs), options_(options), fitted_(clocks.size()) {}

  BroadcastEstimate Run(const std::vector<Receptions>& broadcasts) {
    FitClusters(broadcasts);
    LinkByMessages();
    std::vector<Edge> edges;
    for (const Link& link : links_) edges.push_back({link.a, link.b, link.cost});
    const Graph graph(clocks_.size(), edges);
    std::optional<size_t> reference;
    if (options_.reference) reference = options_.reference->index();
    const std::vector<size_t> roots = ChooseRoots(graph, clocks_.size(), reference);
    BroadcastEstimate estimate{.findings = std::move(findings_)};
    estimate.group.clocks.resize(clocks_.size());
    for (size_t c = 0; c < roots.size(); ++c) Describe(graph, roots[c], c, estimate.group);
    return estimate;
  }

 private:
  void FitClusters(const std::vector<Receptions>& broadcasts) {
    std::vector<bool> is_open(clocks_.size(), true);  // not yet in a cluster
    while (const std::optional<size_t> root = NextRoot(broadcasts, is_open)) {
      const auto fit = FitBroadcasts(broadcasts, clocks_.size(),
                                     {.root = *root, .prior = PriorRange(options_.max_drift_ppm)});
      BroadcastFinding& finding = findings_.emplace_back();
      for (const size_t i : ClusterOf(broadcasts, *root)) {
        finding.clocks.emplace_back(static_cast<uint32_t>(i));
        is_open[i] = false;
        if (!fit) continue;
        fitted_[i] = findings_.size();
        if (i != *root) links_.push_back({i, *root, *fit->lines[i], {}});
      }
      finding.is_solved = fit.has_value();
      if (!fit) continue;
      finding.broadcasts = fit->related;
      finding.used = fit->used;
      finding.mean_delay_ns = fit->mean_delay_ns;
    }
  }

  // The open clock with the most receptions, or the reference; none when no broadcasts are left.
  std::optional<size_t> NextRoot(const std::vector<Receptions>& broadcasts,
                                 const std::vector<bool>& is_open) const {
    std::vector<size_t> count(clocks_.size());
    for (const Receptions& broadcast : broadcasts) {
      for (const Reception& r : broadcast) count[r.clock] += is_open[r.clock] ? 1 : 0;
    }
    if (options_.reference && count[options_.reference->index()] > 0) {
      return options_.reference->index();
    }
    const auto most = std::max_element(count.begin(), count.end());
    if (most == count.end() || *most == 0) return std::nullopt;
    return static_cast<size_t>(most - count.begin());
  }

  // The clocks that chains of broadcasts relate to `root`.
  std::vector<size_t> ClusterOf(const std::vector<Receptions>& broadcasts, size_t root) const {
    std::vector<Edge> edges;
    for (const Receptions& broadcast : broadcasts) {
      for (size_t i = 1; i < broadcast.size(); ++i) {
        edges.push_back({broadcast[0].clock, broadcast[i].clock, {}});
      }
    }
    std::vector<size_t> members;
    for (const Graph::Reached& reached : Graph(clocks_.size(), edges).TreeFrom(root)) {
      members.push_back(reached.node);
    }
    return members;
  }

  // Pairs of clocks that no fit relates.
  void LinkByMessages() {
    for (const PairInput& pair : pairs_) {
      const size_t a = pair.a.index(), b = pair.b.index();
      if (!pair.estimate.line || (fitted_[a] != 0 && fitted_[a] == fitted_[b])) continue;
      const Quality quality = pair.estimate.quality;
      links_.push_back({a,
                        b,
                        *pair.estimate.line,
                        {.incomplete = quality == Quality::kIncomplete ? 1U : 0U,
                         .approximate = quality == Quality::kApproximate ? 1U : 0U,
                         .weight = 1}});
    }
  }

  void Describe(const Graph& graph, size_t root, size_t component, GroupEstimate& group) const {
    group.roots.emplace_back(static_cast<uint32_t>(root));
    std::vector<Affine> to_root(clocks_.size());
    const std::vector<Graph::Reached> reached = graph.TreeFrom(root);
    const bool is_alone = reached.size() == 1 && component > 0;
    const ClockId reference = group.roots.back();
    const GroupEstimate tree =
        is_alone ? GroupEstimate{} : EstimateTree(clocks_, pairs_, {.reference = reference});
    for (const auto& [node, via, cost] : reached) {
      if (via) {
        const Link& link = links_[*via];
        const bool is_forward = link.a == node;
        const Line line = is_forward ? link.line : link.line.Inverted();
        to_root[node] = Affine(line).Then(to_root[is_forward ? link.b : link.a]);
      }
      // With the bounds that messages give, if they relate the clock to the tree's first root.
      ClockEstimate bounded{.quality = Quality::kAbsent,
                            .reason = "nothing relates this clock to another"};
      if (!is_alone) bounded = tree.clocks[node];
      if (bounded.component != 0) {
        bounded = {.quality = Quality::kApproximate,
                   .reason = "placed by way of broadcasts, which bound nothing"};
      }
      group.clocks[node] = DescribeClock(clocks_[node], to_root[node], bounded.bounds,
                                         bounded.quality, bounded.reason);
      group.clocks[node].component = component;
    }
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const BroadcastOptions& options_;
  std::vector<size_t> fitted_;  // by clock: the number of its cluster's fit, from 1; 0: none
  std::vector<Link> links_;
  std::vector<BroadcastFinding> findings_;
};

}  // namespace

BroadcastEstimate EstimateBroadcast(std::span<const ClockInput> clocks,
                                    std::span<const PairInput> pairs,
                                    std::span<const TimedBroadcast> broadcasts,
                                    const BroadcastOptions& options) {
  return BroadcastEstimator(clocks, pairs, options).Run(ComparableOf(broadcasts, clocks));
}

}  // namespace syncline
