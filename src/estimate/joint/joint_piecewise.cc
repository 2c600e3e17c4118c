#include "estimate/joint/joint_piecewise.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "estimate/joint/bent_component.h"
#include "estimate/joint/centre_curves.h"
#include "estimate/joint/drift_change.h"
#include "estimate/joint/joint_choice.h"
#include "estimate/joint/knot_search.h"
#include "estimate/joint/linear_programme.h"
#include "estimate/joint/piecewise_problem.h"
#include "estimate/joint/piecewise_programme.h"
#include "estimate/joint/rate_limited.h"
#include "estimate/joint/segment_hulls.h"

namespace syncline {
namespace {

// Of a pair, on average. Few make its curve rough, but a clock's pairs together may still show what
// shorter bins tell apart.
constexpr std::array<uint64_t, 2> kMessagesPerBin = {24, 8};
constexpr size_t kMostHalvings = 8;
constexpr double kWorthwhile = 0.9;  // of what was violated before, after halving
constexpr double kLackUs = 1e-5;
constexpr double kRoundingNs = 1;
// Of a knot where straight lines satisfy all messages and nothing else speaks for a change.
constexpr double kPriceOfDoubt = 5 * kKnotPrice;
constexpr const char* kChangeShown = "the fastest messages show a change of rate";

class PiecewiseSolver {
 public:
  PiecewiseSolver(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                  JointEstimate straight, const MessagePass& messages,
                  const PiecewiseOptions& options)
      : clocks_(clocks),
        pairs_(pairs),
        estimate_(std::move(straight)),
        messages_(messages),
        options_(options) {}

  Result<JointEstimate> Solve() {
    for (size_t c = 0; c < estimate_.components.size(); ++c) {
      if (estimate_.components[c].state == JointFinding::State::kSingle) continue;
      if (auto done = SolveComponent(c); !done) return tl::unexpected(done.error());
    }
    return std::move(estimate_);
  }

 private:
  // A component with its knots, and what its curves say; nothing where it cannot be treated.
  struct Shaped {
    std::unique_ptr<BentComponent> component;
    std::vector<FoundStep> steps;
    std::optional<DriftChange> change;  // sought where straight lines fit
  };
  // What the programme made of a component's knots.
  struct Trial {
    std::unique_ptr<BentComponent> component;
    std::vector<PiecewiseRow> rows;
    std::optional<PiecewiseSolution> solution;
    std::vector<FoundStep> steps;

    double LackUs() const { return solution ? solution->lack_us : kUnlimited; }
    bool Fits() const { return LackUs() <= kLackUs; }
  };

  Result<void> SolveComponent(size_t number) {
    const bool stays_straight = options_.rates == PiecewiseOptions::Rates::kConstant;
    if (stays_straight && !FitsStraight(number)) return {};
    auto shaped = WithShapes(number, RootOf(number), kMessagesPerBin.front());
    if (!shaped) return tl::unexpected(shaped.error());
    if (!shaped->component) return {};
    const bool is_doubtful = shaped->change.has_value();
    if (FitsStraight(number) && !is_doubtful) {
      if (stays_straight || shaped->component->KnotCount() == 0) return {};
    }
    std::vector<FoundStep> steps = shaped->steps;
    if (!stays_straight) {
      auto bent = Bend(number, *std::move(shaped));
      if (!bent) return tl::unexpected(bent.error());
      steps = *std::move(bent);
    }
    if (is_doubtful && FitsStraight(number)) Doubt(number);
    estimate_.components[number].steps = std::move(steps);
    return {};
  }

  // The steps seen by the bins that were used.
  Result<std::vector<FoundStep>> Bend(size_t number, Shaped shaped) {
    auto trial = FirstTrial(number, std::move(shaped));
    if (!trial) return tl::unexpected(trial.error());
    std::vector<FoundStep> steps = std::move(trial->steps);
    for (size_t i = 0; i < kMostHalvings && !trial->Fits(); ++i) {
      const double before_us = trial->LackUs();
      if (!trial->solution) return steps;
      if (!trial->component->Halve(trial->rows, trial->solution->lacks_us)) return steps;
      trial = Try(std::move(trial->component));
      if (!trial) return tl::unexpected(trial.error());
      if (trial->LackUs() > kWorthwhile * before_us) return steps;
    }
    if (!trial->Fits()) return steps;
    auto described = Describe(number, *trial);
    if (!described) return tl::unexpected(described.error());
    return steps;
  }

  // The first that satisfies all messages, with bins of more or fewer of them; else the nearest.
  Result<Trial> FirstTrial(size_t number, Shaped shaped) {
    std::optional<Trial> best;
    for (size_t i = 0;; ++i) {
      const size_t bins = shaped.component->problem().bins;
      std::vector<FoundStep> steps = shaped.steps;
      auto simplest = Simplest(number, std::move(shaped), kMessagesPerBin[i]);
      if (!simplest) return tl::unexpected(simplest.error());
      auto trial = Try(*std::move(simplest));
      if (!trial) return tl::unexpected(trial.error());
      trial->steps = std::move(steps);
      if (!best || trial->LackUs() < best->LackUs()) best = *std::move(trial);
      if (best->Fits() || i + 1 == kMessagesPerBin.size()) break;
      auto finer = WithShapes(number, RootOf(number), kMessagesPerBin[i + 1]);
      if (!finer) return tl::unexpected(finer.error());
      if (!finer->component || finer->component->problem().bins == bins) break;
      shaped = *std::move(finer);
    }
    return *std::move(best);
  }

  // Where the root itself bends, all others would have to follow it, or none is seen to.
  Result<std::unique_ptr<BentComponent>> Simplest(size_t number, Shaped shaped,
                                                  uint64_t messages_per_bin) const {
    std::unique_ptr<BentComponent> found = std::move(shaped.component);
    for (size_t i = 0; i < clocks_.size() && found->KnotCount() != 1; ++i) {
      if (found->KnotCount() == 0 && !shaped.change) break;
      if (!IsCandidate(number, i) || i == RootOf(number)) continue;
      auto other = WithShapes(number, i, messages_per_bin);
      if (!other) return tl::unexpected(other.error());
      if (!other->component || other->component->KnotCount() == 0) continue;
      const bool is_simpler =
          found->KnotCount() == 0 || other->component->KnotCount() < found->KnotCount();
      if (is_simpler) found = std::move(other->component);
    }
    return found;
  }

  Result<Trial> Try(std::unique_ptr<BentComponent> component) const {
    SegmentHulls hulls(component->problem());
    if (auto ok = Gather(*component, hulls, messages_); !ok) return tl::unexpected(ok.error());
    std::vector<PiecewiseRow> rows = hulls.Rows();
    auto solution = SolvePiecewise(component->problem(), rows, component->Wished(), kRoundingNs);
    return Trial{std::move(component), std::move(rows), std::move(solution), {}};
  }

  size_t RootOf(size_t number) const { return estimate_.group.roots[number].index(); }
  bool FitsStraight(size_t number) const {
    return estimate_.components[number].state == JointFinding::State::kJoint;
  }

  // Trying each clock of a large group as root would take a pass each.
  bool IsCandidate(size_t number, size_t clock) const {
    constexpr size_t kMostRoots = 4;
    size_t before = 0;
    for (size_t i = 0; i < clock; ++i) before += estimate_.group.clocks[i].component == number;
    return estimate_.group.clocks[clock].component == number && before < kMostRoots;
  }

  Result<Shaped> WithShapes(size_t number, size_t root, uint64_t messages_per_bin) const {
    auto component = std::make_unique<BentComponent>(clocks_, pairs_, estimate_.group, number, root,
                                                     messages_per_bin);
    if (!component->IsUsable()) return Shaped{};
    CentreCurves curves(component->problem());
    if (auto ok = GatherMany(*component, curves); !ok) return tl::unexpected(ok.error());
    std::vector<CentreCurve> found = curves.Curves();
    const size_t clocks = component->problem().clocks.size();
    std::optional<DriftChange> change;
    if (FitsStraight(number)) change = FindDriftChange(found, clocks);
    const bool needs_none = FitsStraight(number) && !change;
    if (needs_none) {
      for (CentreCurve& curve : found) curve.DoubtFasterBins();
    }
    const double price = needs_none ? kPriceOfDoubt : kKnotPrice;
    component->SetShapes(FindShapes(found, clocks, component->problem().bins, price));
    // Straight lines that satisfy all messages leave no room for a step.
    if (needs_none && component->KnotCount() == 0) {
      return Shaped{std::move(component), {}, change};
    }
    std::vector<FoundStep> steps = component->StepsIn(found);
    return Shaped{std::move(component), std::move(steps), change};
  }

  template <typename Sink>
  Result<void> Gather(const BentComponent& component, Sink& sink, const MessagePass& pass) const {
    MessagePlaces places(component.problem(), clocks_.size());
    return pass([&](const RecordedMessage& m) {
      if (const auto message = places.Of(m)) sink.Add(*message);
    });
  }

  Result<void> GatherMany(const BentComponent& component, CentreCurves& curves) const {
    if (options_.parts.empty()) return Gather(component, curves, messages_);
    std::vector<Result<void>> done(options_.parts.size());
    ForEachParallel(done.size(),
                    [&](size_t i) { done[i] = Gather(component, curves, options_.parts[i]); });
    for (const Result<void>& part : done) {
      if (!part) return part;
    }
    return {};
  }

  Result<void> Describe(size_t number, const Trial& trial) {
    const BentComponent& component = *trial.component;
    auto knotted = component.Moved(component.Centred(trial.rows, trial.solution->moves_us));
    if (!knotted) return {};
    PiecewiseProblem moved = component.problem();
    moved.knotted = *std::move(knotted);
    const auto place = std::find(moved.clocks.begin(), moved.clocks.end(), RootOf(number));
    const auto place_of_root = static_cast<size_t>(place - moved.clocks.begin());
    auto bounds =
        FindRateLimitedBounds(clocks_, moved, place_of_root, options_.max_drift_ppm, messages_);
    if (!bounds) return tl::unexpected(bounds.error());
    estimate_.components[number] = FindingOf(number, component, moved, trial.rows);
    if (*bounds) estimate_.components[number].rate_limit_ppm = (*bounds)->limit_ppm;
    for (size_t i = 0; i < moved.clocks.size(); ++i) {
      if (i == place_of_root) continue;
      DescribeClock(moved, i, place_of_root, *bounds ? (*bounds)->bounds[i] : TimeBounds());
    }
    return {};
  }

  // Straight lines stay, but bounds that rest on constant rates do not.
  void Doubt(size_t number) {
    estimate_.components[number].reason = kChangeShown;
    for (ClockEstimate& clock : estimate_.group.clocks) {
      if (clock.component != number) continue;
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.reason = kChangeShown;
      clock.bounds = TimeBounds();
      clock.bound.reset();
    }
  }

  JointFinding FindingOf(size_t number, const BentComponent& component,
                         const PiecewiseProblem& moved, std::span<const PiecewiseRow> rows) const {
    const JointFinding& straight = estimate_.components[number];
    JointFinding finding{.state = JointFinding::State::kPiecewise,
                         .reason = straight.reason,
                         .knots = component.KnotCount(),
                         .hull_points = rows.size()};
    if (finding.reason.empty()) finding.reason = kChangeShown;
    for (const PiecewiseRow& row : rows) {
      const int64_t violation =
          ShortfallNs(moved.knotted[row.earlier].SegmentLine(row.earlier_segment), row.earlier_ns,
                      moved.knotted[row.later].SegmentLine(row.later_segment), row.later_ns);
      if (violation == 0) continue;
      ++finding.violated;
      finding.worst_violation_ns = std::max(finding.worst_violation_ns, violation);
    }
    return finding;
  }

  // The correction to the time of the clock at place `root`, in which that clock runs straight.
  static Result<Correction> CorrectionOf(const ClockInput& input, const KnottedClock& clock,
                                         const KnottedClock& root) {
    std::vector<Point> bends;  // local, global in the problem's time
    for (const Point knot : clock.knots) bends.push_back(knot);
    for (size_t k = 1; k + 1 < root.knots.size(); ++k) {
      const int64_t x = clock.Preimage(root.knots[k].y);
      if (x > clock.knots.front().x && x < clock.knots.back().x) {
        bends.push_back({x, root.knots[k].y});
      }
    }
    std::sort(bends.begin(), bends.end());
    std::vector<Correction::Knot> knots;
    for (const Point bend : bends) {
      const LocalTime local = input.clock.FromNominalNs(bend.x);
      const size_t segment = root.SegmentAtGlobal(bend.y);
      const GlobalTime global{root.SegmentLine(segment).Inverted().Nearest(bend.y)};
      const bool is_later =
          knots.empty() || (knots.back().local < local && knots.back().global < global);
      if (is_later) knots.push_back({local, global});
    }
    return Correction::FromKnots(std::move(knots));
  }

  void DescribeClock(const PiecewiseProblem& moved, size_t place, size_t root, TimeBounds bounds) {
    const ClockInput& input = clocks_[moved.clocks[place]];
    Result<Correction> correction = CorrectionOf(input, moved.knotted[place], moved.knotted[root]);
    if (!correction) return;
    ClockEstimate& clock = estimate_.group.clocks[moved.clocks[place]];
    const size_t component = clock.component;
    const Quality quality = std::max(clock.quality, Quality::kApproximate);
    const size_t pieces = correction->knots().size() - 1;
    clock = syncline::DescribeClock(input, *std::move(correction), std::move(bounds), quality);
    clock.component = component;
    clock.reason = pieces > 1 ? fmt::format("its rate changed: {} straight pieces", pieces)
                              : "related to clocks whose rates changed";
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  JointEstimate estimate_;
  const MessagePass& messages_;
  const PiecewiseOptions& options_;
};

}  // namespace

Result<JointEstimate> EstimateJointPiecewise(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             JointEstimate straight, const MessagePass& messages,
                                             const PiecewiseOptions& options) {
  return PiecewiseSolver(clocks, pairs, std::move(straight), messages, options).Solve();
}

}  // namespace syncline
