#include "estimate/groups/broadcast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/int128.h"
#include "estimate/groups/shortest_paths.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

constexpr double kNsPerUnit = 1000;  // the programme counts in µs

// By clock: what to add to its nominal time so that it agrees with the root's at a broadcast that
// both, or a chain of clocks between them, received.
std::vector<std::optional<Int128>> GuessShifts(std::span<const Receptions> broadcasts,
                                               size_t clocks, size_t root) {
  std::vector<std::optional<Int128>> shifts(clocks);
  shifts[root] = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Receptions& broadcast : broadcasts) {
      const auto known = std::ranges::find_if(
          broadcast, [&](const Reception& r) { return shifts[r.clock].has_value(); });
      if (known == broadcast.end()) continue;
      const Int128 time = known->nominal_ns + *shifts[known->clock];
      for (const Reception& r : broadcast) {
        if (shifts[r.clock]) continue;
        shifts[r.clock] = time - r.nominal_ns;
        grows = true;
      }
    }
  }
  return shifts;
}

// Numbers below `count`, each prefix about evenly spread: their binary digits backwards.
std::vector<size_t> SpreadOrder(size_t count) {
  const auto bits = count < 2 ? 0 : static_cast<int>(std::bit_width(count - 1));
  std::vector<size_t> order;
  for (size_t i = 0; i < size_t{1} << bits; ++i) {
    size_t reversed = 0;
    for (int b = 0; b < bits; ++b) reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < count) order.push_back(reversed);
  }
  return order;
}

// A broadcast as the programme sees it.
struct GuessedBroadcast {
  const Receptions* receptions = nullptr;
  Int128 time_ns = 0;  // of its first reception, on the guessed time line
};

// The deviation of a clock's line from its guess is u + v·τ, τ running from 0 to 1 over all times.
class Programme {
 public:
  Programme(std::vector<GuessedBroadcast> broadcasts, std::vector<std::optional<Int128>> shifts,
            const FitOptions& options)
      : shifts_(std::move(shifts)), options_(options), columns_(shifts_.size()) {
    const auto [first, last] = std::ranges::minmax_element(
        broadcasts, [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    origin_ = first->time_ns;
    span_ = static_cast<double>(std::max<Int128>(last->time_ns - origin_, 1'000'000'000));
    AddClocks();
    for (const GuessedBroadcast& broadcast : broadcasts) Add(broadcast);
  }

  std::optional<BroadcastLines> Solve() {
    LinearSolver solver(programme_);
    if (!solver.Solve(LinearSolver::Method::kDual)) return std::nullopt;
    BroadcastLines fit;
    for (size_t i = 0; i < shifts_.size(); ++i) {
      fit.lines.push_back(LineOf(i, solver.columns()));
      if (shifts_[i] && !fit.lines.back()) return std::nullopt;
    }
    const double sum = solver.objective() + constant_;
    fit.mean_delay_ns = sum * kNsPerUnit / static_cast<double>(programme_.rows.size());
    return fit;
  }

 private:
  double Tau(Int128 guessed) const { return static_cast<double>(guessed - origin_) / span_; }

  void AddClocks() {
    const double low = static_cast<double>(options_.prior.min.Drift()) * span_ / kNsPerUnit;
    const double high = static_cast<double>(options_.prior.max.Drift()) * span_ / kNsPerUnit;
    for (size_t i = 0; i < shifts_.size(); ++i) {
      if (i == options_.root || !shifts_[i]) continue;
      columns_[i] = programme_.AddColumn({}, 0);
      programme_.AddColumn({low, high}, 0);
    }
  }

  void Add(const GuessedBroadcast& broadcast) {
    const auto receptions = static_cast<double>(broadcast.receptions->size());
    const size_t sent = programme_.AddColumn({}, -receptions);
    for (const Reception& r : *broadcast.receptions) {
      const Int128 guessed = r.nominal_ns + *shifts_[r.clock];
      const double since = static_cast<double>(guessed - broadcast.time_ns) / kNsPerUnit;
      constant_ += since;
      std::vector<LinearProgramme::Entry> entries = {{sent, -1}};
      if (columns_[r.clock]) {
        const size_t u = *columns_[r.clock];
        entries.push_back({u, 1});
        entries.push_back({u + 1, Tau(guessed)});
        programme_.columns[u].objective += 1;
        programme_.columns[u + 1].objective += Tau(guessed);
      }
      programme_.AddRow(std::move(entries), {.low = -since});
    }
  }

  // Through its rounded values at both ends of the time.
  std::optional<Line> LineOf(size_t clock, std::span<const double> values) const {
    if (clock == options_.root) return Line{{0, 0}, {1, 1}};
    if (!shifts_[clock]) return std::nullopt;
    const double u = values[*columns_[clock]] * kNsPerUnit;
    const double v = values[*columns_[clock] + 1] * kNsPerUnit;
    constexpr double kMost = 1e17;
    if (!(std::abs(u) < kMost && std::abs(v) < kMost)) return std::nullopt;
    const auto length = static_cast<int64_t>(span_);
    const Int128 x = origin_ - *shifts_[clock];
    const Int128 y = origin_ + std::llround(u);
    const int64_t rise = length + std::llround(v);
    if (Saturate(x) != x || Saturate(y) != y || rise <= 0) return std::nullopt;
    return Line{{static_cast<int64_t>(x), static_cast<int64_t>(y)}, {rise, length}};
  }

  std::vector<std::optional<Int128>> shifts_;
  const FitOptions& options_;
  std::vector<std::optional<size_t>> columns_;  // of u, by clock; v follows
  Int128 origin_ = 0;
  double span_ = 1;
  LinearProgramme programme_;
  double constant_ = 0;  // of the objective
};

// Broadcasts that two of the clocks with a guess received, in order of time; none where their times
// are too far apart.
std::optional<std::vector<GuessedBroadcast>> Guessed(
    std::span<const Receptions> broadcasts, const std::vector<std::optional<Int128>>& shifts) {
  constexpr Int128 kLongest = Int128{1} << 60;
  std::vector<GuessedBroadcast> guessed;
  for (const Receptions& broadcast : broadcasts) {
    if (broadcast.size() < 2 || !shifts[broadcast[0].clock]) continue;
    const Int128 time = broadcast[0].nominal_ns + *shifts[broadcast[0].clock];
    guessed.push_back({&broadcast, time});
    for (const Reception& r : broadcast) {
      const Int128 since = r.nominal_ns + *shifts[r.clock] - guessed.front().time_ns;
      if (since > kLongest || since < -kLongest) return std::nullopt;
    }
  }
  std::ranges::stable_sort(guessed,
                           [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return guessed;
}

std::vector<GuessedBroadcast> Sampled(const std::vector<GuessedBroadcast>& all, size_t clocks,
                                      size_t most) {
  std::vector<size_t> taken(clocks);
  std::vector<GuessedBroadcast> sample;
  for (const size_t m : SpreadOrder(all.size())) {
    const Receptions& receptions = *all[m].receptions;
    const bool is_needed =
        std::ranges::any_of(receptions, [&](const Reception& r) { return taken[r.clock] < most; });
    if (!is_needed) continue;
    for (const Reception& r : receptions) ++taken[r.clock];
    sample.push_back(all[m]);
  }
  return sample;
}

// Broadcasts that two clocks or more received, each clock's first reception.
std::vector<Receptions> ComparableOf(std::span<const TimedBroadcast> broadcasts,
                                     std::span<const ClockInput> clocks) {
  std::vector<Receptions> comparable;
  for (const TimedBroadcast& broadcast : broadcasts) {
    Receptions receptions;
    for (const TimedReception& r : broadcast) {
      receptions.push_back({r.clock.index(), clocks[r.clock.index()].clock.NominalNs(r.time)});
    }
    std::ranges::sort(receptions, {},
                      [](const Reception& r) { return std::pair(r.clock, r.nominal_ns); });
    const auto is_of_one = [](const Reception& a, const Reception& b) {
      return a.clock == b.clock;
    };
    receptions.erase(std::unique(receptions.begin(), receptions.end(), is_of_one),
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
    const auto most = std::ranges::max_element(count);
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

std::optional<BroadcastLines> FitBroadcasts(std::span<const Receptions> broadcasts, size_t clocks,
                                            const FitOptions& options) {
  std::vector<std::optional<Int128>> shifts = GuessShifts(broadcasts, clocks, options.root);
  const auto guessed = Guessed(broadcasts, shifts);
  if (!guessed || guessed->empty()) return std::nullopt;
  const auto related = static_cast<size_t>(
      std::ranges::count_if(shifts, [](const auto& s) { return s.has_value(); }));
  const size_t share = std::max<size_t>(options.most_receptions / related, 20);
  std::vector<GuessedBroadcast> sample = Sampled(*guessed, clocks, share);
  const size_t used = sample.size();
  auto fit = Programme(std::move(sample), std::move(shifts), options).Solve();
  if (!fit) return std::nullopt;
  fit->related = guessed->size();
  fit->used = used;
  return fit;
}

BroadcastEstimate EstimateBroadcast(std::span<const ClockInput> clocks,
                                    std::span<const PairInput> pairs,
                                    std::span<const TimedBroadcast> broadcasts,
                                    const BroadcastOptions& options) {
  return BroadcastEstimator(clocks, pairs, options).Run(ComparableOf(broadcasts, clocks));
}

}  // namespace syncline
