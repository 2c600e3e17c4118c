#include "estimate/groups/by_intervals.h"

#include <cmath>
#include <utility>

#include "syncline/time.h"

#include "base/int128.h"
#include "base/try.h"
#include "estimate/groups/piecewise.h"
#include "estimate/groups/tree_error.h"
#include "estimate/lines/least_squares.h"

namespace syncline {
namespace {

// Powers of two.
constexpr size_t kFirstIntervals = 8;
constexpr size_t kMostIntervals = 1024;

constexpr char kNoSolution[] =
    "even in its shortest intervals no constant offsets satisfy the messages of all pairs: a clock "
    "steps or messages are matched wrongly";
constexpr char kNotMonotone[] =
    "its corrections differ by more from one interval to the next than the intervals are long";

// The line of least squares through the middles of the clock's corridors; an interval without
// messages is left out.
ClockShift LineThroughMiddles(const ComponentMessages& component, const Corridors& corridors,
                              size_t place) {
  SlopeFit fit;
  const auto since = [&](int64_t t) {
    return static_cast<double>(Minus(t, corridors.grid.first_ns));
  };
  const auto at = [&](int64_t t) { return std::llround(fit.At(since(t))); };
  for (size_t j = 0; j < corridors.closed.size(); ++j) {
    const OffsetClosure& closed = corridors.closed[j];
    if (!closed.IsBounded(0, place)) continue;
    fit.Add(since(corridors.TimeOf(j)), static_cast<double>(closed.Middle(0, place)));
  }
  if (!fit.HasPoints()) return {};
  const auto [first_ns, last_ns] = TraceEnds(component.clocks[place]);
  ClockShift shift{{{first_ns, at(first_ns)}, {last_ns, at(last_ns)}}};
  for (size_t j = 0; j < corridors.closed.size(); ++j) {
    const OffsetClosure& closed = corridors.closed[j];
    if (!closed.IsBounded(0, place)) continue;
    const int64_t value = at(corridors.TimeOf(j));
    if (value < *closed.Lower(0, place) || value > *closed.Upper(0, place)) ++shift.outside;
  }
  return shift;
}

// The coarse correction and the shift of its values. Nodes that fall on one tick become one knot;
// where all do, the shift is constant.
Result<Correction> Shifted(const Correction& coarse, const std::vector<ClockShift::Node>& nodes) {
  std::vector<Correction::Knot> knots;
  for (const ClockShift::Node& node : nodes) {
    const LocalTime local = coarse.Inverse({node.at_ns});
    if (!knots.empty() && local <= knots.back().local) continue;
    knots.push_back({local, {SaturatedSum(coarse(local).ns, node.shift_ns)}});
  }
  if (knots.size() == 1) {
    knots.assign(coarse.knots().begin(), coarse.knots().end());
    for (Correction::Knot& knot : knots) {
      knot.global = {SaturatedSum(knot.global.ns, nodes[0].shift_ns)};
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
                    const MessagePass& messages, IntervalMethod method)
      : clocks_(clocks), pairs_(pairs), messages_(messages), method_(method) {}

  Result<IntervalEstimate> Run(std::optional<ClockId> reference) {
    SYNCLINE_ASSIGN(std::vector<Solved> solved, SolveFrom(reference));
    if (!reference && !solved.empty() && solved.front().corridors) {
      const size_t best = BestReference(*solved.front().corridors);
      const size_t clock = solved.front().component.clocks[best].clock;
      if (best != 0) {
        SYNCLINE_ASSIGN(solved, SolveFrom(ClockId(static_cast<uint32_t>(clock))));
      }
    }
    std::vector<IntervalFinding> findings;
    for (const Solved& component : solved) findings.push_back(Describe(component));
    return IntervalEstimate{std::move(group_), std::move(findings)};
  }

 private:
  Result<std::vector<Solved>> SolveFrom(std::optional<ClockId> reference) {
    group_ = EstimateTree(clocks_, pairs_, {.reference = reference});
    SYNCLINE_ASSIGN(std::vector<ComponentMessages> gathered,
                    GatherIntervals(clocks_, pairs_, group_, messages_, kMostIntervals));
    std::vector<Solved> all;
    for (ComponentMessages& component : gathered) {
      Solved& solved = all.emplace_back(Solved{.component = std::move(component)});
      if (solved.component.clocks.size() < 2) continue;
      solved.corridors = FindCorridors(solved.component, method_, kFirstIntervals);
      if (!solved.corridors || method_ == IntervalMethod::kClosure) continue;
      solved.supplied = SupplyMissing(solved.component, *solved.corridors);
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
    std::vector<std::pair<size_t, Correction>> corrections;  // by clock
    for (size_t k = 0; k < solved.component.clocks.size(); ++k) {
      const ClockShift shift = method_ == IntervalMethod::kPiecewise
                                   ? ThroughBoundaries(solved.component, corridors, k)
                                   : LineThroughMiddles(solved.component, corridors, k);
      finding.outside += shift.outside;
      if (k == 0 || shift.nodes.empty()) continue;
      const size_t clock = solved.component.clocks[k].clock;
      auto correction = Shifted(group_.clocks[clock].correction, shift.nodes);
      if (!correction) return {.state = State::kFallback, .reason = kNotMonotone};
      corrections.emplace_back(clock, *std::move(correction));
    }
    for (auto& [clock, correction] : corrections) Replace(clock, std::move(correction));
    return finding;
  }

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
  IntervalMethod method_;
  GroupEstimate group_;  // the tree's, and then the result
};

}  // namespace

Result<IntervalEstimate> EstimateByIntervals(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             const MessagePass& messages, IntervalMethod method,
                                             std::optional<ClockId> reference) {
  return IntervalEstimator(clocks, pairs, messages, method).Run(reference);
}

}  // namespace syncline
