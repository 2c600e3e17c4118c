#include "estimate/groups/broadcast.h"

#include <algorithm>
#include <utility>

#include "estimate/groups/broadcast_programme.h"
#include "estimate/groups/shortest_paths.h"
#include "estimate/groups/tree_error.h"
#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

constexpr char kUnbounded[] = "placed by way of broadcasts, which bound nothing";

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
      : clocks_(clocks), pairs_(pairs), options_(options), cluster_(clocks.size()) {}

  BroadcastEstimate Run(const std::vector<Receptions>& broadcasts) {
    FitClusters(broadcasts);
    LinkByMessages();
    std::vector<Edge> edges;
    edges.reserve(links_.size());
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
  // The clock with the most receptions not yet in a cluster, or the reference; none when no
  // broadcasts are left.
  std::optional<size_t> NextRoot(const std::vector<Receptions>& broadcasts) const {
    std::vector<size_t> count(clocks_.size());
    for (const Receptions& broadcast : broadcasts) {
      for (const Reception& r : broadcast) count[r.clock] += cluster_[r.clock] == 0 ? 1 : 0;
    }
    if (options_.reference && count[options_.reference->index()] > 0) {
      return options_.reference->index();
    }
    const auto most = std::max_element(count.begin(), count.end());
    if (most == count.end() || *most == 0) return std::nullopt;
    return static_cast<size_t>(most - count.begin());
  }

  void FitClusters(const std::vector<Receptions>& broadcasts) {
    for (size_t number = 1;; ++number) {
      const std::optional<size_t> root = NextRoot(broadcasts);
      if (!root) return;
      const FitOptions fit_options{.root = *root,
                                   .prior = PriorRange(options_.max_drift_ppm),
                                   .most_receptions = options_.most_receptions};
      const auto fit = FitBroadcasts(broadcasts, clocks_.size(), fit_options);
      BroadcastFinding finding;
      for (const size_t i : ClusterOf(broadcasts, *root)) {
        finding.clocks.emplace_back(static_cast<uint32_t>(i));
        cluster_[i] = number;
        if (fit && i != *root) links_.push_back({i, *root, *fit->lines[i], {}});
      }
      finding.is_solved = fit.has_value();
      if (fit) {
        finding.broadcasts = fit->related;
        finding.used = fit->used;
        finding.mean_delay_ns = fit->mean_delay_ns;
        is_fitted_.push_back(number);
      }
      findings_.push_back(std::move(finding));
    }
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
      const size_t cluster = cluster_[pair.a.index()];
      const bool is_fitted =
          std::find(is_fitted_.begin(), is_fitted_.end(), cluster) != is_fitted_.end();
      if (!pair.estimate.line || (is_fitted && cluster == cluster_[pair.b.index()])) continue;
      const Quality quality = pair.estimate.quality;
      links_.push_back({pair.a.index(),
                        pair.b.index(),
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
      group.clocks[node] = is_alone ? Alone(node) : Described(node, tree, to_root[node]);
      group.clocks[node].component = component;
    }
  }

  ClockEstimate Alone(size_t node) const {
    ClockEstimate estimate = DescribeClock(clocks_[node], Affine(), TimeBounds(), Quality::kAbsent);
    if (estimate.reason.empty()) estimate.reason = "nothing relates this clock to another";
    return estimate;
  }

  // With the bounds that messages give, if they relate the clock to the tree's first root.
  ClockEstimate Described(size_t node, const GroupEstimate& tree, const Affine& to_root) const {
    const ClockEstimate& bounded = tree.clocks[node];
    if (bounded.component != 0) {
      ClockEstimate estimate =
          DescribeClock(clocks_[node], to_root, TimeBounds(), Quality::kApproximate);
      if (estimate.reason.empty()) estimate.reason = kUnbounded;
      return estimate;
    }
    ClockEstimate estimate = DescribeClock(clocks_[node], to_root, bounded.bounds, bounded.quality);
    if (estimate.reason.empty()) estimate.reason = bounded.reason;
    return estimate;
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const BroadcastOptions& options_;
  std::vector<size_t> cluster_;  // by clock, from 1; 0: received no broadcast with another
  std::vector<size_t> is_fitted_;
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
