#include "estimate/drift_bounded/corrections.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/int128.h"
#include "base/parallel.h"
#include "estimate/drift_bounded/taut_string.h"
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
    locals_.reserve(in_.graph.nodes());
    for (size_t t = 0; t < in_.tracks.size(); ++t) {
      const Clock& clock = in_.clocks[in_.tracks[t].clock.index()].clock;
      for (int32_t n = in_.graph.first(t); n < in_.graph.first(t + 1); ++n) {
        locals_.push_back(clock.FromNominalNs(ReadingNs(t, n)));
      }
    }
  }

  EpochCorrections Run() {
    std::vector<bool> is_stale(in_.clocks.size(), true);
    for (int round = 0;; ++round) {
      Draw(is_stale);
      is_stale.assign(in_.clocks.size(), false);
      if (!PinViolated(is_stale, round >= kMostDrawings)) break;
    }
    return std::move(corrections_);
  }

 private:
  bool IsGuessed(size_t t) const {
    const int32_t n = in_.graph.first(t);
    return n < in_.graph.first(t + 1) && in_.guess[n] != Paths::kNone;
  }
  int64_t ReadingNs(size_t t, int32_t n) const {
    return in_.origins_ns[in_.tracks[t].clock.index()] +
           (in_.graph.readings()[n] >> in_.graph.shift());
  }

  // By clock: the slope − 1 of the line of least squares through its guesses, each track with a
  // height of its own.
  void FitLines() {
    lines_.assign(in_.clocks.size(), 0);
    for (size_t c = 0; c < in_.clocks.size(); ++c) {
      double xx = 0, xy = 0;
      for (uint32_t t = in_.tracks.first(c); t < in_.tracks.end(c); ++t) {
        if (!IsGuessed(t)) continue;
        const int32_t first = in_.graph.first(t);
        double n = 0, mean_x = 0, mean_y = 0;
        for (int32_t k = first; k < in_.graph.first(t + 1); ++k) {
          const auto x = static_cast<double>(in_.graph.readings()[k] - in_.graph.readings()[first]);
          const auto y = static_cast<double>(Ahead(k) - Ahead(first));
          n += 1;
          const double dx = x - mean_x;
          mean_x += dx / n;
          mean_y += (y - mean_y) / n;
          xx += dx * (x - mean_x);
          xy += dx * (y - mean_y);
        }
      }
      if (xx > 0) lines_[c] = std::llround(xy / xx * RateLimits::kOne);
    }
  }
  // By how much the guess is ahead of the reading.
  int64_t Ahead(int32_t n) const { return in_.guess[n] - in_.graph.readings()[n]; }

  // What the line adds to a reading.
  int64_t LineAt(size_t t, int64_t reading) const {
    return reading + DriftOver(reading - in_.graph.readings()[in_.graph.first(t)],
                               lines_[in_.tracks[t].clock.index()]);
  }

  // The lower quartile of the widths of a track's bounds.
  int64_t UsualWidth(size_t t) const {
    const auto widths = in_.width.subspan(
        static_cast<size_t>(in_.graph.first(t)),
        static_cast<size_t>(in_.graph.first(t + 1)) - static_cast<size_t>(in_.graph.first(t)));
    std::vector<int64_t> sorted(widths.begin(), widths.end());
    const auto quartile = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 4);
    std::nth_element(sorted.begin(), quartile, sorted.end());
    return *quartile;
  }

  std::vector<Gate> GatesOf(size_t t) const {
    const int64_t usual = UsualWidth(t);
    std::vector<Gate> gates;
    for (int32_t n = in_.graph.first(t); n < in_.graph.first(t + 1); ++n) {
      const int64_t z = in_.graph.readings()[n];
      const int64_t line = LineAt(t, z);
      const int64_t middle = in_.guess[n];
      const auto width = static_cast<double>(in_.width[n]);
      const double kept = (1 - kShare) * std::min(width, static_cast<double>(usual));
      const auto slack = static_cast<int64_t>((width - kept) / 2);
      Gate gate{z, middle - line, middle - line};
      // From guess to guess: the middle of an end's gate can lie beside, which would bend what is
      // straight.
      const bool is_end = n == in_.graph.first(t) || n + 1 == in_.graph.first(t + 1);
      if (!is_pinned_[n] && !is_end) {
        gate.low = std::min(middle, std::max(middle - slack, in_.earliest[n])) - line;
        gate.high = std::max(middle, std::min(middle + slack, in_.latest[n])) - line;
      }
      gates.push_back(gate);
    }
    return gates;
  }

  Correction::Knot KnotAt(size_t t, int64_t reading, int64_t above_line) const {
    const size_t c = in_.tracks[t].clock.index();
    const int64_t ns = in_.origins_ns[c] + (reading >> in_.graph.shift());
    const int64_t value = (LineAt(t, reading) + above_line) >> in_.graph.shift();
    return {in_.clocks[c].clock.FromNominalNs(ns),
            {Saturate(static_cast<Int128>(value) + in_.reference_origins_ns[c])}};
  }

  // Between neighbouring tracks of an epoch, both strings go on for half of the time, or reading.
  int64_t HalfBetween(uint32_t before, uint32_t behind) const {
    const int32_t p = in_.graph.first(before + 1) - 1, q = in_.graph.first(behind);
    return std::min(in_.graph.readings()[q] - in_.graph.readings()[p],
                    in_.guess[q] - in_.guess[p]) /
               2 -
           in_.graph.Units(2);
  }

  void DrawTrack(uint32_t t, std::optional<uint32_t> previous, std::optional<uint32_t> next,
                 std::vector<Correction::Knot>& knots) {
    bool is_first = !previous, is_last = !next;
    const std::vector<Point> string = TautString(GatesOf(t));
    const int64_t beyond = kBeyondNs << in_.graph.shift();
    std::vector<Correction::Knot> drawn;
    // A straight string goes on by itself.
    const bool is_straight = string.size() == 2 && string.back().x - string.front().x >= beyond;
    if (is_straight && is_first && is_last) is_first = is_last = false;
    if (is_first) drawn.push_back(KnotAt(t, string.front().x - beyond, string.front().y));
    if (previous && HalfBetween(*previous, t) > 0) {
      drawn.push_back(KnotAt(t, string.front().x - HalfBetween(*previous, t), string.front().y));
    }
    for (const Point& p : string) drawn.push_back(KnotAt(t, p.x, p.y));
    if (is_last) drawn.push_back(KnotAt(t, string.back().x + beyond, string.back().y));
    if (next && HalfBetween(t, *next) > 0) {
      drawn.push_back(KnotAt(t, string.back().x + HalfBetween(t, *next), string.back().y));
    }
    // Rounding can bring knots together.
    for (const Correction::Knot& knot : drawn) {
      if (knots.empty() || (knots.back().local < knot.local && knots.back().global < knot.global)) {
        knots.push_back(knot);
      }
    }
  }

  void Draw(const std::vector<bool>& is_stale) {
    corrections_.resize(in_.clocks.size());
    ForEachParallel(in_.clocks.size(), [&](size_t c) {
      if (is_stale[c]) DrawClock(c);
    });
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
      for (const uint32_t track : of_epoch) {
        const auto first = static_cast<size_t>(in_.graph.first(track));
        const size_t count = static_cast<size_t>(in_.graph.first(track + 1)) - first;
        CorrectAll(*corrections_[c].back(), std::span(locals_).subspan(first, count),
                   std::span(corrected_).subspan(first, count));
      }
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
  std::vector<LocalTime> locals_;      // by node
  std::vector<GlobalTime> corrected_;  // by node
  EpochCorrections corrections_;
};

}  // namespace

EpochCorrections DrawCorrections(const CorrectionInput& input) { return Drawing(input).Run(); }

}  // namespace syncline::drift_bounded
