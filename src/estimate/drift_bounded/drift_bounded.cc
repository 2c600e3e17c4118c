#include "estimate/drift_bounded/drift_bounded.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/contradictions.h"
#include "estimate/drift_bounded/corrections.h"
#include "estimate/drift_bounded/ladder.h"
#include "estimate/drift_bounded/one_sided.h"
#include "estimate/drift_bounded/tube.h"
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

// Only messages of one component.
MessagePass Within(const MessagePass& pass, std::vector<bool> is_inside) {
  return [&pass, is_inside = std::move(is_inside)](const MessageVisitor& visit) {
    return pass([&](const RecordedMessage& m) {
      if (is_inside[m.from.index()]) visit(m);
    });
  };
}

bool HasCoarseClock(std::span<const ClockInput> clocks) {
  return std::any_of(clocks.begin(), clocks.end(),
                     [](const ClockInput& c) { return c.clock.reading_ns > 0; });
}

// Which tracks of a clock have bounds on which sides.
struct Reach {
  bool is_any_open = false;  // of tracks with messages
  bool is_any = false;
};

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
        estimate_(estimate) {}

  Result<void> Run(size_t component) {
    const ClockId root = estimate_.group.roots[component];
    std::vector<bool> is_inside;
    for (const ClockEstimate& c : estimate_.group.clocks) {
      is_inside.push_back(c.component == component);
    }
    if (std::count(is_inside.begin(), is_inside.end(), true) < 2) return {};
    DriftBoundedFinding& finding = estimate_.components[component];
    Component problem(clocks_, root, Within(pass_, is_inside), delays_);
    auto explained = Explain(problem, options_);
    if (!explained) return tl::unexpected(explained.error());
    estimate_.out_of_range += explained->messages.out_of_range;
    const bool is_bounded = explained->reason.empty();
    if (explained->is_plain) Straight();
    finding = {is_bounded ? DriftBoundedFinding::State::kBounded
                          : DriftBoundedFinding::State::kContradicted,
               explained->reason};
    if (is_bounded && options_.max_wander_ppm) NarrowToWander(problem, *explained);
    if (is_bounded || explained->is_guess_possible) {
      Describe(problem, *explained, is_inside);
      const auto& suspects = explained->explanation.left_out;
      estimate_.suspects.insert(estimate_.suspects.end(), suspects.begin(), suspects.end());
    }
    if (!is_bounded) WithdrawBounds(is_inside, explained->reason);
    return {};
  }

 private:
  // Corrections stay what they are, but no bound is claimed.
  void WithdrawBounds(const std::vector<bool>& is_inside, const std::string& reason) {
    for (size_t c = 0; c < clocks_.size(); ++c) {
      ClockEstimate& clock = estimate_.group.clocks[c];
      if (!is_inside[c] || ClockId(static_cast<uint32_t>(c)) == RootOf(c)) continue;
      clock.WithdrawBounds();
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.reason = reason;
    }
  }

  // Limits about the mean rate of each clock's longest track, as far as bounds tell it.
  void NarrowToWander(const Component& problem, Explained& found) {
    const Solved solved = problem.Solve(found.explanation, found.messages, Stamps::kCoarse);
    const Graph& graph = *solved.graph;
    Explanation narrow = found.explanation;
    const int64_t wander = RateLimits::Within(*options_.max_wander_ppm).fast;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      uint32_t longest = found.explanation.tracks.first(c);
      const auto span = [&](uint32_t t) {
        const int32_t first = graph.first(t), end = graph.first(t + 1);
        return end > first ? graph.readings()[end - 1] - graph.readings()[first] : 0;
      };
      for (uint32_t t = longest; t < found.explanation.tracks.end(c); ++t) {
        if (span(t) > span(longest)) longest = t;
      }
      if (span(longest) == 0) continue;
      const int32_t first = graph.first(longest), last = graph.first(longest + 1) - 1;
      const bool is_open = solved.earliest.value[first] == Paths::kNone ||
                           solved.latest.value[first] == Paths::kNone;
      if (is_open) continue;
      const auto mean = [&](int64_t advance) {
        return static_cast<int64_t>(std::llround(static_cast<long double>(advance - span(longest)) /
                                                 static_cast<long double>(span(longest)) *
                                                 RateLimits::kOne));
      };
      RateLimits& limits = narrow.limits[c];
      const int64_t least = solved.earliest.value[last] + solved.latest.value[first];
      const int64_t most = -solved.latest.value[last] - solved.earliest.value[first];
      limits.slow = std::max(limits.slow, mean(least) - wander);
      limits.fast = std::min(limits.fast, mean(most) + wander);
    }
    if (problem.Solve(narrow, found.messages, Stamps::kCoarse).cycle().empty()) {
      found.explanation = std::move(narrow);
    } else {
      estimate_.is_wander_contradicted = true;
    }
  }

  ClockId RootOf(size_t clock) const {
    return estimate_.group.roots[estimate_.group.clocks[clock].component];
  }

  void Describe(const Component& problem, const Explained& found,
                const std::vector<bool>& is_inside) {
    const Solved bounds = problem.Solve(found.explanation, found.messages, Stamps::kCoarse);
    // Stamps of coarse clocks are taken as exact where that is possible.
    std::optional<Solved> exact;
    if (HasCoarseClock(clocks_)) {
      exact = problem.Solve(found.explanation, found.messages, Stamps::kExact);
      if (!exact->cycle().empty()) exact.reset();
    }
    const Solved& guessed = exact ? *exact : bounds;
    std::vector<uint32_t> clock_of;
    for (size_t t = 0; t < found.explanation.tracks.size(); ++t) {
      clock_of.push_back(found.explanation.tracks[t].clock.value);
    }
    std::vector<HalvedDirection> directions = found.messages.directions;
    for (size_t i = 0; i < directions.size(); ++i) {
      directions[i].least_delay_ns = guessed.graph->FloorNs(guessed.graph->links()[i].least_delay);
    }
    const std::vector<Track> tracks = problem.TracksOf(found.explanation, found.messages);
    std::vector<double> slopes;  // of the tree's lines
    for (const ClockEstimate& clock : estimate_.group.clocks) {
      slopes.push_back(-clock.drift_ppm * 1e-6);
    }
    const Guess guess = ClimbDown({.tracks = tracks,
                                   .clock_of = clock_of,
                                   .clocks = clocks_.size(),
                                   .directions = directions,
                                   .slopes = slopes,
                                   .graph = *guessed.graph,
                                   .earliest = guessed.earliest,
                                   .latest = guessed.latest});
    std::vector<int64_t> origins, latest;
    for (uint32_t c = 0; c < clocks_.size(); ++c) origins.push_back(problem.origin_ns(ClockId(c)));
    for (const int64_t v : guessed.latest.value) latest.push_back(-v);
    const bool is_straight =
        found.is_plain && AreLines(guess, is_inside) && HaveLines(problem.root());
    const int64_t root_origin = origins[problem.root().index()];
    const std::vector<int64_t> root_origins(clocks_.size(), root_origin);
    const EpochCorrections corrections = DrawCorrections({.clocks = clocks_,
                                                          .tracks = found.explanation.tracks,
                                                          .origins_ns = origins,
                                                          .reference_origins_ns = root_origins,
                                                          .graph = *guessed.graph,
                                                          .guess = guess.value,
                                                          .width = guess.width,
                                                          .earliest = guessed.earliest.value,
                                                          .latest = latest});
    std::vector<std::optional<Correction>> known(clocks_.size());
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!corrections[c].empty()) known[c] = corrections[c].front();
      if (is_straight && is_inside[c]) known[c] = estimate_.straight->group.clocks[c].correction;
    }
    const size_t root = problem.root().index();
    if (corrections[root].size() <= 1 &&
        found.explanation.tracks.end(root) - found.explanation.tracks.first(root) == 1) {
      known[root] = Correction::Nominal(clocks_[root].clock);
    }
    const auto lines = FindOneSidedLines(clocks_, directions, found.explanation.tracks, origins,
                                         known, options_.max_drift_ppm);
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!is_inside[c]) continue;
      estimate_.limits_ppm[c] = found.explanation.limits[c].WidestPpm();
      estimate_.guess_ppm[c] = guess.limit_ppm[c];
      const std::vector<std::optional<Correction>> line = {known[c]};
      DescribeOne(c, problem, found.explanation.tracks, bounds, is_straight ? line : corrections[c],
                  lines[c]);
    }
    AddSteps(problem, found.explanation.tracks, *guessed.graph, guess.value);
    CountRootSteps(problem, found.explanation.tracks, *guessed.graph);
    for (const Explained::Raised& raised : found.raised) {
      const Clock& clock = clocks_[raised.clock.index()].clock;
      const ClockEstimate& described = estimate_.group.clocks[raised.clock.index()];
      estimate_.raised.push_back(
          {.clock = raised.clock,
           .needed_ppm = raised.needed_ppm,
           .limit_ppm = raised.limit_ppm,
           .about = described.correction(clock.FromNominalNs(
               raised.about_ns.value_or(clock.NominalNs(clocks_[raised.clock.index()].first))))});
    }
  }

  // How many of the root's tracks with messages come before the one that keeps its time.
  void CountRootSteps(const Component& problem, const TrackTable& tracks, const Graph& graph) {
    size_t before = 0;
    const size_t root = problem.root().index();
    for (uint32_t t = tracks.first(root); !graph.track(t).is_reference; ++t) {
      before += graph.first(t) < graph.first(t + 1) ? 1 : 0;
    }
    estimate_.group.root_steps_before.resize(estimate_.group.roots.size(), 0);
    estimate_.group.root_steps_before[estimate_.group.clocks[root].component] = before;
  }

  bool AreLines(const Guess& guess, const std::vector<bool>& is_inside) const {
    for (size_t c = 0; c < clocks_.size(); ++c) {
      const bool is_root = ClockId(static_cast<uint32_t>(c)) == RootOf(c);
      const bool has_epochs = clocks_[c].epochs.size() > 1;
      if (is_inside[c] && !is_root && (!guess.is_line[c] || has_epochs)) return false;
    }
    return true;
  }
  // Whether straight lines fit the messages of the root's component.
  bool HaveLines(ClockId root) {
    const ClockEstimate& line = Straight().group.clocks[root.index()];
    return Straight().components[line.component].state == JointFinding::State::kJoint;
  }
  const JointEstimate& Straight() {
    if (!estimate_.straight) {
      estimate_.straight =
          EstimateJoint(clocks_, pairs_,
                        {.reference = options_.reference, .max_drift_ppm = options_.max_drift_ppm});
    }
    return *estimate_.straight;
  }

  // A step wherever one track of a clock follows another one.
  void AddSteps(const Component& problem, const TrackTable& tracks, const Graph& graph,
                std::span<const int64_t> guess) {
    const auto global = [&](int64_t units) {
      return GlobalTime{
          Saturate(static_cast<Int128>(graph.FloorNs(units)) + problem.origin_ns(problem.root()))};
    };
    const auto reading = [&](uint32_t t, int32_t n) {
      const size_t c = tracks[t].clock.index();
      return clocks_[c].clock.FromNominalNs(problem.origin_ns(tracks[t].clock) +
                                            graph.FloorNs(graph.readings()[n]));
    };
    int32_t last = -1;  // node of the clock's track before
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      if (t > 0 && tracks[t].clock != tracks[t - 1].clock) last = -1;
      const int32_t first = graph.first(t);
      if (first == graph.first(t + 1) || guess[first] == Paths::kNone) continue;
      if (tracks[t].is_between) continue;
      if (last >= 0) {
        estimate_.group.steps.push_back(
            {.clock = tracks[t].clock,
             .ahead_ns = graph.FloorNs((graph.readings()[first] - guess[first]) -
                                       (graph.readings()[last] - guess[last])),
             .after = global(guess[last]),
             .before = global(guess[first]),
             .after_local = reading(t, last),
             .before_local = reading(t, first)});
      }
      last = graph.first(t + 1) - 1;
    }
  }

  // A clock's tubes by epoch.
  std::vector<TimeBounds> TubesOf(size_t c, const Component& problem, const TrackTable& tracks,
                                  const Solved& bounds, Reach& reach) const {
    std::vector<TimeBounds> tubes;
    uint32_t t = tracks.first(c);
    while (t < tracks.end(c)) {
      const uint32_t epoch = tracks[t].epoch;
      std::vector<TrackTube> of_epoch;
      for (; t < tracks.end(c) && tracks[t].epoch == epoch; ++t) {
        if (bounds.graph->first(t) == bounds.graph->first(t + 1)) continue;
        of_epoch.push_back(TubeOf(*bounds.graph, bounds.earliest, bounds.latest, t));
        const bool is_open = of_epoch.back().earliest.front() == Paths::kNone ||
                             of_epoch.back().latest.front() == -Paths::kNone;
        reach.is_any_open |= is_open;
        reach.is_any = true;
      }
      auto tube = std::make_shared<const Tube>(problem.origin_ns(ClockId(static_cast<uint32_t>(c))),
                                               problem.origin_ns(problem.root()),
                                               bounds.graph->shift(), std::move(of_epoch));
      tubes.emplace_back(clocks_[c].clock, std::move(tube));
    }
    return tubes;
  }

  // Of an epoch that messages lead to, or from, but not both: the clock's own rate, at the height
  // that just satisfies all of them.
  std::optional<Correction> OneSidedEpoch(size_t c, uint32_t epoch, const Component& problem,
                                          const TrackTable& tracks, const Solved& bounds) const {
    const Graph& graph = *bounds.graph;
    std::optional<int64_t> height, reading;
    for (uint32_t t = tracks.first(c); t < tracks.end(c); ++t) {
      for (int32_t n = graph.first(t); tracks[t].epoch == epoch && n < graph.first(t + 1); ++n) {
        const int64_t z = graph.readings()[n];
        const bool is_lower = bounds.earliest.value[n] != Paths::kNone;
        const bool is_upper = bounds.latest.value[n] != Paths::kNone;
        if (is_lower == is_upper) continue;
        const int64_t own = is_lower ? bounds.earliest.value[n] - z : -bounds.latest.value[n] - z;
        if (!height) {
          height = own;
          reading = z;
        }
        height = is_lower ? std::max(*height, own) : std::min(*height, own);
      }
    }
    if (!height) return std::nullopt;
    constexpr int64_t kApartNs = 1'000'000'000;
    const int64_t at_ns =
        problem.origin_ns(ClockId(static_cast<uint32_t>(c))) + graph.FloorNs(*reading);
    const int64_t global_ns = problem.origin_ns(problem.root()) + graph.CeilNs(*reading + *height);
    const Clock& clock = clocks_[c].clock;
    auto line =
        Correction::FromKnots({{clock.FromNominalNs(at_ns), {global_ns}},
                               {clock.FromNominalNs(at_ns + kApartNs), {global_ns + kApartNs}}});
    return line ? std::optional(*std::move(line)) : std::nullopt;
  }

  void DescribeOne(size_t c, const Component& problem, const TrackTable& tracks,
                   const Solved& bounds, const std::vector<std::optional<Correction>>& corrections,
                   const std::optional<Line>& line) {
    ClockEstimate& clock = estimate_.group.clocks[c];
    const size_t component = clock.component;
    const bool is_root = ClockId(static_cast<uint32_t>(c)) == problem.root();
    if (is_root && tracks.end(c) - tracks.first(c) == 1) return;
    Reach reach;
    std::vector<TimeBounds> tubes = TubesOf(c, problem, tracks, bounds, reach);
    const ClockInput& input = clocks_[c];
    const auto known = std::find_if(corrections.begin(), corrections.end(),
                                    [](const auto& correction) { return correction.has_value(); });
    if (known != corrections.end()) {
      // An epoch without messages goes on as another one.
      Correction last = **known;
      std::vector<ClockEpoch> epochs;
      for (size_t e = 0; e < tubes.size(); ++e) {
        if (corrections[e]) {
          last = *corrections[e];
        } else if (auto own = OneSidedEpoch(c, static_cast<uint32_t>(e), problem, tracks, bounds)) {
          last = *std::move(own);
        }
        epochs.push_back({last, std::move(tubes[e])});
      }
      Correction first = std::move(epochs.front().correction);
      TimeBounds bounds_of_first = std::move(epochs.front().bounds);
      epochs.erase(epochs.begin());
      clock = DescribeClock(input, std::move(first), std::move(bounds_of_first), std::move(epochs),
                            reach.is_any_open ? Quality::kIncomplete : Quality::kAccurate);
    } else if (line) {
      clock = DescribeClock(input, Affine(*line), std::move(tubes.front()), Quality::kIncomplete);
    }
    if (clock.quality == Quality::kIncomplete) clock.reason = "messages in one direction only";
    clock.component = component;
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const DriftBoundedOptions& options_;
  const MessagePass& pass_;
  DelayMap delays_;
  DriftBoundedEstimate& estimate_;
};

}  // namespace
}  // namespace drift_bounded

Result<DriftBoundedEstimate> EstimateDriftBounded(std::span<const ClockInput> clocks,
                                                  std::span<const PairInput> pairs,
                                                  const MessagePass& messages,
                                                  const DriftBoundedOptions& options) {
  DriftBoundedEstimate estimate;
  estimate.group = EstimateTree(clocks, pairs, {.reference = options.reference});
  estimate.components.resize(estimate.group.roots.size());
  estimate.limits_ppm.assign(clocks.size(), 0);
  estimate.guess_ppm.assign(clocks.size(), 0);
  drift_bounded::Estimation estimation(clocks, options, pairs, messages, estimate);
  for (size_t i = 0; i < estimate.group.roots.size(); ++i) {
    if (auto done = estimation.Run(i); !done) return tl::unexpected(done.error());
  }
  std::sort(estimate.suspects.begin(), estimate.suspects.end());
  return estimate;
}

}  // namespace syncline
