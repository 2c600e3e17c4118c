#include "estimate/groups/by_intervals.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"
#include "estimate/groups/tree_error.h"

namespace syncline {
namespace {

constexpr char kNoSolution[] =
    "even in its shortest intervals no constant offsets satisfy the messages of all pairs: a clock "
    "steps or messages are matched wrongly";

// The coarse correction and the shift of its values. Nodes that fall on one tick become one knot;
// where all do, the shift is constant.
Result<Correction> Shifted(const Correction& coarse, const std::vector<ClockShift::Node>& nodes) {
  std::vector<Correction::Knot> knots;
  for (const ClockShift::Node& node : nodes) {
    const LocalTime local = coarse.Inverse({node.at_ns});
    if (!knots.empty() && local <= knots.back().local) continue;
    const Int128 global = static_cast<Int128>(coarse(local).ns) + node.shift_ns;
    knots.push_back({local, {Saturate(global)}});
  }
  if (knots.size() == 1) {
    knots.assign(coarse.knots().begin(), coarse.knots().end());
    for (Correction::Knot& knot : knots) {
      knot.global = {Saturate(static_cast<Int128>(knot.global.ns) + nodes[0].shift_ns)};
    }
  }
  return Correction::FromKnots(std::move(knots));
}

// A component with the corridors found, if any.
struct Solved {
  ComponentMessages component;
  std::optional<Corridors> corridors;
  size_t supplied = 0;
};

class IntervalEstimator {
 public:
  IntervalEstimator(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                    const MessagePass& messages, const IntervalOptions& options,
                    const IntervalMethod& method)
      : clocks_(clocks), pairs_(pairs), messages_(messages), options_(options), method_(method) {}

  Result<IntervalEstimate> Run() {
    std::optional<ClockId> reference = options_.reference;
    auto solved = SolveFrom(reference);
    if (!solved) return tl::unexpected(solved.error());
    if (!reference && !solved->empty() && solved->front().corridors) {
      const size_t best = BestReference(*solved->front().corridors);
      if (best != 0) {
        reference = ClockId(static_cast<uint32_t>(solved->front().component.clocks[best].clock));
        solved = SolveFrom(reference);
        if (!solved) return tl::unexpected(solved.error());
      }
    }
    std::vector<IntervalFinding> findings;
    findings.reserve(solved->size());
    for (const Solved& component : *solved) findings.push_back(Describe(component));
    return IntervalEstimate{std::move(group_), std::move(findings)};
  }

 private:
  Result<std::vector<Solved>> SolveFrom(std::optional<ClockId> reference) {
    group_ = EstimateTree(clocks_, pairs_, {.reference = reference});
    auto gathered = GatherIntervals(clocks_, pairs_, group_, messages_, options_.most_intervals);
    if (!gathered) return tl::unexpected(gathered.error());
    std::vector<Solved> all;
    for (ComponentMessages& component : *gathered) {
      Solved solved{.component = std::move(component)};
      if (solved.component.clocks.size() > 1) {
        solved.corridors =
            FindCorridors(solved.component, method_.Places(), options_.first_intervals);
      }
      if (solved.corridors) {
        solved.supplied = method_.Complete(solved.component, *solved.corridors);
      }
      all.push_back(std::move(solved));
    }
    return all;
  }

  IntervalFinding Describe(const Solved& solved) {
    using State = IntervalFinding::State;
    if (solved.component.clocks.size() < 2) return {};
    if (!solved.corridors) return {.state = State::kFallback, .reason = kNoSolution};
    const Corridors& corridors = *solved.corridors;
    IntervalFinding finding{.state = State::kSolved,
                            .intervals = corridors.grid.intervals,
                            .interval_ns = corridors.grid.length_ns,
                            .refused = corridors.refused,
                            .places = corridors.closed.size(),
                            .supplied = solved.supplied,
                            .allows_readings = corridors.allows_readings};
    std::vector<std::optional<Correction>> corrections;
    for (size_t k = 0; k < solved.component.clocks.size(); ++k) {
      const ClockShift shift = method_.ShiftOf(solved.component, corridors, k);
      finding.outside += shift.outside;
      corrections.emplace_back();
      if (k == 0 || shift.nodes.empty()) continue;
      auto correction = Shifted(Coarse(solved.component.clocks[k].clock), shift.nodes);
      if (!correction) {
        return {.state = State::kFallback,
                .reason =
                    "its corrections differ by more from one interval to the next than the "
                    "intervals are long"};
      }
      corrections.back() = std::move(*correction);
    }
    for (size_t k = 0; k < corrections.size(); ++k) {
      if (corrections[k]) Replace(solved.component.clocks[k].clock, *std::move(corrections[k]));
    }
    return finding;
  }

  const Correction& Coarse(size_t clock) const { return group_.clocks[clock].correction; }

  void Replace(size_t i, Correction correction) {
    ClockEstimate& tree = group_.clocks[i];
    ClockEstimate estimate =
        DescribeClock(clocks_[i], std::move(correction), std::move(tree.bounds), tree.quality);
    estimate.component = tree.component;
    estimate.reason = std::move(tree.reason);
    tree = std::move(estimate);
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const MessagePass& messages_;
  const IntervalOptions& options_;
  const IntervalMethod& method_;
  GroupEstimate group_;  // the tree's, and then the result
};

}  // namespace

TraceEnds EndsOf(const ComponentMessages::Member& member) {
  constexpr int64_t kSecond = 1'000'000'000;
  TraceEnds ends{member.first_ns, member.last_ns};
  if (static_cast<Int128>(ends.last_ns) - ends.first_ns >= kSecond) return ends;
  ends.last_ns = Saturate(static_cast<Int128>(ends.first_ns) + kSecond);
  ends.first_ns = Saturate(static_cast<Int128>(ends.last_ns) - kSecond);
  return ends;
}

Result<IntervalEstimate> EstimateByIntervals(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             const MessagePass& messages,
                                             const IntervalOptions& options,
                                             const IntervalMethod& method) {
  return IntervalEstimator(clocks, pairs, messages, options, method).Run();
}

}  // namespace syncline
