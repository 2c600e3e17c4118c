
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/difference.h"
#include "base/int128.h"
#include "base/try.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "estimate/lines/fast_slope.h"
#include "pipeline/estimate/solvers.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

using ClockPair = std::pair<ClockId, ClockId>;

constexpr double kMostLikelySuspects = 0.05;  // of certain and likely messages
constexpr int64_t kRoundingNs = 2;
constexpr size_t kFewestForFence = 16;  // messages of a direction

class LikelyRefinement {
 public:
  LikelyRefinement(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                   const SolveOptions& solve, DriftBoundedOptions options,
                   std::span<const uint64_t> left_out, Solution& solution)
      : loaded_(loaded),
        clocks_(clocks),
        solve_(solve),
        options_(options),
        left_out_(left_out),
        solution_(solution) {}

  Result<LargerLimits> Run() {
    SYNCLINE_TRY(LeaveOutRefuted());
    SYNCLINE_TRY(LeaveOutHasty());
    options_.reference = solution_.group.roots.front();
    options_.max_suspects = kMostLikelySuspects;
    SYNCLINE_ASSIGN(DriftBoundedEstimate found, Estimate(options_));
    if (IsContradictory(found)) {
      SYNCLINE_TRY(LeaveOutContradictory());
      SYNCLINE_ASSIGN(found, Estimate(options_));
    }
    if (!found.raised.empty() && !IsContradictory(found)) {
      return LargerLimits{found.raised, found.limits_ppm};
    }
    SYNCLINE_ASSIGN(const bool is_usable, IsUsable(found));
    if (is_usable) Take(found);
    SYNCLINE_TRY(TurnToMeanRates());
    uint64_t number = 0;
    SYNCLINE_TRY(loaded_.likely_messages.ForEach([&](const Message& m) {
      if (is_left_out_[number++]) solution_.late.push_back(m);
    }));
    return LargerLimits{};
  }

 private:
  Result<DriftBoundedEstimate> Estimate(const DriftBoundedOptions& options) const {
    SYNCLINE_ASSIGN(const std::vector<PairInput> pairs, PairsWithLikely());
    return EstimateDriftBounded(clocks_, pairs, Both(), options);
  }
  // Whether limits were raised as if likely messages could prove anything.
  static bool IsContradictory(const DriftBoundedEstimate& found) {
    return std::ranges::any_of(found.raised, [](const RaisedLimit& r) { return !r.round_trip; });
  }

  // Likely messages that contradict the limits with which certain ones agree.
  Result<void> LeaveOutContradictory() {
    DriftBoundedOptions within = options_;
    within.max_slew_ppm.reset();
    SYNCLINE_ASSIGN(const DriftBoundedEstimate found, Estimate(within));
    for (const uint64_t id : found.suspects) {
      if (id >= FirstLikely()) is_left_out_[id - FirstLikely()] = true;
    }
    return {};
  }

  uint64_t FirstLikely() const {
    return loaded_.messages.messages() + loaded_.collective_messages.messages() +
           loaded_.implied_messages.messages();
  }
  const ClockEstimate& EstimateOf(const EventRef& event) const {
    const ClockId clock = loaded_.ClockOf(event);
    return solution_.group.clocks[clock.index()];
  }

  // Those that arrived, at the latest, before they were sent at the earliest.
  Result<void> LeaveOutRefuted() {
    return loaded_.likely_messages.ForEach([&](const Message& m) {
      const auto sent = EstimateOf(m.send).bounds.Lower(m.send.time);
      const auto received = EstimateOf(m.receive).bounds.Upper(m.receive.time);
      const bool is_refuted = sent && received && *received < *sent;
      is_left_out_.push_back(is_refuted);
    });
  }

  // What takes so much less than others of its direction is late at its sender. The corrections
  // that there are do to compare with: what they are off is the same for all, or nearly.
  Result<void> LeaveOutHasty() {
    std::map<ClockPair, std::vector<int64_t>> delays;
    SYNCLINE_TRY(ForEachDelay([&](const ClockPair& direction, int64_t delay_ns, size_t number) {
      if (!is_left_out_[number]) delays[direction].push_back(delay_ns);
    }));
    std::map<ClockPair, int64_t> fences;
    for (auto& [direction, of_direction] : delays) {
      if (of_direction.size() < kFewestForFence) continue;
      const auto quartile = [&, all = &of_direction](size_t quarters) {
        const auto at = all->begin() + static_cast<ptrdiff_t>(all->size() * quarters / 4);
        std::nth_element(all->begin(), at, all->end());
        return *at;
      };
      const int64_t lower = quartile(1), upper = quartile(3);
      fences[direction] = Saturate(lower - (Minus(upper, lower) * 3 / 2));
    }
    return ForEachDelay([&](const ClockPair& direction, int64_t delay_ns, size_t number) {
      const auto fence = fences.find(direction);
      if (fence != fences.end() && delay_ns < fence->second) is_left_out_[number] = true;
    });
  }

  template <typename Visit>
  Result<void> ForEachDelay(const Visit& visit) const {
    size_t number = 0;
    return loaded_.likely_messages.ForEach([&](const Message& m) {
      const auto clock = [&](const EventRef& e) { return loaded_.ClockOf(e); };
      const GlobalTime sent = EstimateOf(m.send).correction(m.send.time);
      const GlobalTime received = EstimateOf(m.receive).correction(m.receive.time);
      visit(ClockPair(clock(m.send), clock(m.receive)), (received - sent).ns, number++);
    });
  }

  MessagePass Both() const {
    return [this](const MessageVisitor& visit) -> Result<void> {
      SYNCLINE_TRY(PassOver(loaded_, left_out_)(visit));
      return PassOverLikely(loaded_, FirstLikely(), is_left_out_)(visit);
    };
  }

  Result<std::vector<PairInput>> PairsWithLikely() const {
    std::map<ClockPair, PairPoints> points = loaded_.pairs;
    SYNCLINE_TRY(PassOverLikely(loaded_, FirstLikely(),
                                is_left_out_)([&](const RecordedMessage& m) {
      PairPoints& pair = points[std::minmax(m.from, m.to)];
      m.from < m.to ? pair.AddAToB(m.send_ns, m.receive_ns) : pair.AddBToA(m.send_ns, m.receive_ns);
    }));
    std::vector<PairInput> pairs;
    for (const auto& [pair, of_pair] : points) {
      pairs.push_back(
          {pair.first, pair.second,
           EstimatePair(of_pair, PairOptionsOf(loaded_, solve_, pair.first, pair.second))});
    }
    return pairs;
  }

  Result<bool> IsUsable(const DriftBoundedEstimate& found) const {
    if (IsContradictory(found)) return false;
    const bool leaves_out_certain =
        std::ranges::any_of(found.suspects, [&](uint64_t id) { return id < FirstLikely(); });
    const bool is_explained = std::ranges::none_of(found.components, [](const auto& finding) {
      return finding.state == DriftBoundedFinding::State::kContradicted;
    });
    if (leaves_out_certain || !is_explained || !found.group.steps.empty() ||
        found.group.roots != solution_.group.roots) {
      return false;
    }
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!KeepsToBounds(c, found.group.clocks[c].correction)) return false;
    }
    SYNCLINE_ASSIGN(const uint64_t before, CountInverted(solution_.group));
    SYNCLINE_ASSIGN(const uint64_t after, CountInverted(found.group));
    return after <= before;
  }

  // Of the certain messages.
  Result<uint64_t> CountInverted(const GroupEstimate& group) const {
    uint64_t inverted = 0;
    SYNCLINE_TRY(PassOver(loaded_, left_out_)([&](const RecordedMessage& m) {
      const GlobalTime sent = group.clocks[m.from.index()].correction(m.sent);
      inverted += group.clocks[m.to.index()].correction(m.received) < sent ? 1 : 0;
    }));
    return inverted;
  }

  bool KeepsToBounds(size_t c, const Correction& correction) const {
    const TimeBounds& bounds = solution_.group.clocks[c].bounds;
    std::vector<LocalTime> also = {clocks_[c].first, clocks_[c].last};
    for (const Correction::Knot& knot : correction.knots()) also.push_back(knot.local);
    bool keeps = true;
    std::vector<TimeBounds::Interval> around;
    bounds.VisitBends(std::move(also), [&](std::span<const LocalTime> some) {
      around.resize(some.size());
      bounds.At(some, around);
      for (size_t i = 0; i < some.size(); ++i) {
        const LocalTime t = some[i];
        if (t < clocks_[c].first || t > clocks_[c].last) continue;
        const GlobalTime corrected = correction(t);
        const auto& [lower, upper] = around[i];
        keeps &= (!lower || (corrected - *lower).ns >= -kRoundingNs) &&
                 (!upper || (*upper - corrected).ns >= -kRoundingNs);
      }
    });
    return keeps;
  }

  // Whether no stretch of it, but for rounding, says that the clock left its limits.
  bool KeepsToLimits(size_t c, const Correction& correction) const {
    const auto limits = drift_bounded::RateLimits::Within(solution_.rate_limits_ppm[c]);
    const auto drift = [](int64_t limit) {
      return static_cast<double>(limit) / drift_bounded::RateLimits::kOne;
    };
    const Clock& clock = clocks_[c].clock;
    const auto leaves = [&](const Correction::Knot& p, const Correction::Knot& q) {
      const double counted = DifferenceOf(clock.NominalNs(q.local), clock.NominalNs(p.local));
      const double ahead = DifferenceOf(q.global.ns, p.global.ns) - counted;
      return ahead < drift(limits.slow) * counted - kRoundingNs ||
             ahead > drift(limits.fast) * counted + kRoundingNs;
    };
    const auto& knots = correction.knots();
    return std::adjacent_find(knots.begin(), knots.end(), leaves) == knots.end();
  }

  void Take(const DriftBoundedEstimate& found) {
    for (const uint64_t id : found.suspects) is_left_out_[id - FirstLikely()] = true;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!IsToMove(c)) continue;
      solution_.group.clocks[c] = Moved(c, found.group.clocks[c].correction);
    }
    solution_.guess_limits_ppm = found.guess_ppm;
  }

  size_t RootOf(size_t c) const {
    return solution_.group.roots[solution_.group.clocks[c].component].index();
  }
  bool IsToMove(size_t c) const {
    return c != RootOf(c) && solution_.group.clocks[c].quality == Quality::kAccurate;
  }
  ClockEstimate Moved(size_t c, Correction correction) const {
    const ClockEstimate& clock = solution_.group.clocks[c];
    ClockEstimate moved =
        DescribeClock(clocks_[c], std::move(correction), clock.bounds, clock.quality);
    moved.component = clock.component;
    moved.parent = clock.parent;
    moved.reason = clock.reason;
    return moved;
  }

  // Gives clocks the mean rates that the quick messages of all directions tell best, as far as
  // bounds, limits of rates and the order of certain messages allow it. The guess rests on the
  // quickest ones alone, and on those at both ends of the trace most.
  Result<void> TurnToMeanRates() {
    SYNCLINE_ASSIGN(const auto series, DelaysByDirection());
    const std::vector<double> drifts = RefineDrifts(clocks_.size(), series);
    SYNCLINE_ASSIGN(const uint64_t before, CountInverted(solution_.group));
    for (const double share : {1.0, 0.5, 0.25}) {
      std::optional<GroupEstimate> turned = Turned(drifts, share);
      if (!turned) continue;
      SYNCLINE_ASSIGN(const uint64_t after, CountInverted(*turned));
      if (after > before) continue;
      solution_.group = *std::move(turned);
      break;
    }
    return {};
  }

  // Of pairs with messages both ways, in corrected times; certain messages and likely ones apart,
  // of which delays differ. Implied ones are slower than likely ones of the same calls.
  Result<std::vector<DelaySeries>> DelaysByDirection() const {
    const uint64_t first_implied = FirstLikely() - loaded_.implied_messages.messages();
    const auto is_known = [&](size_t c) { return c == RootOf(c) || IsToMove(c); };
    std::map<std::pair<ClockPair, bool>, DelaySeries> series;
    SYNCLINE_TRY(Both()([&](const RecordedMessage& m) {
      const bool is_likely = m.id >= FirstLikely();
      const size_t from = m.from.index(), to = m.to.index();
      if ((m.id >= first_implied && !is_likely) || !is_known(from) || !is_known(to)) return;
      DelaySeries& of_direction = series[{{m.from, m.to}, is_likely}];
      of_direction.from = from;
      of_direction.to = to;
      const Point p{solution_.group.clocks[from].correction(m.sent).ns,
                    solution_.group.clocks[to].correction(m.received).ns};
      auto& points = of_direction.points;
      if (points.empty() || (IsNear(p.x, points[0].x) && IsNear(p.y, points[0].x))) {
        points.push_back(p);
      }
    }));
    // One way alone, clocks that drift look like delays that grow.
    std::set<ClockPair> directions;
    for (const auto& [direction, of_direction] : series) {
      if (of_direction.points.size() >= kLeastPoints) directions.insert(direction.first);
    }
    std::vector<DelaySeries> both_ways;
    for (auto& [direction, of_direction] : series) {
      const auto& [from, to] = direction.first;
      if (directions.contains({to, from})) both_ways.push_back(std::move(of_direction));
    }
    return both_ways;
  }

  // What RefineDrifts can take.
  static bool IsNear(int64_t a, int64_t b) { return std::abs(DifferenceOf(a, b)) < 0x1p60; }

  // Corrections turned by a share of the drifts, about the middle of the root's trace; none where
  // one leaves its bounds.
  std::optional<GroupEstimate> Turned(std::span<const double> drifts, double share) const {
    GroupEstimate turned = solution_.group;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!IsToMove(c)) continue;
      const size_t root = RootOf(c);
      const Correction& of_root = solution_.group.clocks[root].correction;
      const GlobalTime first = of_root(clocks_[root].first), last = of_root(clocks_[root].last);
      const Duration by{
          NearestInteger(share * (drifts[c] - drifts[root]) * DifferenceOf(last.ns, first.ns) / 2)};
      const auto line = Correction::FromKnots(
          {{LocalTime{first.ns}, first + by}, {LocalTime{last.ns}, last - by}});
      if (!line) continue;
      Correction correction = solution_.group.clocks[c].correction.Then(*line);
      // A clock of few messages, of which delays say little, stays as it is.
      if (!KeepsToLimits(c, correction)) continue;
      if (!KeepsToBounds(c, correction)) return std::nullopt;
      turned.clocks[c] = Moved(c, std::move(correction));
    }
    return turned;
  }

  const LoadedTraces& loaded_;
  std::span<const ClockInput> clocks_;
  const SolveOptions& solve_;
  DriftBoundedOptions options_;
  std::span<const uint64_t> left_out_;
  Solution& solution_;
  std::vector<bool> is_left_out_;  // by likely message
};

}  // namespace

Result<LargerLimits> RefineByLikely(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                                    const SolveOptions& solve, DriftBoundedOptions options,
                                    std::span<const uint64_t> left_out, Solution& solution) {
  const GroupEstimate& group = solution.group;
  const bool was_set =
      !group.steps.empty() || std::ranges::any_of(group.clocks, [](const auto& clock) {
        return !clock.later_epochs.empty();
      });
  const bool is_bent = solve.assume == SolveOptions::Assume::kBoundedDrift;
  if (loaded.likely_messages.messages() == 0 || was_set || !is_bent) {
    return LargerLimits{};
  }
  return LikelyRefinement(loaded, clocks, solve, options, left_out, solution).Run();
}

Result<void> CollectLate(const LoadedTraces& loaded, Solution& solution) {
  if (loaded.likely_messages.messages() == 0) return {};
  MessageStore others = loaded.likely_messages;
  others.SetAside(solution.late);
  const auto corrected = [&](const EventRef& event) {
    const ClockId clock = loaded.ClockOf(event);
    return solution.group.clocks[clock.index()].correction(event.time);
  };
  SYNCLINE_TRY(others.ForEach([&](const Message& m) {
    // What takes no time at all could close a circle with others that take none.
    if (corrected(m.receive) <= corrected(m.send)) solution.late.push_back(m);
  }));
  if (!solution.late.empty()) {
    const EventRef& end = solution.late.front().send;
    solution.diagnostics.Count(
        "late-ends", Severity::kInfo, solution.late.size(),
        fmt::format("{} at {} ns", loaded.traces.processes[end.process.index()].name,
                    end.time.ticks));
  }
  return {};
}

}  // namespace syncline
