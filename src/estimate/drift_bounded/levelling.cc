#include "estimate/drift_bounded/levelling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "estimate/joint/analytic_centre.h"
#include "estimate/joint/potentials.h"

namespace syncline::drift_bounded {
namespace {

constexpr double kNoMessages = std::numeric_limits<double>::infinity();
constexpr double kLeastUs = 1e-3;

// What both moves are made of: the ways between clocks, and what they leave.
class Ways {
 public:
  Ways(const LevelInput& input, const std::vector<int64_t>& at)
      : in_(input),
        at_(at),
        us_(static_cast<double>(input.graph.Units(1000))),
        number_of_clock_(input.tracks.clocks(), kNoNumber) {
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      if (in_.graph.track(t).is_reference) number_of_clock_[ClockOf(t)] = 0;
    }
    VisitAll([&](const Graph::Links& links) {
      for (const uint32_t track : {links.from, links.to}) {
        size_t& number = number_of_clock_[ClockOf(track)];
        if (number != kNoNumber) continue;
        number = clock_of_number_.size();
        clock_of_number_.push_back(ClockOf(track));
      }
    });
  }

  double us() const { return us_; }
  // Clocks between which there are ways have numbers; that of the one that keeps true time is 0.
  size_t numbers() const { return clock_of_number_.size(); }
  // Requires: not 0.
  size_t ClockOfNumber(size_t number) const { return clock_of_number_[number]; }
  std::optional<size_t> NumberOf(size_t track) const {
    const size_t number = number_of_clock_[ClockOf(track)];
    return number == kNoNumber || !IsKnown(track) ? std::nullopt : std::optional(number);
  }
  double SlackUs(const Graph::Links& links, const Graph::Link& link) const {
    return static_cast<double>(at_[link.receive] - at_[link.send] - links.least_delay) / us_;
  }
  // visit(links) between two clocks whose guesses say something.
  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    const auto counts = [&](size_t t) {
      return IsKnown(t) && (in_.is_unsettled.empty() || !in_.is_unsettled[t]);
    };
    for (const Graph::Links& links : in_.graph.links()) {
      const bool is_within = ClockOf(links.from) == ClockOf(links.to);
      if (is_within || links.links.empty() || !counts(links.from) || !counts(links.to)) continue;
      visit(links);
    }
  }
  // visit(links, from, to) with the numbers of both clocks.
  template <typename Visit>
  void VisitNumbered(const Visit& visit) const {
    VisitAll([&](const Graph::Links& links) {
      visit(links, number_of_clock_[ClockOf(links.from)], number_of_clock_[ClockOf(links.to)]);
    });
  }
  // Moves the times of a track by what by(time) says in microseconds, within bounds.
  template <typename By>
  void Move(size_t track, const By& by, std::vector<int64_t>& at) const {
    const Paths& earliest = in_.paths.earliest;
    const Paths& latest = in_.paths.latest;
    for (int32_t n = in_.graph.first(track); n < in_.graph.first(track + 1); ++n) {
      const auto moved = at[n] + static_cast<int64_t>(by(at[n]) * us_);
      at[n] = std::clamp(moved, earliest.value[n], -latest.value[n]);
    }
  }

 private:
  static constexpr size_t kNoNumber = SIZE_MAX;

  size_t ClockOf(size_t track) const { return in_.tracks[track].clock.index(); }
  bool IsKnown(size_t track) const {
    return in_.graph.HasNodes(track) && at_[in_.graph.first(track)] != Paths::kNone;
  }

  const LevelInput& in_;
  const std::vector<int64_t>& at_;
  double us_;
  std::vector<size_t> number_of_clock_;
  std::vector<size_t> clock_of_number_ = {kNoNumber};
};

class Levelling {
 public:
  Levelling(const LevelInput& input, std::vector<int64_t>& at)
      : in_(input), ways_(input, at), at_(at) {}

  void Run() {
    if (!DivideTime()) return;
    FindLeast();
    if (pairs_.empty()) return;
    moves_.assign(stretches_, std::vector<double>(ways_.numbers(), 0.0));
    const std::vector<double> freedom = Freedom();
    for (int round = 0; round < kRounds; ++round) Improve(freedom);
    const std::vector<std::vector<double>> moves = WhereTheyAreKnown();
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      const std::optional<size_t> number = ways_.NumberOf(t);
      if (!number) continue;
      ways_.Move(
          t, [&](int64_t time) { return Between(moves[*number], time); }, at_);
    }
  }

 private:
  static constexpr int kRounds = 4;

  // Slacks or excesses of a pair in a stretch, a < b, in microseconds.
  struct BothWays {
    double there = kNoMessages, back = kNoMessages;
    double Both() const { return there + back; }
    bool IsKnown() const { return Both() != kNoMessages; }
  };
  struct Pair {
    size_t a = 0, b = 0;          // numbers
    std::vector<BothWays> least;  // by stretch
    // After a move of b, in a stretch, less that of a.
    BothWays After(size_t stretch, double apart) const {
      return {least[stretch].there + apart, least[stretch].back - apart};
    }
  };

  bool DivideTime() {
    constexpr size_t kEnough = 16, kLeastStretches = 64, kMostStretches = 1000;
    size_t messages = 0, ways = 0;
    int64_t last = INT64_MIN;
    ways_.VisitAll([&](const Graph::Links& links) {
      messages += links.links.size();
      ++ways;
      first_ = std::min(first_, at_[links.links.front().send]);
      last = std::max(last, at_[links.links.back().receive]);
    });
    if (first_ >= last) return false;
    const size_t each = messages / ways;
    stretches_ = std::clamp(each / kEnough, std::min(each, kLeastStretches), kMostStretches);
    length_ = (static_cast<double>(last - first_) + 1) / static_cast<double>(stretches_);
    return true;
  }
  // In stretches, since the first one began.
  double Place(int64_t time) const { return static_cast<double>(time - first_) / length_; }

  void FindLeast() {
    std::map<std::pair<size_t, size_t>, size_t> place;
    const auto end = static_cast<double>(stretches_ - 1);
    ways_.VisitNumbered([&](const Graph::Links& links, size_t from, size_t to) {
      const auto [a, b] = std::minmax({from, to});
      const auto [entry, is_new] = place.try_emplace({a, b}, pairs_.size());
      if (is_new) pairs_.push_back({a, b, std::vector<BothWays>(stretches_)});
      std::vector<BothWays>& least = pairs_[entry->second].least;
      for (const Graph::Link& link : links.links) {
        const auto k = static_cast<size_t>(std::clamp(Place(at_[link.send]), 0.0, end));
        double& of_way = from < to ? least[k].there : least[k].back;
        of_way = std::min(of_way, ways_.SlackUs(links, link));
      }
    });
    std::erase_if(pairs_, [](const Pair& pair) {
      return std::ranges::none_of(pair.least, &BothWays::IsKnown);
    });
  }

  double Apart(const Pair& pair, size_t k) const { return moves_[k][pair.b] - moves_[k][pair.a]; }
  // By pair, over all stretches.
  std::vector<BothWays> LeastOfAll() const {
    std::vector<BothWays> least(pairs_.size());
    ForEachParallel(pairs_.size(), [&](size_t p) {
      for (size_t k = 0; k < stretches_; ++k) {
        const auto [there, back] = pairs_[p].After(k, Apart(pairs_[p], k));
        least[p] = {std::min(least[p].there, there), std::min(least[p].back, back)};
      }
    });
    return least;
  }
  // What a pair has in a stretch beyond `least`.
  BothWays Excess(const Pair& pair, size_t k, const BothWays& least) const {
    const auto [there, back] = pair.After(k, Apart(pair, k));
    return {there - least.there, back - least.back};
  }

  // By number, the lower quartile of the excess of a clock's pairs; 0: it has none.
  std::vector<double> UsualExcess(std::span<const BothWays> least) const {
    std::vector<std::vector<double>> excesses(ways_.numbers());
    for (size_t p = 0; p < pairs_.size(); ++p) {
      for (size_t k = 0; k < stretches_; ++k) {
        if (!pairs_[p].least[k].IsKnown()) continue;
        const double both_us = Excess(pairs_[p], k, least[p]).Both();
        excesses[pairs_[p].a].push_back(both_us);
        excesses[pairs_[p].b].push_back(both_us);
      }
    }
    std::vector<double> usual;
    for (std::vector<double>& of_clock : excesses) {
      const auto quartile = of_clock.begin() + static_cast<ptrdiff_t>(of_clock.size() / 4);
      if (!of_clock.empty()) std::nth_element(of_clock.begin(), quartile, of_clock.end());
      usual.push_back(of_clock.empty() ? 0 : std::max(*quartile, kLeastUs));
    }
    return usual;
  }

  // By number, how far moves may be from 0; that of 0 says nothing.
  std::vector<double> Freedom() const {
    constexpr double kOfExcess = 2, kOfLimit = 4;
    std::vector<double> freedom = UsualExcess(LeastOfAll());
    const double whole_us = length_ * static_cast<double>(stretches_) / ways_.us();
    for (size_t c = 1; c < freedom.size(); ++c) {
      const double left_us = in_.limit_ppm[ways_.ClockOfNumber(c)] / 1e6 * whole_us;
      freedom[c] = std::max(std::min(kOfExcess * freedom[c], kOfLimit * left_us), kLeastUs);
    }
    return freedom;
  }

  void Improve(const std::vector<double>& freedom) {
    constexpr double kTolerance = 1e-6;
    const std::vector<BothWays> least = LeastOfAll();
    const std::vector<double> usual = UsualExcess(least);
    ForEachParallel(stretches_, [&](size_t k) {
      std::vector<PotentialEdge> wishes;
      for (size_t p = 0; p < pairs_.size(); ++p) {
        const Pair& pair = pairs_[p];
        if (!pair.least[k].IsKnown()) continue;
        const BothWays excess = Excess(pair, k, least[p]);
        const double wished = Apart(pair, k) + (excess.back - excess.there) / 2;
        const double q = std::max(usual[pair.a], usual[pair.b]);
        wishes.push_back({pair.a, pair.b, wished, 1 / (q * q + excess.Both() * excess.Both())});
      }
      if (wishes.empty()) return;
      for (size_t c = 1; c < freedom.size(); ++c) {
        wishes.push_back({0, c, 0, 1 / (freedom[c] * freedom[c])});
      }
      moves_[k] = FitPotentials(ways_.numbers(), wishes, kTolerance);
    });
  }

  // By number and stretch, linear across stretches in which no pair says anything of the clock.
  std::vector<std::vector<double>> WhereTheyAreKnown() const {
    std::vector<std::vector<bool>> is_known(ways_.numbers(), std::vector<bool>(stretches_));
    for (const Pair& pair : pairs_) {
      for (size_t k = 0; k < stretches_; ++k) {
        if (pair.least[k].IsKnown()) is_known[pair.a][k] = is_known[pair.b][k] = true;
      }
    }
    std::vector<std::vector<double>> moves(ways_.numbers(), std::vector<double>(stretches_, 0.0));
    for (size_t c = 0; c < moves.size(); ++c) {
      std::optional<size_t> last;
      for (size_t k = 0; k < stretches_; ++k) {
        if (!is_known[c][k]) continue;
        const double here = moves_[k][c], before = last ? moves_[*last][c] : here;
        const size_t begin = last ? *last + 1 : 0;
        const double span = static_cast<double>(k + 1 - begin);
        for (size_t i = begin; i <= k; ++i) {
          moves[c][i] = here - (here - before) * static_cast<double>(k - i) / span;
        }
        last = k;
      }
      for (size_t k = last ? *last + 1 : stretches_; k < stretches_; ++k) {
        moves[c][k] = moves[c][*last];
      }
    }
    return moves;
  }

  // Linear from the middle of one stretch to that of the next.
  double Between(const std::vector<double>& moves, int64_t time) const {
    const double place = std::clamp(Place(time) - 0.5, 0.0, static_cast<double>(stretches_ - 1));
    const auto k = static_cast<size_t>(place);
    if (k + 1 == stretches_) return moves[k];
    return moves[k] + (place - static_cast<double>(k)) * (moves[k + 1] - moves[k]);
  }

  const LevelInput& in_;
  Ways ways_;
  std::vector<int64_t>& at_;
  size_t stretches_ = 0;
  int64_t first_ = INT64_MAX;
  double length_ = 0;  // of a stretch, in units
  std::vector<Pair> pairs_;
  std::vector<std::vector<double>> moves_;  // by stretch and number
};

}  // namespace

void Level(const LevelInput& input, std::vector<int64_t>& at) { Levelling(input, at).Run(); }

void Centre(const LevelInput& input, std::vector<int64_t>& at) {
  constexpr double kLeastGain = 1e-3, kLeastShare = 0.01;
  const Ways ways(input, at);
  std::map<std::pair<size_t, size_t>, PairSlack> pairs;
  ways.VisitNumbered([&](const Graph::Links& links, size_t from, size_t to) {
    PairSlack& pair = pairs[std::minmax(from, to)];
    pair.a = std::min(from, to);
    pair.b = std::max(from, to);
    double& least_us = from < to ? pair.a_to_b_us : pair.b_to_a_us;
    for (const Graph::Link& link : links.links) {
      least_us = std::min(least_us, ways.SlackUs(links, link));
    }
  });
  std::vector<PairSlack> slacks;
  for (auto& [clocks, pair] : pairs) {
    const double both_us = pair.BothUs();
    const bool is_two_way = std::isfinite(both_us);
    // What leads back may be unsettled.
    if (!is_two_way && !input.is_unsettled.empty()) continue;
    // Where strings were moved ways have no slack, which says nothing of them.
    const double least_us = is_two_way ? std::max(kLeastShare * both_us, kLeastUs) : kLeastUs;
    pair.a_to_b_us = std::max(pair.a_to_b_us, least_us);
    pair.b_to_a_us = std::max(pair.b_to_a_us, least_us);
    slacks.push_back(pair);
  }
  const std::vector<double> moves = MovesToCentre(ways.numbers(), std::move(slacks), kLeastGain);
  for (size_t t = 0; t < input.graph.tracks(); ++t) {
    const std::optional<size_t> number = ways.NumberOf(t);
    if (!number || moves[*number] == 0) continue;
    ways.Move(
        t, [&](int64_t) { return moves[*number]; }, at);
  }
}

}  // namespace syncline::drift_bounded
