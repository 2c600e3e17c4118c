#include "estimate/drift_bounded/best_guess.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "estimate/drift_bounded/strings.h"
#include "estimate/drift_bounded/wide_tracks.h"
#include "estimate/joint/analytic_centre.h"

namespace syncline::drift_bounded {
namespace {

// Up to which share of a track's widths are usual: for the strings that become the guess, and for
// those that limits stand about, which may not follow noise.
constexpr double kUsual = 1.0 / 4;
constexpr double kUsualOfCourse = 1.0 / 16;
// Of what a string may stray, what a correction may stray from it.
constexpr double kToleranceShare = 0.5;

class GuessSearch {
 public:
  GuessSearch(const LadderInput& input, const std::vector<bool>& is_unsettled)
      : in_(input), is_unsettled_(is_unsettled) {}

  BestGuess Run() {
    Guess guess = ClimbDown(in_);
    if (!is_unsettled_.empty()) {
      GoOnInWideTracks(in_.tracks, is_unsettled_, in_.graph, in_.paths, guess);
    }
    BestGuess best{{}, {}, guess.limit_ppm, guess.is_line};
    if (std::ranges::find(guess.is_line, false) != guess.is_line.end()) {
      Strings course = FeasibleStrings(guess, kUsualOfCourse);
      if (auto again = ClimbAgain(guess, course.at)) {
        guess = *std::move(again);
        guess.asked_by = std::move(course.at);
      }
    }
    Strings strings = FeasibleStrings(guess, kUsual);
    Centre(strings.at);
    for (int64_t& tau : strings.tau) {
      tau = static_cast<int64_t>(kToleranceShare * static_cast<double>(tau));
    }
    best.at = std::move(strings.at);
    best.tolerance = std::move(strings.tau);
    return best;
  }

 private:
  size_t ClockOf(size_t track) const { return in_.tracks[track].clock.index(); }

  Strings FeasibleStrings(const Guess& guess, double usual) {
    Strings strings =
        DrawStrings({in_.tracks, in_.graph, in_.paths, guess, usual}, std::move(room_));
    MakeFeasible(in_.graph, strings.at, room_);
    return strings;
  }

  // With limits about the times `at` instead of lines; its tubes are to be asked by these. None
  // where rounding leaves no such times.
  std::optional<Guess> ClimbAgain(const Guess& guess, const std::vector<int64_t>& at) const {
    constexpr double kLeastPpm = 1e-3;
    std::vector<RateLimits> rates;
    std::vector<bool> known;
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      const double limit = std::max(guess.limit_ppm[ClockOf(t)], kLeastPpm);
      const bool is_exact = in_.graph.track(t).rate == RateLimits{};
      rates.push_back(is_exact ? RateLimits{}
                               : RateLimits::Within(std::min(limit, RateLimits::kMostPpm)));
      known.push_back(guess.tracks[t].IsKnown());
    }
    const Graph aligned = in_.graph.Aligned(at, known, rates);
    const BothPaths paths = std::move(FindBothPaths({&aligned, 1}).front());
    if (!paths.cycle().empty()) return std::nullopt;
    std::vector<KeptDirection> directions;
    for (const Graph::Links& links : aligned.links()) {
      if (links.is_order) continue;
      directions.push_back({links.from, links.to, links.least_delay, {}});
      std::vector<Constraint>& all = directions.back().all;
      all.reserve(links.links.size());
      for (const auto& [send, receive] : links.links) {
        all.push_back({aligned.readings()[send], aligned.readings()[receive], all.size()});
      }
    }
    const std::vector<double> slopes(in_.slopes.size(), 0.0);
    Guess again = ClimbDown({in_.tracks, directions, slopes, aligned, paths, in_.enough});
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      // What is told by no tube stays at these times.
      if (again.tracks[t].IsKnown() && guess.tracks[t].known.empty()) continue;
      again.tracks[t] = {};
      guess.VisitNodes(in_.graph, t, [&](int32_t n, int64_t, const Middle& m) {
        again.tracks[t].known.push_back({at[n], m.width});
      });
    }
    return again;
  }

  // Of all clocks; that of the one that keeps true time is 0, so that it stays.
  std::vector<size_t> Numbers() const {
    size_t root = 0;
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      if (in_.graph.track(t).is_reference) root = ClockOf(t);
    }
    std::vector<size_t> numbers;
    for (size_t c = 0; c < in_.tracks.clocks(); ++c) numbers.push_back(c < root ? c + 1 : c);
    numbers[root] = 0;
    return numbers;
  }

  // Of pairs of clocks by their numbers, in microseconds.
  std::vector<PairSlack> Slacks(std::span<const int64_t> at, double us,
                                std::span<const size_t> numbers) const {
    constexpr double kLeastUs = 1e-3, kLeastShare = 0.01;
    const auto counts = [&](uint32_t t) {
      const bool is_settled = is_unsettled_.empty() || !is_unsettled_[t];
      return is_settled && in_.graph.HasNodes(t) && at[in_.graph.first(t)] != Paths::kNone;
    };
    std::map<std::pair<size_t, size_t>, PairSlack> pairs;
    for (const Graph::Links& links : in_.graph.links()) {
      const size_t from = numbers[ClockOf(links.from)], to = numbers[ClockOf(links.to)];
      if (from == to || links.links.empty() || !counts(links.from) || !counts(links.to)) continue;
      int64_t least = INT64_MAX;
      for (const auto& [send, receive] : links.links) {
        least = std::min(least, at[receive] - at[send] - links.least_delay);
      }
      PairSlack& pair = pairs[std::minmax(from, to)];
      pair.a = std::min(from, to);
      pair.b = std::max(from, to);
      double& of_way = from < to ? pair.a_to_b_us : pair.b_to_a_us;
      of_way = std::min(of_way, static_cast<double>(least) / us);
    }
    std::vector<PairSlack> slacks;
    for (auto& [clocks, pair] : pairs) {
      const double both_us = pair.a_to_b_us + pair.b_to_a_us;
      const bool is_two_way = std::isfinite(both_us);
      // What leads back may be unsettled.
      if (!is_two_way && !is_unsettled_.empty()) continue;
      // Where strings were moved ways have no slack, which says nothing of them.
      const double least_us = is_two_way ? std::max(kLeastShare * both_us, kLeastUs) : kLeastUs;
      pair.a_to_b_us = std::max(pair.a_to_b_us, least_us);
      pair.b_to_a_us = std::max(pair.b_to_a_us, least_us);
      slacks.push_back(pair);
    }
    return slacks;
  }

  void Centre(std::vector<int64_t>& at) {
    constexpr double kLeastGain = 1e-3;
    const auto us = static_cast<double>(in_.graph.Units(1000));
    const std::vector<size_t> numbers = Numbers();
    const std::vector<double> moves =
        MovesToCentre(numbers.size(), Slacks(at, us, numbers), kLeastGain);
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      const auto by = static_cast<int64_t>(moves[numbers[ClockOf(t)]] * us);
      for (int32_t n = in_.graph.first(t); by != 0 && n < in_.graph.first(t + 1); ++n) {
        if (at[n] == Paths::kNone) break;
        at[n] = std::clamp(at[n] + by, in_.paths.earliest.value[n], -in_.paths.latest.value[n]);
      }
    }
    // Bounds cut off some of a move, and slack was taken for more than it is.
    MakeFeasible(in_.graph, at, room_);
  }

  const LadderInput& in_;
  const std::vector<bool>& is_unsettled_;
  std::vector<int64_t> room_;  // memory for times of nodes
};

}  // namespace

BestGuess FindBestGuess(const LadderInput& input, const std::vector<bool>& is_unsettled) {
  return GuessSearch(input, is_unsettled).Run();
}

}  // namespace syncline::drift_bounded
