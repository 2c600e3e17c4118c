#include "estimate/drift_bounded/levelling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "estimate/joint/analytic_centre.h"
#include "estimate/joint/potentials.h"

namespace syncline::drift_bounded {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kLeastUs = 1e-3;

// What both moves are made of: the ways between clocks, and what they leave.
class Ways {
 public:
  Ways(const LevelInput& input, const std::vector<int64_t>& at)
      : in_(input), at_(at), us_(static_cast<double>(input.graph.Units(1000))) {
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      if (in_.graph.track(t).is_reference) root_ = ClockOf(t);
    }
  }

  double us() const { return us_; }
  // Of clocks; that of the one that keeps true time is 0, so that it stays.
  size_t NumberOf(size_t clock) const {
    if (clock == root_) return 0;
    return clock < root_ ? clock + 1 : clock;
  }
  size_t NumberAt(size_t track) const { return NumberOf(ClockOf(track)); }
  size_t ClockOf(size_t track) const { return in_.tracks[track].clock.index(); }
  bool IsKnown(size_t track) const {
    return in_.graph.HasNodes(track) && at_[in_.graph.first(track)] != Paths::kNone;
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
  const LevelInput& in_;
  const std::vector<int64_t>& at_;
  double us_;
  size_t root_ = 0;
};

// Least slacks by stretch of two clocks, a < b.
struct PairStretches {
  std::vector<double> a_to_b, b_to_a;  // infinite where there are no messages
};

class Levelling {
 public:
  Levelling(const LevelInput& input, std::vector<int64_t>& at)
      : in_(input), ways_(input, at), at_(at) {}

  void Run() {
    if (!DivideTime()) return;
    FindLeast();
    moves_.assign(in_.tracks.clocks(), std::vector<double>(stretches_, 0.0));
    std::vector<double> freedom = UsualExcess();
    const double whole_us = length_ * static_cast<double>(stretches_) / ways_.us();
    for (size_t c = 0; c < in_.tracks.clocks(); ++c) {
      const double left_us = in_.limit_ppm[c] / 1e6 * whole_us;
      double& of_clock = freedom[ways_.NumberOf(c)];
      of_clock = std::clamp(kFreedom * of_clock, kLeastUs, std::max(kOfLimit * left_us, kLeastUs));
    }
    for (int round = 0; round < kRounds; ++round) Improve(freedom);
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      const std::vector<double>& moves = moves_[ways_.NumberAt(t)];
      if (!ways_.IsKnown(t)) continue;
      ways_.Move(
          t, [&](int64_t time) { return Between(moves, time); }, at_);
    }
  }

 private:
  static constexpr int kRounds = 4;
  static constexpr double kFreedom = 2, kOfLimit = 4;
  using Pair = std::pair<size_t, size_t>;  // of numbers

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
    ways_.VisitAll([&](const Graph::Links& links) {
      const size_t from = ways_.NumberAt(links.from), to = ways_.NumberAt(links.to);
      PairStretches& pair = pairs_[std::minmax(from, to)];
      if (pair.a_to_b.empty()) {
        pair = {std::vector<double>(stretches_, kNone), std::vector<double>(stretches_, kNone)};
      }
      std::vector<double>& least = from < to ? pair.a_to_b : pair.b_to_a;
      for (const Graph::Link& link : links.links) {
        const double place =
            std::clamp(Place(at_[link.send]), 0.0, static_cast<double>(stretches_ - 1));
        double& of_stretch = least[static_cast<size_t>(place)];
        of_stretch = std::min(of_stretch, ways_.SlackUs(links, link));
      }
    });
    std::erase_if(pairs_, [](const auto& entry) {
      const auto& [a_to_b, b_to_a] = entry.second;
      return *std::ranges::min_element(a_to_b) == kNone ||
             *std::ranges::min_element(b_to_a) == kNone;
    });
  }

  struct Excess {
    double there = 0, back = 0;
    double Both() const { return there + back; }
  };
  // visit(a, b, k, excess) of all pairs, by their numbers, and stretches in which it is known.
  template <typename Visit>
  void VisitExcesses(const Visit& visit) const {
    for (const auto& [clocks, pair] : pairs_) {
      const std::vector<double>&of_a = moves_[clocks.first], &of_b = moves_[clocks.second];
      Excess least = {kNone, kNone};
      for (size_t k = 0; k < stretches_; ++k) {
        least.there = std::min(least.there, pair.a_to_b[k] + of_b[k] - of_a[k]);
        least.back = std::min(least.back, pair.b_to_a[k] - of_b[k] + of_a[k]);
      }
      for (size_t k = 0; k < stretches_; ++k) {
        if (pair.a_to_b[k] == kNone || pair.b_to_a[k] == kNone) continue;
        visit(clocks.first, clocks.second, k,
              Excess{pair.a_to_b[k] + of_b[k] - of_a[k] - least.there,
                     pair.b_to_a[k] - of_b[k] + of_a[k] - least.back});
      }
    }
  }

  // By number, the lower quartile of the excess of a clock's pairs; 0: it has none.
  std::vector<double> UsualExcess() const {
    std::vector<std::vector<double>> excesses(moves_.size());
    VisitExcesses([&](size_t a, size_t b, size_t, const Excess& excess) {
      excesses[a].push_back(excess.Both());
      excesses[b].push_back(excess.Both());
    });
    std::vector<double> usual;
    for (std::vector<double>& of_clock : excesses) {
      const auto quartile = of_clock.begin() + static_cast<ptrdiff_t>(of_clock.size() / 4);
      if (!of_clock.empty()) std::nth_element(of_clock.begin(), quartile, of_clock.end());
      usual.push_back(of_clock.empty() ? 0 : std::max(*quartile, kLeastUs));
    }
    return usual;
  }

  void Improve(const std::vector<double>& freedom) {
    constexpr double kTolerance = 1e-3;
    const std::vector<double> usual = UsualExcess();
    std::vector<std::vector<PotentialEdge>> wishes(stretches_);
    VisitExcesses([&](size_t a, size_t b, size_t k, const Excess& excess) {
      const double apart = moves_[b][k] - moves_[a][k] + (excess.back - excess.there) / 2;
      const double q = std::max(usual[a], usual[b]);
      wishes[k].push_back({a, b, apart, 1 / (q * q + excess.Both() * excess.Both())});
    });
    ForEachParallel(stretches_, [&](size_t k) {
      for (size_t c = 1; c < freedom.size(); ++c) {
        wishes[k].push_back({0, c, 0, 1 / (freedom[c] * freedom[c])});
      }
      const std::vector<double> moves = FitPotentials(moves_.size(), wishes[k], kTolerance);
      for (size_t c = 0; c < moves.size(); ++c) moves_[c][k] = moves[c];
    });
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
  std::map<Pair, PairStretches> pairs_;
  std::vector<std::vector<double>> moves_;  // by number and stretch
};

}  // namespace

void Level(const LevelInput& input, std::vector<int64_t>& at) { Levelling(input, at).Run(); }

void Centre(const LevelInput& input, std::vector<int64_t>& at) {
  constexpr double kLeastGain = 1e-3, kLeastShare = 0.01;
  const Ways ways(input, at);
  std::map<std::pair<size_t, size_t>, PairSlack> pairs;
  ways.VisitAll([&](const Graph::Links& links) {
    const size_t from = ways.NumberAt(links.from), to = ways.NumberAt(links.to);
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
  const std::vector<double> moves =
      MovesToCentre(input.tracks.clocks(), std::move(slacks), kLeastGain);
  for (size_t t = 0; t < input.graph.tracks(); ++t) {
    const double by = moves[ways.NumberAt(t)];
    if (by != 0 && ways.IsKnown(t))
      ways.Move(
          t, [&](int64_t) { return by; }, at);
  }
}

}  // namespace syncline::drift_bounded
