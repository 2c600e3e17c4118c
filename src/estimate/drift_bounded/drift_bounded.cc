#include "estimate/drift_bounded/drift_bounded.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/best_guess.h"
#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/contradictions.h"
#include "estimate/drift_bounded/corrections.h"
#include "estimate/drift_bounded/epoch_order.h"
#include "estimate/drift_bounded/raised_limits.h"
#include "estimate/drift_bounded/tube.h"
#include "estimate/drift_bounded/unsettled.h"
#include "estimate/drift_bounded/within_bounds.h"
#include "estimate/groups/tree_error.h"

namespace syncline {
namespace drift_bounded {
namespace {

DelayMap DelaysOf(std::span<const PairInput> pairs) {
  DelayMap delays;
  for (const PairInput& pair : pairs) {
    delays[{pair.a, pair.b}] = pair.estimate.min_delays.ab_ns;
    delays[{pair.b, pair.a}] = pair.estimate.min_delays.ba_ns;
  }
  return delays;
}

bool HasCoarseClock(std::span<const ClockInput> clocks) {
  return std::ranges::any_of(clocks, [](const ClockInput& c) { return c.clock.reading_ns > 0; });
}

class Estimation {
 public:
  Estimation(std::span<const ClockInput> clocks, const DriftBoundedOptions& options,
             std::span<const PairInput> pairs, const MessagePass& pass,
             DriftBoundedEstimate& estimate)
      : clocks_(clocks),
        pairs_(pairs),
        options_(options),
        pass_(pass),
        delays_(DelaysOf(pairs)),
        tree_(estimate.group),
        estimate_(estimate) {}

  Result<void> Run(size_t component) {
    const ClockId root = estimate_.group.roots[component];
    std::vector<bool> is_inside;
    for (const ClockEstimate& c : estimate_.group.clocks) {
      is_inside.push_back(c.component == component);
    }
    if (std::ranges::count(is_inside, true) < 2) return {};
    Component problem(clocks_, root, pass_, delays_, is_inside);
    SYNCLINE_ASSIGN(Explained explained, Explain(problem, options_));
    const bool is_bounded = explained.reason.empty();
    estimate_.components[component] = {is_bounded ? DriftBoundedFinding::State::kBounded
                                                  : DriftBoundedFinding::State::kContradicted,
                                       explained.reason};
    if (is_bounded && options_.max_wander_ppm) NarrowToWander(problem, explained);
    std::optional<Guessed> guessed;
    const auto guess = [&] {
      if (is_bounded || explained.is_guess_possible) guessed = MakeGuess(problem, explained);
    };
    // Others look for lines while the guess is made here; alone, they are looked for where wanted.
    const bool finds_straight =
        explained.is_plain && (options_.bounds_straight || pass_.team() != nullptr);
    finds_straight ? FindStraightWhile(guess) : guess();
    if (guessed) {
      Describe(problem, explained, *guessed, is_inside);
      const auto& suspects = explained.explanation.left_out;
      estimate_.suspects.insert(estimate_.suspects.end(), suspects.begin(), suspects.end());
    }
    if (!is_bounded) WithdrawBounds(is_inside, explained.reason);
    return {};
  }

 private:
  // What bounds rest on.
  struct Claimed {
    std::shared_ptr<const Solved> solved;
    std::shared_ptr<const Solved> guessed;  // what corrections keep to, which is no wider
    const Graph& all;                       // also of messages that tell too little
    std::vector<bool> is_unsettled;         // by track
    const StepSides& sides;
  };

  struct Guessed {
    std::shared_ptr<const Solved> exact;
    std::optional<Unsettled> unsettled;
    BestGuess guess;
    std::vector<int64_t> origins;  // by clock
    EpochCorrections drawn;
  };

  // Corrections stay what they are, but no bound is claimed.
  void WithdrawBounds(const std::vector<bool>& is_inside, const std::string& reason) {
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!is_inside[c] || IsRoot(c)) continue;
      ClockEstimate& clock = estimate_.group.clocks[c];
      clock.WithdrawBounds();
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.reason = reason;
    }
    for (ClockJump& step : estimate_.group.steps) {
      if (is_inside[step.clock.index()]) step.known.reset();
    }
  }

  void NarrowToWander(const Component& problem, Explained& found) {
    Explanation narrow = found.explanation;
    narrow.limits = LimitsAboutMeans(found.explanation, *found.bounds, *options_.max_wander_ppm);
    Solved narrowed = problem.Solve(narrow, found.messages, Stamps::kCoarse);
    estimate_.is_wander_contradicted |= !narrowed.paths.cycle().empty();
    if (!narrowed.paths.cycle().empty()) return;
    found.explanation = std::move(narrow);
    found.bounds = std::make_shared<const Solved>(std::move(narrowed));
  }

  bool IsRoot(size_t clock) const {
    return estimate_.group.roots[estimate_.group.clocks[clock].component].index() == clock;
  }

  // Of least delays, `found` has those of the guess afterwards.
  Guessed MakeGuess(const Component& problem, Explained& found) const {
    const TrackTable& tracks = found.explanation.tracks;
    Guessed guessed;
    auto& [exact, unsettled, guess, origins, drawn] = guessed;
    // Stamps of coarse clocks are taken as exact where that is possible.
    if (HasCoarseClock(clocks_)) {
      exact = std::make_shared<const Solved>(
          problem.Solve(found.explanation, found.messages, Stamps::kExact));
      if (!exact->paths.cycle().empty()) exact.reset();
    }
    const auto& [graph, paths] = exact ? *exact : *found.bounds;
    unsettled = FindUnsettled(found.explanation, found.messages, *found.bounds);
    std::vector<KeptDirection>& directions = found.messages.directions;
    for (size_t i = 0; i < directions.size(); ++i) {
      directions[i].least_delay_ns = graph.FloorNs(graph.links()[i].least_delay);
    }
    std::vector<double> slopes;  // of the tree's lines
    for (const ClockEstimate& clock : estimate_.group.clocks) {
      slopes.push_back(-clock.drift_ppm * 1e-6);
    }
    guess = FindBestGuess({tracks, directions, slopes, graph, paths},
                          unsettled ? unsettled->tracks : std::vector<bool>{});
    for (uint32_t c = 0; c < clocks_.size(); ++c) origins.push_back(problem.origin_ns(ClockId(c)));
    drawn = DrawCorrections({clocks_, tracks, origins, origins[problem.root().index()], graph,
                             paths, guess, found.sides.certain});
    return guessed;
  }

  void Describe(const Component& problem, const Explained& found, const Guessed& guessed,
                const std::vector<bool>& is_inside) {
    const TrackTable& tracks = found.explanation.tracks;
    const Solved& bounds = *found.bounds;
    const auto& [exact, unsettled, guess, origins, drawn] = guessed;
    const Solved& chosen = exact ? *exact : bounds;
    const size_t root = problem.root().index();
    const bool are_lines = found.is_plain && AreLines(guess, is_inside);
    if (are_lines) FindStraightWhile({});
    const bool is_straight =
        are_lines && HaveLines(problem.root()) && KeepToLimits(drawn, found.explanation.limits);
    std::vector<std::optional<Correction>> known(clocks_.size());
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!drawn[c].empty()) known[c] = drawn[c].front();
      if (is_straight && is_inside[c]) known[c] = estimate_.straight->group.clocks[c].correction;
    }
    if (drawn[root].size() <= 1 && tracks.end(root) - tracks.first(root) == 1) {
      known[root] = Correction::Nominal(clocks_[root].clock);
    }
    const auto one_sided = FindOneSidedLines(clocks_, found.messages.directions, tracks, origins,
                                             known, options_.max_drift_ppm);
    std::shared_ptr<const Solved> settled = found.bounds;
    if (unsettled) {
      settled = std::make_shared<const Solved>(
          problem.Solve(found.explanation, unsettled->messages, Stamps::kCoarse));
    }
    const Claimed claimed{settled, exact ? exact : settled, bounds.graph,
                          unsettled ? unsettled->tracks : std::vector<bool>(tracks.size()),
                          found.sides};
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!is_inside[c]) continue;
      estimate_.limits_ppm[c] = found.explanation.limits[c].WidestPpm();
      estimate_.guess_ppm[c] = guess.limit_ppm[c];
      std::vector<std::optional<Correction>> corrections = drawn[c];
      if (is_straight) corrections = {known[c]};
      const bool is_one_sided = corrections.size() == 1 && one_sided[c];
      if (is_one_sided) corrections.front() = one_sided[c];
      // Strings go through gates within the bounds of all nodes. Where rates have no limit, knots
      // that rounding brings together are left out.
      const bool is_string = !is_straight && !is_one_sided;
      const bool is_limited = estimate_.limits_ppm[c] < RateLimits::kAnyPpm;
      const AtNodes at_nodes = is_string && is_limited ? AtNodes::kWithin : AtNodes::kUnknown;
      DescribeOne(c, problem, tracks, claimed, corrections, at_nodes);
    }
    AddSteps(problem, tracks, chosen, guess, claimed);
    CountRootSteps(root, tracks, chosen.graph);
    for (const RaisedLimits::Raised& raised : found.raised) AddRaised(raised);
  }

  void AddRaised(const RaisedLimits::Raised& raised) {
    const ClockInput& input = clocks_[raised.clock.index()];
    const LocalTime about =
        input.clock.FromNominalNs(raised.about_ns.value_or(input.clock.NominalNs(input.first)));
    estimate_.raised.push_back(
        {.clock = raised.clock,
         .needed_ppm = raised.needed_ppm,
         .limit_ppm = raised.limit_ppm,
         .about = estimate_.group.clocks[raised.clock.index()].correction(about),
         .round_trip = raised.round_trip});
  }

  // How many of the root's tracks with messages come before the one that keeps its time.
  void CountRootSteps(size_t root, const TrackTable& tracks, const Graph& graph) {
    size_t before = 0;
    for (uint32_t t = tracks.first(root); !graph.track(t).is_reference; ++t) {
      before += graph.HasNodes(t) ? 1 : 0;
    }
    estimate_.group.root_steps_before.resize(estimate_.group.roots.size(), 0);
    estimate_.group.root_steps_before[estimate_.group.clocks[root].component] = before;
  }

  bool AreLines(const BestGuess& guess, const std::vector<bool>& is_inside) const {
    for (size_t c = 0; c < clocks_.size(); ++c) {
      const bool is_line = (IsRoot(c) || guess.is_line[c]) && clocks_[c].epochs.size() <= 1;
      if (is_inside[c] && !is_line) return false;
    }
    return true;
  }
  // Whether straight lines fit the messages of the root's component.
  bool HaveLines(ClockId root) {
    const ClockEstimate& line = estimate_.straight->group.clocks[root.index()];
    return estimate_.straight->components[line.component].state == JointFinding::State::kJoint;
  }
  // Whether the lines of all clocks that have another correction do. Of pairs each clock's rate by
  // the other one is limited, and for those that have no limit there may be lines that stand still.
  bool KeepToLimits(const EpochCorrections& drawn, std::span<const RateLimits> limits) {
    constexpr double kRounding = 1e-9;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (IsRoot(c) || drawn[c].empty() || !drawn[c].front()) continue;
      const double drift = estimate_.straight->group.clocks[c].drift_ppm * 1e-6;
      const double limit = -drift / (1 + drift);  // as RateLimits has it
      const auto of = [](int64_t units) {
        return static_cast<double>(units) / static_cast<double>(RateLimits::kOne);
      };
      if (limit < of(limits[c].slow) - kRounding || limit > of(limits[c].fast) + kRounding) {
        return false;
      }
    }
    return true;
  }
  // Of all components, once. It rests on pairs alone, so that the rest need not wait.
  void FindStraightWhile(const std::function<void()>& other) {
    if (estimate_.straight) {
      if (other) other();
      return;
    }
    estimate_.straight = EstimateJoint(clocks_, pairs_,
                                       {.reference = options_.reference,
                                        .max_drift_ppm = options_.max_drift_ppm,
                                        .measures_bounds = options_.bounds_straight,
                                        .team = pass_.team()},
                                       std::move(tree_), other);
  }

  // Of a step between nodes of two tracks of a clock.
  static std::optional<ClockJump::Known> KnownOf(const Component& problem, const Claimed& claimed,
                                                 int32_t before, int32_t behind) {
    const uint32_t tracks[2] = {claimed.all.TrackOf(before), claimed.all.TrackOf(behind)};
    const auto& [graph, paths] = *claimed.solved;
    for (const uint32_t t : tracks) {
      if (claimed.is_unsettled[t] || !paths.IsBounded(graph, t)) return std::nullopt;
    }
    const int32_t p = graph.first(tracks[0] + 1) - 1, q = graph.first(tracks[1]);
    const Jump jump = JumpBetween(graph, paths, p, q);
    const int64_t origin_ns = problem.origin_ns(problem.root());
    const bool is_open = jump.least <= -OffsetInterval::kOpen;
    return ClockJump::Known{is_open ? std::nullopt : std::optional(jump.least),
                            jump.most,
                            {SaturatedSum(graph.FloorNs(paths.earliest.value[p]), origin_ns)},
                            {SaturatedSum(graph.CeilNs(-paths.latest.value[q]), origin_ns)}};
  }

  // A step wherever one track of a clock follows another one.
  void AddSteps(const Component& problem, const TrackTable& tracks, const Solved& solved,
                const BestGuess& guess, const Claimed& claimed) {
    const Graph& graph = solved.graph;
    const BothPaths& paths = solved.paths;
    // Where there is no guess, the one bound that there is: of what is settled.
    const auto placed = [&](int32_t n) {
      const uint32_t track = graph.TrackOf(n);
      if (guess.IsKnown(graph, track)) return guess.at[n];
      if (claimed.is_unsettled[track]) return Paths::kNone;
      if (paths.earliest.value[n] != Paths::kNone) return paths.earliest.value[n];
      return paths.latest.value[n] == Paths::kNone ? Paths::kNone : -paths.latest.value[n];
    };
    const auto global = [&](int32_t n) {
      return GlobalTime{SaturatedSum(graph.FloorNs(placed(n)), problem.origin_ns(problem.root()))};
    };
    const auto reading = [&](uint32_t t, int32_t n) {
      const ClockId clock = tracks[t].clock;
      return clocks_[clock.index()].clock.FromNominalNs(problem.origin_ns(clock) +
                                                        graph.FloorNs(graph.readings()[n]));
    };
    const auto ahead = [&](int32_t n) { return graph.readings()[n] - placed(n); };
    // Where it is not known which clocks were set, one can have gone on.
    const auto went_on = [&](uint32_t t, int32_t p, int32_t q) {
      if (!claimed.is_unsettled[t] && !claimed.is_unsettled[graph.TrackOf(p)]) return false;
      const RateLimits rate = graph.track(t).rate;
      const int64_t readings = graph.readings()[q] - graph.readings()[p];
      const int64_t passed = placed(q) - placed(p);
      return Slowest(readings, rate) <= passed && passed <= Fastest(readings, rate);
    };
    int32_t last = -1;  // node of the clock's track before
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      if (t > 0 && tracks[t].clock != tracks[t - 1].clock) last = -1;
      const int32_t first = graph.first(t);
      if (!graph.HasNodes(t) || placed(first) == Paths::kNone || tracks[t].is_between) continue;
      if (last >= 0 && !went_on(t, last, first)) {
        estimate_.group.steps.push_back({.clock = tracks[t].clock,
                                         .ahead_ns = graph.FloorNs(ahead(first) - ahead(last)),
                                         .after = global(last),
                                         .before = std::max(global(last), global(first)),
                                         .after_local = reading(t, last),
                                         .before_local = reading(t, first),
                                         .known = KnownOf(problem, claimed, last, first)});
      }
      last = graph.first(t + 1) - 1;
    }
  }

  // A clock's tubes by epoch, and whether any of them is open.
  using Tubes = std::vector<std::shared_ptr<const Tube>>;
  std::pair<Tubes, bool> TubesOf(size_t c, const Component& problem, const TrackTable& tracks,
                                 const Claimed& claimed,
                                 const std::shared_ptr<const Solved>& solved) const {
    const Solved& bounds = *solved;
    Tubes tubes;
    bool is_any_open = false;
    uint32_t t = tracks.first(c);
    while (t < tracks.end(c)) {
      const uint32_t epoch = tracks[t].epoch;
      std::vector<TrackTube> of_epoch;
      for (; t < tracks.end(c) && tracks[t].epoch == epoch; ++t) {
        if (!claimed.all.HasNodes(t)) continue;
        const bool is_known = bounds.graph.HasNodes(t) && !claimed.is_unsettled[t];
        of_epoch.push_back(is_known ? TubeOf(bounds.graph, bounds.paths, t, solved)
                                    : OpenTube(claimed.all, t));
        of_epoch.back().is_open_before = claimed.sides.is_open_before[t];
        of_epoch.back().is_open_behind = claimed.sides.is_open_behind[t];
        is_any_open |= !is_known || !bounds.paths.IsBounded(bounds.graph.first(t)) ||
                       claimed.sides.is_open_before[t] || claimed.sides.is_open_behind[t];
      }
      tubes.push_back(std::make_shared<const Tube>(
          problem.origin_ns(ClockId(static_cast<uint32_t>(c))), problem.origin_ns(problem.root()),
          bounds.graph.shift(), std::move(of_epoch)));
    }
    return {std::move(tubes), is_any_open};
  }

  void DescribeOne(size_t c, const Component& problem, const TrackTable& tracks,
                   const Claimed& claimed,
                   const std::vector<std::optional<Correction>>& corrections, AtNodes at_nodes) {
    ClockEstimate& clock = estimate_.group.clocks[c];
    const size_t component = clock.component;
    if (IsRoot(c) && tracks.end(c) - tracks.first(c) == 1) return;
    const std::pair<Tubes, bool> known_tubes = TubesOf(c, problem, tracks, claimed, claimed.solved);
    const Tubes& tubes = known_tubes.first;
    const bool is_any_open = known_tubes.second;
    const bool is_same = claimed.guessed == claimed.solved;
    const Tubes narrow =
        is_same ? tubes : TubesOf(c, problem, tracks, claimed, claimed.guessed).first;
    const ClockId id(static_cast<uint32_t>(c));
    const ClockInput& input = clocks_[c];
    Clock at_stamps = input.clock;
    at_stamps.reading_ns = 0;
    const auto within = [&](const Correction& correction, size_t e, AtNodes known_at) {
      const ReadingSpan all{std::min(input.first, input.last), std::max(input.first, input.last)};
      const ReadingSpan span = tubes.size() > 1 ? input.epochs[e] : all;
      return WithinBounds(correction, {at_stamps, narrow[e]}, span, known_at);
    };
    const auto known = std::ranges::find_if(
        corrections, [](const auto& correction) { return correction.has_value(); });
    const Quality quality = is_any_open ? Quality::kIncomplete : Quality::kAccurate;
    // Most are within already, which measuring the bounds shows.
    std::optional<ClockEstimate> unmoved;
    if (known != corrections.end() && tubes.size() == 1 && is_same && input.clock.reading_ns == 0) {
      unmoved = DescribeClock(input, **known, TimeBounds(input.clock, tubes[0]), quality);
    }
    if (unmoved && unmoved->is_within_bounds) {
      clock = *std::move(unmoved);
    } else if (known != corrections.end() || tubes.size() > 1) {
      std::vector<DrawnEpoch> drawn;
      for (uint32_t e = 0; e < tubes.size(); ++e) {
        const bool is_given = e < corrections.size() && corrections[e];
        if (is_given) {
          drawn.push_back({*corrections[e]});
        } else if (auto own = OneSidedEpoch(id, e, problem, tracks, *claimed.solved)) {
          drawn.push_back(*std::move(own));
        } else {
          // An epoch without messages goes on as another one.
          const Correction& other = known == corrections.end() ? clock.correction : **known;
          drawn.push_back({drawn.empty() ? other : drawn.back().correction, true, true});
        }
        drawn.back().correction =
            within(drawn.back().correction, e, is_given ? at_nodes : AtNodes::kUnknown);
      }
      if (drawn.size() > 1) drawn = PutInOrder(std::move(drawn), input.epochs);
      std::vector<ClockEpoch> later;
      for (size_t e = 1; e < drawn.size(); ++e) {
        later.push_back({std::move(drawn[e].correction), {input.clock, tubes[e]}});
      }
      clock = DescribeClock(input, std::move(drawn[0].correction), {input.clock, tubes[0]}, quality,
                            std::move(later));
    } else {
      clock.WithdrawBounds();
      clock.quality = std::max(clock.quality, Quality::kApproximate);
    }
    const auto is_any = [from = tracks.first(c), to = tracks.end(c)](const std::vector<bool>& of) {
      return std::find(of.begin() + from, of.begin() + to, true) != of.begin() + to;
    };
    if (clock.quality == Quality::kIncomplete) {
      clock.reason = is_any(claimed.is_unsettled)
                         ? "set when too few messages could tell which clocks were"
                     : is_any(claimed.sides.is_open_before) || is_any(claimed.sides.is_open_behind)
                         ? "set more often than messages tell"
                     : tracks.end(c) - tracks.first(c) > 1
                         ? "messages in one direction only before or behind a step"
                         : "messages in one direction only";
    }
    clock.component = component;
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const DriftBoundedOptions& options_;
  const MessagePass& pass_;
  DelayMap delays_;
  GroupEstimate tree_;
  DriftBoundedEstimate& estimate_;
};

}  // namespace
}  // namespace drift_bounded

Result<DriftBoundedEstimate> EstimateDriftBounded(std::span<const ClockInput> clocks,
                                                  std::span<const PairInput> pairs,
                                                  const MessagePass& messages,
                                                  const DriftBoundedOptions& options) {
  DriftBoundedEstimate estimate;
  estimate.group =
      EstimateTree(clocks, pairs, {.reference = options.reference, .measures_bounds = false});
  estimate.components.resize(estimate.group.roots.size());
  estimate.limits_ppm.assign(clocks.size(), 0);
  estimate.guess_ppm.assign(clocks.size(), 0);
  drift_bounded::Estimation estimation(clocks, options, pairs, messages, estimate);
  for (size_t i = 0; i < estimate.group.roots.size(); ++i) {
    SYNCLINE_TRY(estimation.Run(i));
  }
  std::ranges::sort(estimate.suspects);
  return estimate;
}

}  // namespace syncline
