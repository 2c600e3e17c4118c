#include "estimate/joint/joint_piecewise.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimate/joint/centre_curves.h"
#include "estimate/joint/clock_steps.h"
#include "estimate/joint/joint_centre.h"
#include "estimate/joint/joint_choice.h"
#include "estimate/joint/knot_search.h"
#include "estimate/joint/piecewise_problem.h"
#include "estimate/joint/piecewise_programme.h"
#include "estimate/joint/rate_limited.h"
#include "estimate/joint/segment_hulls.h"

namespace syncline {
namespace {

constexpr size_t kMostBins = 128;
constexpr size_t kMostWidths = 16384;  // pairs · bins
constexpr uint64_t kMessagesPerBin = 24;
constexpr size_t kMostHalvings = 8;
constexpr size_t kMostSegments = 128;  // of a clock
constexpr double kLackUs = 1e-5;
constexpr double kRoundingNs = 1;
constexpr double kLeastWeight = 0.05;  // of a bin's centre, to tell of steps
// Of a knot where straight lines satisfy all messages.
constexpr double kPriceOfDoubt = 5 * kKnotPrice;

// One component on its way from straight to bent.
class Component {
 public:
  Component(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
            const GroupEstimate& straight, size_t number, size_t root)
      : clocks_(clocks), straight_(straight) {
    AddClocks(number, root);
    AddPairs(pairs);
    if (IsUsable()) SetBins(pairs);
  }

  bool IsUsable() const {
    return problem_.clocks.size() >= 2 && problem_.knotted.size() == problem_.clocks.size() &&
           !problem_.pairs.empty();
  }
  const PiecewiseProblem& problem() const { return problem_; }

  std::vector<FoundStep> StepsIn(std::span<const CentreCurve> curves) const {
    std::vector<StepCurve> of_pairs;
    for (const CentreCurve& curve : curves) {
      StepCurve& steps = of_pairs.emplace_back(StepCurve{curve.a, curve.b, {}});
      const double most = *std::max_element(curve.weights.begin(), curve.weights.end());
      for (size_t k = 0; k < curve.weights.size(); ++k) {
        if (!(curve.weights[k] > kLeastWeight * most)) continue;
        steps.samples.push_back({static_cast<double>(k) + 0.5, curve.centres_us[k]});
      }
    }
    std::vector<FoundStep> found;
    for (const ClockStep& step : FindSteps(of_pairs, problem_.clocks.size())) {
      const ClockId clock(static_cast<uint32_t>(problem_.clocks[step.clock]));
      found.push_back({clock,
                       {GlobalAt(step.after)},
                       {GlobalAt(step.before)},
                       std::llround(step.ahead_us * 1000)});
    }
    return found;
  }

  // By clock of the problem.
  void SetShapes(std::vector<ClockShape> shapes) {
    shapes_ = std::move(shapes);
    for (size_t i = 1; i < shapes_.size(); ++i) {
      for (const ClockShape::Knot& knot : shapes_[i].knots) AddKnot(i, GlobalAt(knot.at));
    }
  }
  WishedRates Wished() const {
    WishedRates wished;
    for (size_t i = 0; i < problem_.knotted.size(); ++i) {
      const std::vector<Point>& knots = problem_.knotted[i].knots;
      wished.emplace_back(knots.size() - 1);
      if (!shapes_[i].is_known) continue;
      for (size_t s = 0; s + 1 < knots.size(); ++s) {
        const int64_t middle = knots[s].y + (knots[s + 1].y - knots[s].y) / 2;
        wished[i][s] = shapes_[i].SlopeAt(BinsAt(middle)) / problem_.BinSeconds();
      }
    }
    return wished;
  }
  // Halves the segments in which rows stay violated; false where none can be halved.
  bool Halve(std::span<const PiecewiseRow> rows, std::span<const double> lacks_us) {
    std::vector<std::vector<double>> blame(problem_.clocks.size());
    for (size_t i = 0; i < blame.size(); ++i) {
      blame[i].resize(problem_.knotted[i].knots.size() - 1);
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      if (lacks_us[r] <= kLackUs) continue;
      blame[rows[r].earlier][rows[r].earlier_segment] += lacks_us[r];
      blame[rows[r].later][rows[r].later_segment] += lacks_us[r];
    }
    // Of the two clocks of a violated message, the one that is blamed more.
    std::vector<std::vector<bool>> is_chosen(blame.size());
    for (size_t i = 0; i < blame.size(); ++i) is_chosen[i].resize(blame[i].size());
    for (size_t r = 0; r < rows.size(); ++r) {
      if (lacks_us[r] <= kLackUs) continue;
      const double earlier =
          rows[r].earlier == 0 ? 0 : blame[rows[r].earlier][rows[r].earlier_segment];
      const double later = rows[r].later == 0 ? 0 : blame[rows[r].later][rows[r].later_segment];
      if (earlier > later) {
        is_chosen[rows[r].earlier][rows[r].earlier_segment] = true;
      } else {
        is_chosen[rows[r].later][rows[r].later_segment] = true;
      }
    }
    bool any = false;
    for (size_t i = 1; i < blame.size(); ++i) {
      const std::vector<Point> knots = problem_.knotted[i].knots;
      for (size_t s = 0; s + 1 < knots.size(); ++s) {
        if (!is_chosen[i][s] || problem_.knotted[i].knots.size() > kMostSegments) continue;
        any |= AddKnot(i, knots[s].y + (knots[s + 1].y - knots[s].y) / 2);
      }
    }
    return any;
  }

  // Each clock as a whole in the middle of what the messages leave it.
  void Centre(std::span<const PiecewiseRow> rows,
              std::vector<std::vector<double>>& moves_us) const {
    constexpr double kOneWayWeight = 0.01;  // such a pair forbids, but says nothing of the middle
    std::vector<PairRoom> rooms;
    for (const PiecewisePair& pair : problem_.pairs) rooms.push_back({.a = pair.a, .b = pair.b});
    for (const PiecewiseRow& row : rows) {
      PairRoom& room = rooms[row.pair];
      double& least = row.is_a_to_b ? room.a_to_b_us : room.b_to_a_us;
      least = std::min(least, SlackUs(row, moves_us) - kRoundingNs / 1000);
    }
    for (PairRoom& room : rooms) {
      if (std::isinf(room.a_to_b_us) || std::isinf(room.b_to_a_us)) room.weight = kOneWayWeight;
    }
    const std::vector<double> moves = CentreMoves(problem_.clocks.size(), std::move(rooms));
    for (size_t i = 1; i < moves.size(); ++i) {
      for (double& move : moves_us[i]) move += moves[i];
    }
  }

  size_t KnotCount() const {
    size_t count = 0;
    for (const KnottedClock& clock : problem_.knotted) count += clock.knots.size() - 2;
    return count;
  }

  std::optional<std::vector<KnottedClock>> Moved(
      const std::vector<std::vector<double>>& moves_us) const {
    std::vector<KnottedClock> moved = problem_.knotted;
    for (size_t i = 0; i < moved.size(); ++i) {
      for (size_t k = 0; k < moved[i].knots.size(); ++k) {
        const double move = std::clamp(moves_us[i][k] * 1e3, -0x1p60, 0x1p60);
        int64_t& y = moved[i].knots[k].y;
        y = Saturate(static_cast<Int128>(y) + std::llround(move));
        if (k > 0 && y <= moved[i].knots[k - 1].y) return std::nullopt;
      }
    }
    return moved;
  }

 private:
  void AddClocks(size_t number, size_t root) {
    problem_.clocks.push_back(root);
    for (size_t i = 0; i < clocks_.size(); ++i) {
      if (straight_.clocks[i].component == number && i != root) problem_.clocks.push_back(i);
    }
    const std::optional<KnottedClock> of_root = GuessOf(root);
    if (!of_root) return;
    const Line to_root = of_root->SegmentLine(0).Inverted();
    for (const size_t i : problem_.clocks) {
      std::optional<KnottedClock> guess = GuessOf(i);
      if (!guess) return;
      for (Point& knot : guess->knots) knot.y = to_root.Nearest(knot.y);
      if (guess->knots[0].y >= guess->knots[1].y) return;
      problem_.knotted.push_back(*std::move(guess));
      problem_.readings_ns.push_back(0);
    }
  }

  // The straight correction; none where its times are further apart than exact arithmetic allows.
  std::optional<KnottedClock> GuessOf(size_t i) const {
    const auto knots = straight_.clocks[i].correction.knots();
    const auto point = [&](const Correction::Knot& knot) {
      return Point{clocks_[i].clock.NominalNs(knot.local), knot.global.ns};
    };
    const Point first = point(knots.front());
    const Point last = point(knots.back());
    constexpr Int128 kLongest = Int128{1} << 61;
    const Int128 run = static_cast<Int128>(last.x) - first.x;
    const Int128 rise = static_cast<Int128>(last.y) - first.y;
    if (run <= 0 || rise <= 0 || run > kLongest || rise > kLongest) return std::nullopt;
    return KnottedClock{{first, last}};
  }

  void AddPairs(std::span<const PairInput> pairs) {
    std::vector<size_t> place(clocks_.size(), SIZE_MAX);
    for (size_t i = 0; i < problem_.clocks.size(); ++i) place[problem_.clocks[i]] = i;
    for (const PairInput& pair : pairs) {
      const size_t a = place[pair.a.index()];
      const size_t b = place[pair.b.index()];
      if (a == SIZE_MAX || b == SIZE_MAX || !pair.estimate.line) continue;
      problem_.pair_of.emplace(std::pair(a, b), problem_.pairs.size());
      problem_.pairs.push_back({a, b, pair.estimate.min_delays});
    }
  }

  void SetBins(std::span<const PairInput> pairs) {
    problem_.start_ns = problem_.knotted[0].knots.front().y;
    problem_.end_ns = problem_.knotted[0].knots.back().y;
    for (const KnottedClock& clock : problem_.knotted) {
      problem_.start_ns = std::min(problem_.start_ns, clock.knots.front().y);
      problem_.end_ns = std::max(problem_.end_ns, clock.knots.back().y);
    }
    uint64_t messages = 0;
    for (const PairInput& pair : pairs) {
      messages += 2 * std::min(pair.estimate.messages_ab, pair.estimate.messages_ba);
    }
    const size_t wanted = messages / kMessagesPerBin / problem_.pairs.size();
    const size_t most = std::min(kMostBins, kMostWidths / problem_.pairs.size());
    problem_.bins = std::clamp<size_t>(wanted, 1, std::max<size_t>(most, 1));
  }

  int64_t GlobalAt(double bins) const {
    const auto length =
        static_cast<double>(static_cast<Int128>(problem_.end_ns) - problem_.start_ns);
    const double since = length * bins / static_cast<double>(problem_.bins);
    return Saturate(static_cast<Int128>(problem_.start_ns) + std::llround(since));
  }

  double BinsAt(int64_t global_ns) const {
    const auto since = static_cast<double>(static_cast<Int128>(global_ns) - problem_.start_ns);
    return since / 1e9 / problem_.BinSeconds();
  }

  // On the guess, at a whole tick; false where it is too near to another knot.
  bool AddKnot(size_t i, int64_t global_ns) {
    const Clock& clock = clocks_[problem_.clocks[i]].clock;
    KnottedClock& knotted = problem_.knotted[i];
    const int64_t x = clock.NominalNs(clock.FromNominalNs(knotted.Preimage(global_ns)));
    const auto next = std::upper_bound(knotted.knots.begin(), knotted.knots.end(), x,
                                       [](int64_t at, const Point& knot) { return at < knot.x; });
    if (next == knotted.knots.begin() || next == knotted.knots.end()) return false;
    const auto least = static_cast<int64_t>(problem_.BinSeconds() * 1e9 / 2) + 2;
    if (x - std::prev(next)->x < least || next->x - x < least) return false;
    const Line guess{knotted.knots.front(), SlopeOf(knotted.knots.front(), knotted.knots.back())};
    knotted.knots.insert(next, {x, guess.Nearest(x)});
    return true;
  }

  std::span<const ClockInput> clocks_;
  const GroupEstimate& straight_;
  PiecewiseProblem problem_;
  std::vector<ClockShape> shapes_;
};

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
  Result<void> SolveComponent(size_t number) {
    const size_t root = estimate_.group.roots[number].index();
    auto shaped = WithShapes(number, root);
    if (!shaped) return tl::unexpected(shaped.error());
    std::unique_ptr<Component> found = std::move(shaped->component);
    if (!found) return {};
    const bool fits_straight = estimate_.components[number].state == JointFinding::State::kJoint;
    if (fits_straight && found->KnotCount() == 0) return {};
    // Where the root itself bends, all others would have to follow it.
    for (size_t i = 0; i < clocks_.size() && found->KnotCount() > 1; ++i) {
      if (!IsCandidate(number, i) || i == root) continue;
      auto other = WithShapes(number, i);
      if (!other) return tl::unexpected(other.error());
      const bool is_simpler =
          other->component && other->component->KnotCount() < found->KnotCount();
      if (is_simpler) found = std::move(other->component);
    }
    auto bent = Bend(number, *found);
    estimate_.components[number].steps = std::move(shaped->steps);
    return bent;
  }

  Result<void> Bend(size_t number, Component& component) {
    for (size_t i = 0; i <= kMostHalvings; ++i) {
      SegmentHulls hulls(component.problem());
      if (auto ok = Gather(component, hulls); !ok) return ok;
      const std::vector<PiecewiseRow> rows = hulls.Rows();
      auto solution = SolvePiecewise(component.problem(), rows, component.Wished(), kRoundingNs);
      if (!solution) return {};
      if (solution->lack_us <= kLackUs) {
        component.Centre(rows, solution->moves_us);
        return Describe(number, component, rows, *solution);
      }
      if (!component.Halve(rows, solution->lacks_us)) return {};
    }
    return {};
  }

  // Trying each clock of a large group as root would take a pass each.
  bool IsCandidate(size_t number, size_t clock) const {
    constexpr size_t kMostRoots = 4;
    size_t before = 0;
    for (size_t i = 0; i < clock; ++i) before += estimate_.group.clocks[i].component == number;
    return estimate_.group.clocks[clock].component == number && before < kMostRoots;
  }

  // The component with its knots, and the steps seen; nothing where it cannot be treated.
  struct Shaped {
    std::unique_ptr<Component> component;
    std::vector<FoundStep> steps;
  };
  Result<Shaped> WithShapes(size_t number, size_t root) const {
    auto component = std::make_unique<Component>(clocks_, pairs_, estimate_.group, number, root);
    if (!component->IsUsable()) return Shaped{};
    CentreCurves curves(component->problem());
    if (auto ok = Gather(*component, curves); !ok) return tl::unexpected(ok.error());
    const bool fits_straight = estimate_.components[number].state == JointFinding::State::kJoint;
    const std::vector<CentreCurve> found = curves.Curves();
    component->SetShapes(FindShapes(found, component->problem().clocks.size(),
                                    component->problem().bins,
                                    fits_straight ? kPriceOfDoubt : kKnotPrice));
    std::vector<FoundStep> steps = component->StepsIn(found);
    return Shaped{std::move(component), std::move(steps)};
  }

  template <typename Sink>
  Result<void> Gather(const Component& component, Sink& sink) const {
    MessagePlaces places(component.problem(), clocks_.size());
    return messages_([&](const RecordedMessage& m) {
      if (const auto message = places.Of(m)) sink.Add(*message);
    });
  }

  Result<void> Describe(size_t number, const Component& component,
                        std::span<const PiecewiseRow> rows, const PiecewiseSolution& solution) {
    auto knotted = component.Moved(solution.moves_us);
    if (!knotted) return {};
    PiecewiseProblem moved = component.problem();
    moved.knotted = *std::move(knotted);
    const size_t root = estimate_.group.roots[number].index();
    const auto place = std::find(moved.clocks.begin(), moved.clocks.end(), root);
    const auto place_of_root = static_cast<size_t>(place - moved.clocks.begin());
    auto bounds =
        FindRateLimitedBounds(clocks_, moved, place_of_root, options_.max_drift_ppm, messages_);
    if (!bounds) return tl::unexpected(bounds.error());
    estimate_.components[number] = FindingOf(number, component, moved, rows);
    if (*bounds) estimate_.components[number].rate_limit_ppm = (*bounds)->limit_ppm;
    for (size_t i = 0; i < moved.clocks.size(); ++i) {
      if (i == place_of_root) continue;
      DescribeClock(moved, i, place_of_root, *bounds ? (*bounds)->bounds[i] : TimeBounds());
    }
    return {};
  }

  JointFinding FindingOf(size_t number, const Component& component, const PiecewiseProblem& moved,
                         std::span<const PiecewiseRow> rows) const {
    const JointFinding& straight = estimate_.components[number];
    JointFinding finding{.state = JointFinding::State::kPiecewise,
                         .reason = straight.reason,
                         .knots = component.KnotCount(),
                         .hull_points = rows.size()};
    if (finding.reason.empty()) finding.reason = "the fastest messages show a change of rate";
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
