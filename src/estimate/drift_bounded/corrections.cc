#include "estimate/drift_bounded/corrections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "syncline/time.h"

#include "base/parallel.h"
#include "estimate/drift_bounded/strings.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/lines/least_squares.h"
#include "model/correct_all.h"

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kBeyondNs = 1'000'000'000;  // how far the outer knots are from the outer nodes
constexpr int kMostDrawings = 40;

class Drawing {
 public:
  explicit Drawing(const CorrectionInput& input)
      : in_(input), drifts_(in_.clocks.size()), is_pinned_(in_.graph.nodes()) {
    ForEachParallel(in_.clocks.size(), [&](size_t c) { FitLine(c); });
  }

  EpochCorrections Run() {
    corrections_.resize(in_.clocks.size());
    std::vector<bool> is_stale(in_.clocks.size(), true);
    for (int round = 0; std::ranges::find(is_stale, true) != is_stale.end(); ++round) {
      ForEachParallel(in_.clocks.size(), [&](size_t c) {
        if (is_stale[c]) DrawClock(c);
      });
      is_stale = PinViolated(is_stale, round >= kMostDrawings);
    }
    return std::move(corrections_);
  }

 private:
  bool IsGuessed(size_t t) const { return in_.guess.IsKnown(in_.graph, t); }
  size_t ClockOf(size_t t) const { return in_.tracks[t].clock.index(); }
  int64_t ReadingNs(size_t t, int32_t n) const {
    return in_.origins_ns[ClockOf(t)] + (in_.graph.readings()[n] >> in_.graph.shift());
  }

  // The slope − 1 of the line of least squares through the clock's guesses, each track with a
  // height of its own.
  void FitLine(size_t c) {
    SlopeFit fit;
    for (uint32_t t = in_.tracks.first(c); t < in_.tracks.end(c); ++t) {
      if (!IsGuessed(t)) continue;
      fit.BeginGroup();
      const auto readings = in_.graph.OfTrack(t, in_.graph.readings());
      const auto at = in_.graph.OfTrack(t, std::span(in_.guess.at));
      for (size_t k = 0; k < readings.size(); ++k) {
        const int64_t since = readings[k] - readings[0];
        fit.Add(static_cast<double>(since), static_cast<double>(at[k] - at[0] - since));
      }
    }
    drifts_[c] = std::llround(fit.Slope() * RateLimits::kOne);
  }

  std::vector<Point> StringThrough(size_t t) const {
    const int32_t first = in_.graph.first(t), last = in_.graph.first(t + 1) - 1;
    TautString string;
    for (int32_t n = first; n <= last; ++n) {
      const bool is_free = !is_pinned_[n] && n != first && n != last;
      string.Add(GateAbout(in_.graph.readings()[n], in_.guess.at[n],
                           is_free ? in_.guess.tolerance[t] : 0, in_.paths.earliest.value[n],
                           -in_.paths.latest.value[n]));
    }
    return string.Finish();
  }

  Correction::Knot KnotAt(size_t t, const Point& p) const {
    const size_t c = ClockOf(t);
    const int64_t ns = SaturatedSum(in_.origins_ns[c], p.x >> in_.graph.shift());
    const int64_t value = (p.x + p.y) >> in_.graph.shift();
    return {in_.clocks[c].clock.FromNominalNs(ns), {SaturatedSum(value, in_.reference_origin_ns)}};
  }
  // On the clock's line through this point, of readings and what times are ahead of them.
  Point GoOn(size_t t, const Point& from, int64_t by) const {
    return {from.x + by, from.y + DriftOver(by, drifts_[ClockOf(t)])};
  }

  // How far the strings of neighbouring tracks of an epoch go on towards each other, in readings:
  // as far as it is certain whose these are, and then for half of the time between, or reading.
  struct Reach {
    int64_t behind_last = 0, before_first = 0;
  };
  Reach Towards(uint32_t before, uint32_t behind) const {
    const int32_t p = in_.graph.first(before + 1) - 1, q = in_.graph.first(behind);
    const auto reach = [&](int64_t last, int64_t first) {
      const int64_t passed = ValueAt(behind, q, first) - ValueAt(before, p, last);
      const int64_t half = std::min(first - last, passed) / 2 - in_.graph.Units(2);
      return Reach{last - in_.graph.readings()[p] + half, in_.graph.readings()[q] - first + half};
    };
    const Reach certain = reach(in_.certain[before].last, in_.certain[behind].first);
    if (certain.behind_last >= 0 && certain.before_first >= 0) return certain;
    return reach(in_.graph.readings()[p], in_.graph.readings()[q]);
  }
  // On the line through the guess at a node.
  int64_t ValueAt(uint32_t t, int32_t n, int64_t reading) const {
    const int64_t z = in_.graph.readings()[n];
    const Point at = GoOn(t, {z, in_.guess.at[n] - z}, reading - z);
    return at.x + at.y;
  }

  void DrawTrack(uint32_t t, std::optional<uint32_t> previous, std::optional<uint32_t> next,
                 std::vector<Correction::Knot>& knots) {
    const std::vector<Point> string = StringThrough(t);
    const Point front = string.front(), back = string.back();
    // How far the string goes on.
    const int64_t beyond = kBeyondNs << in_.graph.shift();
    int64_t before = previous ? Towards(*previous, t).before_first : beyond;
    int64_t behind = next ? Towards(t, *next).behind_last : beyond;
    // A straight one does by itself.
    const bool is_straight = string.size() == 2 && back.x - front.x >= beyond;
    if (is_straight && !previous && !next) before = behind = 0;
    // Rounding can bring knots together.
    const auto add = [&](const Correction::Knot& knot) {
      if (knots.empty() || (knots.back().local < knot.local && knots.back().global < knot.global)) {
        knots.push_back(knot);
      }
    };
    if (before > 0) add(KnotAt(t, GoOn(t, front, -before)));
    for (const Point& p : string) add(KnotAt(t, p));
    if (behind > 0) add(KnotAt(t, GoOn(t, back, behind)));
  }

  void DrawClock(size_t c) {
    corrections_[c].clear();
    uint32_t t = in_.tracks.first(c);
    while (t < in_.tracks.end(c)) {
      const uint32_t epoch = in_.tracks[t].epoch;
      std::vector<uint32_t> of_epoch;
      for (; t < in_.tracks.end(c) && in_.tracks[t].epoch == epoch; ++t) {
        if (IsGuessed(t)) of_epoch.push_back(t);
      }
      std::vector<Correction::Knot> knots;
      for (size_t i = 0; i < of_epoch.size(); ++i) {
        const auto at = [&](size_t k) {
          return k < of_epoch.size() ? std::optional(of_epoch[k]) : std::nullopt;
        };
        DrawTrack(of_epoch[i], at(i - 1), at(i + 1), knots);
      }
      auto correction = Correction::FromKnots(std::move(knots));
      corrections_[c].push_back(correction ? std::optional(*std::move(correction)) : std::nullopt);
    }
  }

  // Pins the ends of messages that the corrections invert. Messages between clocks that were not
  // drawn are left out: what these inverted is pinned. By clock: whether anything new was, so that
  // it is to be drawn anew.
  std::vector<bool> PinViolated(const std::vector<bool>& is_drawn, bool pins_tracks) {
    const std::vector<Graph::Links>& all = in_.graph.links();
    std::vector<std::vector<Graph::Link>> violated(all.size());
    ForEachParallelWith<Some>(all.size(), [&](size_t i, Some& some) {
      const Graph::Links& links = all[i];
      if (!is_drawn[ClockOf(links.from)] && !is_drawn[ClockOf(links.to)]) return;
      violated[i] = Violated(links, some);
    });
    std::vector<bool> is_stale(in_.clocks.size());
    const auto pin = [&](uint32_t t, int32_t n) {
      if (is_pinned_[n]) return;
      is_stale[ClockOf(t)] = true;
      const int32_t first = pins_tracks ? in_.graph.first(t) : n;
      const int32_t end = pins_tracks ? in_.graph.first(t + 1) : n + 1;
      std::fill(is_pinned_.begin() + first, is_pinned_.begin() + end, true);
    };
    for (size_t i = 0; i < all.size(); ++i) {
      for (const auto& [send, receive] : violated[i]) {
        pin(all[i].from, send);
        pin(all[i].to, receive);
      }
    }
    return is_stale;
  }

  // Room for the times of some messages.
  struct Some {
    static constexpr size_t kMost = 1024;
    std::array<LocalTime, kMost> local;
    std::array<GlobalTime, kMost> sent, received;
  };

  std::vector<Graph::Link> Violated(const Graph::Links& links, Some& some) const {
    std::vector<Graph::Link> violated;
    const Correction* const sender = CorrectionOf(links.from);
    const Correction* const receiver = CorrectionOf(links.to);
    if (links.messages.empty() || sender == nullptr || receiver == nullptr) return violated;
    const Duration least{links.least_delay >> in_.graph.shift()};
    std::span<const Graph::Link> next;
    const auto correct = [&](const Correction& correction, uint32_t t, int32_t Graph::Link::*end,
                             std::span<GlobalTime> corrected) {
      const Clock& clock = in_.clocks[ClockOf(t)].clock;
      for (size_t i = 0; i < next.size(); ++i) {
        some.local[i] = clock.FromNominalNs(ReadingNs(t, next[i].*end));
      }
      CorrectAll(correction, std::span(some.local).first(next.size()), corrected);
    };
    for (std::span<const Graph::Link> rest = links.links; !rest.empty();) {
      next = rest.first(std::min(Some::kMost, rest.size()));
      rest = rest.subspan(next.size());
      correct(*sender, links.from, &Graph::Link::send, some.sent);
      correct(*receiver, links.to, &Graph::Link::receive, some.received);
      for (size_t i = 0; i < next.size(); ++i) {
        if (some.received[i] - some.sent[i] < least) violated.push_back(next[i]);
      }
    }
    return violated;
  }
  // Null where it has no guess, or knots too close to one another for a correction.
  const Correction* CorrectionOf(size_t t) const {
    if (!IsGuessed(t)) return nullptr;
    const auto& correction = corrections_[ClockOf(t)][in_.tracks[t].epoch];
    return correction ? &*correction : nullptr;
  }

  CorrectionInput in_;
  std::vector<int64_t> drifts_;  // of lines, by clock, as limits
  std::vector<bool> is_pinned_;  // by node
  EpochCorrections corrections_;
};

}  // namespace

EpochCorrections DrawCorrections(const CorrectionInput& input) { return Drawing(input).Run(); }

std::vector<std::optional<Correction>> FindOneSidedLines(
    std::span<const ClockInput> clocks, std::span<const KeptDirection> directions,
    const TrackTable& tracks, std::span<const int64_t> origins_ns,
    std::vector<std::optional<Correction>> corrections, std::optional<double> max_drift_ppm) {
  std::vector<std::optional<Correction>> found(clocks.size());
  while (true) {
    std::map<size_t, PairPoints> points;  // of clocks next to known ones, against global time
    for (const KeptDirection& d : directions) {
      const size_t from = tracks[d.from].clock.index();
      const size_t to = tracks[d.to].clock.index();
      if (tracks[d.from].epoch != 0 || tracks[d.to].epoch != 0) continue;
      if (corrections[from].has_value() == corrections[to].has_value()) continue;
      const size_t known = corrections[from] ? from : to;
      PairPoints& of_clock = points[known == from ? to : from];
      for (const Constraint& m : d.all) {
        const int64_t send = origins_ns[from] + m.s;
        const int64_t receive = origins_ns[to] + m.r;
        const LocalTime local = clocks[known].clock.FromNominalNs(known == to ? receive : send);
        const GlobalTime global = (*corrections[known])(local);
        const Duration least{d.least_delay_ns};
        known == to ? of_clock.AddAToB(send, (global - least).ns)
                    : of_clock.AddBToA((global + least).ns, receive);
      }
    }
    if (points.empty()) return found;
    for (const auto& [clock, of_clock] : points) {
      const PairEstimate estimate = EstimatePair(of_clock, {.max_drift_ppm = max_drift_ppm});
      const Affine line(estimate.line.value_or(Line{}));
      found[clock] = DescribeClock(clocks[clock], line, {}, Quality::kIncomplete).correction;
      corrections[clock] = found[clock];
    }
  }
}

}  // namespace syncline::drift_bounded
