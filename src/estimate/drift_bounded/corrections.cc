#include "estimate/drift_bounded/corrections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "syncline/time.h"

#include "base/parallel.h"
#include "estimate/drift_bounded/taut_string.h"
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
      : in_(input), is_pinned_(in_.graph.nodes()), corrected_(in_.graph.nodes()) {
    FitLines();
  }

  EpochCorrections Run() {
    corrections_.resize(in_.clocks.size());
    std::vector<bool> is_stale(in_.clocks.size(), true);
    for (int round = 0;; ++round) {
      ForEachParallel(in_.clocks.size(), [&](size_t c) {
        if (is_stale[c]) DrawClock(c);
      });
      is_stale.assign(in_.clocks.size(), false);
      if (!PinViolated(is_stale, round >= kMostDrawings)) return std::move(corrections_);
    }
  }

 private:
  bool IsGuessed(size_t t) const { return in_.guess.IsKnown(in_.graph, t); }
  int64_t ReadingNs(size_t t, int32_t n) const {
    return in_.origins_ns[in_.tracks[t].clock.index()] +
           (in_.graph.readings()[n] >> in_.graph.shift());
  }

  // By clock: the slope − 1 of the line of least squares through its guesses, each track with a
  // height of its own.
  void FitLines() {
    for (size_t c = 0; c < in_.clocks.size(); ++c) {
      SlopeFit fit;
      for (uint32_t t = in_.tracks.first(c); t < in_.tracks.end(c); ++t) {
        if (!IsGuessed(t)) continue;
        fit.BeginGroup();
        const int32_t first = in_.graph.first(t);
        for (int32_t n = first; n < in_.graph.first(t + 1); ++n) {
          fit.Add(static_cast<double>(in_.graph.readings()[n] - in_.graph.readings()[first]),
                  static_cast<double>(Ahead(n) - Ahead(first)));
        }
      }
      lines_.push_back(std::llround(fit.Slope() * RateLimits::kOne));
    }
  }
  // By how much the guess is ahead of the reading.
  int64_t Ahead(int32_t n) const { return in_.guess.value[n] - in_.graph.readings()[n]; }

  // What the line adds to a reading.
  int64_t LineAt(size_t t, int64_t reading) const {
    return reading + DriftOver(reading - in_.graph.readings()[in_.graph.first(t)],
                               lines_[in_.tracks[t].clock.index()]);
  }

  // The lower quartile of the widths of a track's bounds.
  int64_t UsualWidth(size_t t) const {
    const auto widths = in_.graph.OfTrack(t, std::span(in_.guess.width));
    std::vector<int64_t> sorted(widths.begin(), widths.end());
    const auto quartile = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 4);
    std::nth_element(sorted.begin(), quartile, sorted.end());
    return *quartile;
  }

  std::vector<Point> StringThrough(size_t t) const {
    const int64_t usual = UsualWidth(t);
    const double noise = in_.guess.noise[in_.tracks[t].clock.index()];
    const double most = noise > 0 ? kNoises * noise : std::numeric_limits<double>::infinity();
    TautString string;
    for (int32_t n = in_.graph.first(t); n < in_.graph.first(t + 1); ++n) {
      const int64_t z = in_.graph.readings()[n];
      const int64_t line = LineAt(t, z);
      const int64_t middle = in_.guess.value[n];
      const auto width = static_cast<double>(in_.guess.width[n]);
      const double narrow = std::min(width, static_cast<double>(usual));
      const double tau = std::min(kShare * narrow / 2, most);
      const auto slack = static_cast<int64_t>((width - narrow) / 2 + tau);
      Gate gate{z, middle - line, middle - line};
      // From guess to guess: the middle of an end's gate can lie beside, which would bend what is
      // straight.
      const bool is_end = n == in_.graph.first(t) || n + 1 == in_.graph.first(t + 1);
      if (!is_pinned_[n] && !is_end) {
        gate.low = std::min(middle, std::max(middle - slack, in_.paths.earliest.value[n])) - line;
        gate.high = std::max(middle, std::min(middle + slack, -in_.paths.latest.value[n])) - line;
      }
      string.Add(gate);
    }
    return string.Finish();
  }

  Correction::Knot KnotAt(size_t t, int64_t reading, int64_t above_line) const {
    const size_t c = in_.tracks[t].clock.index();
    const int64_t ns = SaturatedSum(in_.origins_ns[c], reading >> in_.graph.shift());
    const int64_t value = (LineAt(t, reading) + above_line) >> in_.graph.shift();
    return {in_.clocks[c].clock.FromNominalNs(ns), {SaturatedSum(value, in_.reference_origin_ns)}};
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
    return in_.guess.value[n] + LineAt(t, reading) - LineAt(t, in_.graph.readings()[n]);
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
    if (before > 0) add(KnotAt(t, front.x - before, front.y));
    for (const Point& p : string) add(KnotAt(t, p.x, p.y));
    if (behind > 0) add(KnotAt(t, back.x + behind, back.y));
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
      if (!corrections_[c].back()) continue;
      for (const uint32_t track : of_epoch) CorrectNodes(track, *corrections_[c].back());
    }
  }

  void CorrectNodes(uint32_t t, const Correction& correction) {
    constexpr int32_t kSome = 1024;
    const Clock& clock = in_.clocks[in_.tracks[t].clock.index()].clock;
    const int32_t end = in_.graph.first(t + 1);
    std::array<LocalTime, kSome> locals;
    for (int32_t n = in_.graph.first(t); n < end; n += kSome) {
      const auto count = static_cast<size_t>(std::min(kSome, end - n));
      for (size_t i = 0; i < count; ++i) {
        locals[i] = clock.FromNominalNs(ReadingNs(t, n + static_cast<int32_t>(i)));
      }
      CorrectAll(correction, std::span(locals).first(count),
                 std::span(corrected_).subspan(static_cast<size_t>(n), count));
    }
  }

  // Shrinks the gates of messages that the strings invert; whether there are any new ones.
  bool PinViolated(std::vector<bool>& is_stale, bool pins_tracks) {
    bool is_any = false;
    const auto pin = [&](uint32_t t, int32_t n) {
      if (is_pinned_[n]) return;
      is_any = true;
      is_stale[in_.tracks[t].clock.index()] = true;
      if (!pins_tracks) {
        is_pinned_[n] = true;
        return;
      }
      for (int32_t k = in_.graph.first(t); k < in_.graph.first(t + 1); ++k) is_pinned_[k] = true;
    };
    for (const Graph::Links& links : in_.graph.links()) {
      if (links.messages.empty() || !IsGuessed(links.from) || !IsGuessed(links.to)) continue;
      const Duration least{links.least_delay >> in_.graph.shift()};
      for (const Graph::Link& link : links.links) {
        if (corrected_[link.receive] - corrected_[link.send] >= least) continue;
        pin(links.from, link.send);
        pin(links.to, link.receive);
      }
    }
    return is_any;
  }

  CorrectionInput in_;
  std::vector<int64_t> lines_;  // by clock, as limits
  std::vector<bool> is_pinned_;
  std::vector<GlobalTime> corrected_;  // by node
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
