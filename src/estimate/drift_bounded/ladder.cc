#include "estimate/drift_bounded/ladder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/stretches.h"
#include "estimate/drift_bounded/tube.h"
#include "estimate/lines/least_squares.h"

namespace syncline::drift_bounded {
namespace {

constexpr double kKappa = 1.5;
constexpr int kMostSolutions = 14;
constexpr int64_t kMostFactor = 4;  // by which limits are divided where the line is known
// At which guesses are compared: in all, and per track.
constexpr size_t kSamples = 65'536;
constexpr size_t kLeastSamples = 64, kMostSamples = 1024;
// So many messages for each clock, within these limits in all, tell noise and steps as well by a
// share of the time.
constexpr size_t kEnoughPerClock = 1 << 12;
constexpr size_t kLeastEnough = 1 << 18, kMostEnough = 1 << 20;
constexpr int kMostTries = 3;  // at one rung, before all take it back
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct ClockState {
  std::vector<RateLimits> rates;  // of the rungs so far
  double line = kNaN;             // as a limit, before the last rung
  int64_t most = kMostFactor;     // by which its limits may be divided next
  int64_t factor = 2;             // by which they were divided last
  double noise = 0, noise_epsilon = 1;
  double span = 0;  // of its readings
  bool is_active = false;
  bool has_advanced = false;  // on the present rung
  bool is_line = true;        // it came all the way down, or had no way to go

  const RateLimits& rate() const { return rates.back(); }
  double epsilon() const { return static_cast<double>(rate().fast - rate().slow) / 2; }
  // As the noise of the last rung lets expect: the least delay in a time T is some 1/T above the
  // floor, and drift adds εT, so it goes with the square root of ε.
  double NoiseAt(double epsilon) const { return noise * std::sqrt(epsilon / noise_epsilon); }
};

// What the even and what the odd messages say at the samples.
using Guesses = std::array<std::vector<Middle>, 2>;

struct Rung {
  std::vector<Graph> graphs;  // of the even messages, and of the odd
  Guesses guesses;
};

class Ladder {
 public:
  explicit Ladder(const LadderInput& input)
      : in_(input),
        clocks_(input.slopes.size()),
        enough_(in_.enough.value_or(
            std::clamp(kEnoughPerClock * clocks_.size(), kLeastEnough, kMostEnough))),
        stretches_(in_.graph, in_.paths, in_.tracks, 1) {
    size_t messages = 1;
    for (const KeptDirection& d : in_.directions) messages += d.all.size();
    LookAt(static_cast<double>(enough_) / static_cast<double>(messages));
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      const Track& track = in_.graph.track(t);
      ClockState& clock = clocks_[ClockOf(t)];
      const auto readings = ReadingsOf(t);
      clock.rates = {track.rate};
      if (!readings.empty()) clock.span += static_cast<double>(readings.back() - readings.front());
      clock.line = in_.slopes[ClockOf(t)] * RateLimits::kOne;
      clock.is_active |= !track.is_reference && clock.epsilon() > 0 && IsBounded(t);
      clock.is_line = !clock.is_active;
    }
  }

  Guess Run() {
    if (IsAny(&ClockState::is_active)) Climb();
    return Finish();
  }

 private:
  void Climb() {
    Rung rung;
    if (!Leap(rung)) {
      rung.graphs = Halves();
      // Halves of what is feasible are feasible, but for rounding.
      if (!Solve(rung)) return;
    }
    while (IsAny(&ClockState::is_active) && solutions_ < kMostSolutions) {
      if (!LookAtMore(rung)) return;
      Weigh(rung.guesses);
      const std::vector<double> noise = SteadyNoise(Noise(rung.guesses));
      Tighten(rung.guesses);
      Rung next;
      if (!TakeRung(rung, next)) continue;
      // Clocks that took back a large step keep its guess to compare a smaller one with: where both
      // agree, it is the rung before that was off, as it is during a queue.
      if (RetreatWhere(Steps(rung.guesses, next.guesses), noise)) {
        next.graphs = std::move(rung.graphs);
      }
      EndLines(noise);
      rung = std::move(next);
    }
  }

  // Most messages count on the first rungs only, which most clocks leave: a first step over some
  // of them at once, from the bounds that are known, if all clocks would take it. False, and all
  // as before, where one would not.
  bool Leap(Rung& rung) {
    constexpr int64_t kStride = 16;
    constexpr double kNoiseRatio = 4;  // of the first rung and this one, as by SteadyNoise
    Guesses before;
    before[0] = AtSamples(in_.graph, in_.paths);
    before[1] = before[0];
    Weigh(before);
    const std::vector<ClockState> clocks = clocks_;
    for (ClockState& clock : clocks_) clock.most = kStride;
    Tighten(before);
    for (ClockState& clock : clocks_) clock.most = kMostFactor;
    const auto is_small = [](const ClockState& c) { return c.is_active && c.factor < kStride; };
    if (std::ranges::none_of(clocks_, is_small)) {
      rung.graphs = Halves();
      if (Solve(rung)) {
        std::vector<double> noise = Noise(rung.guesses);
        for (double& n : noise) n *= kNoiseRatio;
        if (!RetreatWhere(Steps(before, rung.guesses), noise)) return true;
      }
    }
    clocks_ = clocks;
    return false;
  }

  // The graphs of the even and of the odd messages by the present limits.
  std::vector<Graph> Halves() const {
    const std::vector<RateLimits> rates = RatesByTrack();
    std::vector<Graph> graphs;
    for (const size_t half : {0, 1}) {
      std::vector<Envelope> kept;
      kept.reserve(in_.directions.size());
      std::vector<Direction> directions;
      for (const KeptDirection& d : in_.directions) {
        Envelope& envelope = kept.emplace_back(rates[d.from], rates[d.to]);
        for (const auto& stretch : stretches_.all()) {
          const auto within = stretches_.Within(stretch, d.from, d.all);
          const auto place = static_cast<size_t>(within.data() - d.all.data());
          envelope.Add(within, (place + half) % 2, 2);
        }
        directions.push_back({d.from, d.to, d.least_delay_ns, envelope.Kept()});
      }
      std::vector<Track> tracks;
      for (size_t t = 0; t < rates.size(); ++t) {
        tracks.push_back(in_.graph.track(t));
        tracks.back().rate = rates[t];
      }
      graphs.emplace_back(std::move(tracks), directions, in_.graph.shift());
      graphs.back().ForgetMessages();
    }
    return graphs;
  }

  size_t ClockOf(size_t track) const { return in_.tracks[track].clock.index(); }
  bool IsBounded(size_t track) const { return in_.paths.IsBounded(in_.graph, track); }
  std::span<const int64_t> ReadingsOf(size_t track) const {
    return in_.graph.OfTrack(track, in_.graph.readings());
  }

  void LookAt(double share) {
    stretches_ = Stretches(in_.graph, in_.paths, in_.tracks, share);
    ChooseSamples();
  }
  // As fewer messages count, more of the time. False where the messages allow no limits.
  bool LookAtMore(Rung& rung) {
    if (stretches_.share() == 1) return true;
    size_t messages = 0;
    for (const Graph& graph : rung.graphs) {
      for (const Graph::Links& links : graph.links()) messages += links.links.size();
    }
    if (2 * messages > enough_) return true;
    LookAt(stretches_.share() * static_cast<double>(enough_) / static_cast<double>(messages));
    do {
      rung.graphs = Halves();
      if (Solve(rung)) return true;
    } while (GoBack());
    return false;
  }

  void ChooseSamples() {
    const size_t most = std::clamp(kSamples / in_.graph.tracks(), kLeastSamples, kMostSamples);
    samples_.clear();
    clock_of_sample_.clear();
    sample_of_track_ = {0};
    for (uint32_t t = 0; t < in_.graph.tracks(); ++t) {
      size_t count = 0;
      for (const auto& s : stretches_.all()) count += stretches_.Within(s, t).size();
      const size_t step = std::max<size_t>(1, count / most);
      for (const auto& s : stretches_.all()) {
        const auto readings = stretches_.Within(s, t);
        for (size_t k = 0; k < readings.size() && IsBounded(t); k += step) {
          samples_.push_back(readings[k]);
          clock_of_sample_.push_back(ClockOf(t));
        }
      }
      sample_of_track_.push_back(samples_.size());
    }
    weight_.assign(samples_.size(), 1);
  }

  std::vector<RateLimits> RatesByTrack() const {
    std::vector<RateLimits> by_track;
    for (size_t t = 0; t < in_.graph.tracks(); ++t) by_track.push_back(clocks_[ClockOf(t)].rate());
    return by_track;
  }
  // By the present limits.
  std::vector<Graph> Narrowed(std::span<const Graph> graphs) const {
    std::vector<Graph> narrowed(graphs.size());
    const std::vector<RateLimits> rates = RatesByTrack();
    ForEachParallel(graphs.size(), [&](size_t i) { narrowed[i] = graphs[i].Narrowed(rates); });
    return narrowed;
  }

  // Paths of each graph; where messages contradict the limits, `cycle_` holds the clocks concerned.
  std::vector<BothPaths> PathsOf(const std::vector<Graph>& graphs) {
    ++solutions_;
    std::vector<BothPaths> paths = FindBothPaths(graphs, std::move(paths_));
    cycle_.clear();
    for (size_t i = 0; i < graphs.size(); ++i) {
      for (const Paths* side : {&paths[i].earliest, &paths[i].latest}) {
        for (const auto* nodes : {&side->cycle, &side->other_cycles}) {
          for (const int32_t n : *nodes) cycle_.insert(ClockOf(graphs[i].TrackOf(n)));
        }
      }
    }
    return paths;
  }
  // False where messages contradict the limits.
  bool Solve(Rung& rung) {
    paths_ = PathsOf(rung.graphs);
    if (!cycle_.empty()) return false;
    for (size_t i = 0; i < rung.graphs.size(); ++i) {
      rung.guesses[i] = AtSamples(rung.graphs[i], paths_[i]);
    }
    return true;
  }
  std::vector<Middle> AtSamples(const Graph& graph, const BothPaths& paths) const {
    std::vector<Middle> middles(samples_.size());
    ForEachParallel(graph.tracks(), [&](size_t t) {
      if (!paths.IsBounded(graph, t)) return;
      const TrackTube tube = TubeOf(graph, paths, t);
      size_t near = 0;
      for (size_t i = sample_of_track_[t]; i < sample_of_track_[t + 1]; ++i) {
        middles[i] = tube.MiddleAt(samples_[i], &near);
      }
    });
    return middles;
  }

  static bool IsKnown(const Guesses& guesses, size_t sample) {
    return guesses[0][sample].value != Paths::kNone && guesses[1][sample].value != Paths::kNone;
  }
  // Less the sample's reading.
  double Ahead(const Guesses& guesses, size_t sample) const {
    const int64_t z = samples_[sample];
    return static_cast<double>(guesses[0][sample].value - z) / 2 +
           static_cast<double>(guesses[1][sample].value - z) / 2;
  }
  static double WidthOf(const Guesses& guesses, size_t sample) {
    return static_cast<double>(guesses[0][sample].width) / 2 +
           static_cast<double>(guesses[1][sample].width) / 2;
  }

  // By 1 / (1 + width²)^6, width in lower quartiles of the clock's: where a queue leaves bounds a
  // few times as wide as elsewhere, their middles are as far from the truth, for half of the trace
  // maybe.
  void Weigh(const Guesses& guesses) {
    std::vector<std::vector<double>> widths(clocks_.size());
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (IsKnown(guesses, i)) widths[clock_of_sample_[i]].push_back(WidthOf(guesses, i));
    }
    for (auto& of_clock : widths) {
      if (of_clock.empty()) continue;
      const auto quartile = of_clock.begin() + static_cast<ptrdiff_t>(of_clock.size() / 4);
      std::nth_element(of_clock.begin(), quartile, of_clock.end());
      of_clock = {std::max(1.0, *quartile)};
    }
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (!IsKnown(guesses, i)) continue;
      const double width = WidthOf(guesses, i) / widths[clock_of_sample_[i]][0];
      const double inverse = 1 / (1 + width * width);
      const double cube = inverse * inverse * inverse;
      weight_[i] = cube * cube;
    }
  }

  // RMS by clock of difference(sample), NaN where there is nothing to compare.
  template <typename Difference>
  std::vector<double> Rms(Difference difference) const {
    std::vector<double> sum(clocks_.size(), 0), weight(clocks_.size(), 0);
    for (size_t i = 0; i < samples_.size(); ++i) {
      const double d = difference(i);
      if (std::isnan(d)) continue;
      sum[clock_of_sample_[i]] += weight_[i] * d * d;
      weight[clock_of_sample_[i]] += weight_[i];
    }
    for (size_t c = 0; c < sum.size(); ++c) {
      sum[c] = weight[c] > 0 ? std::sqrt(sum[c] / weight[c]) : kNaN;
    }
    return sum;
  }
  std::vector<double> Noise(const Guesses& guesses) const {
    return Rms([&](size_t i) {
      if (!IsKnown(guesses, i)) return kNaN;
      return static_cast<double>(guesses[0][i].value - guesses[1][i].value) / 2;
    });
  }
  // A single estimate far below what the rung before lets expect is chance.
  std::vector<double> SteadyNoise(std::vector<double> noise) {
    for (size_t c = 0; c < clocks_.size(); ++c) {
      ClockState& clock = clocks_[c];
      const double epsilon = clock.epsilon();
      const double least = clock.NoiseAt(epsilon);
      clock.noise = noise[c];
      if (least > noise[c]) noise[c] = least;
      clock.noise_epsilon = epsilon;
    }
    return noise;
  }
  std::vector<double> Steps(const Guesses& from, const Guesses& to) const {
    return Rms([&](size_t i) {
      return IsKnown(from, i) && IsKnown(to, i) ? Ahead(to, i) - Ahead(from, i) : kNaN;
    });
  }

  // A part of the limits of active clocks, about their lines as far as the limits allow.
  void Tighten(const Guesses& guesses) {
    std::vector<SlopeFit> lines(clocks_.size());
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      SlopeFit& line = lines[ClockOf(t)];
      line.BeginGroup();
      for (size_t i = sample_of_track_[t]; i < sample_of_track_[t + 1]; ++i) {
        if (!IsKnown(guesses, i)) continue;
        line.Add(static_cast<double>(samples_[i]), Ahead(guesses, i), weight_[i]);
      }
    }
    for (size_t c = 0; c < clocks_.size(); ++c) {
      clocks_[c].has_advanced = clocks_[c].is_active;
      if (!clocks_[c].is_active) continue;
      ClockState& clock = clocks_[c];
      const double line = lines[c].Slope() * RateLimits::kOne;
      // Large steps where the line is known well enough to be in the middle afterwards.
      const double moved = std::abs(line - clock.line);
      clock.factor = moved < clock.epsilon() / 16 ? clock.most : 2;
      clock.line = line;
      const RateLimits rate = clock.rate();
      const int64_t half = (rate.fast - rate.slow) / (2 * clock.factor);
      const int64_t middle =
          std::clamp(static_cast<int64_t>(std::llround(line)), rate.slow + half, rate.fast - half);
      clock.rates.push_back({middle - half, middle + half});
    }
  }

  bool IsAny(bool ClockState::*state) const {
    return std::ranges::any_of(clocks_, [&](const ClockState& c) { return c.*state; });
  }
  // Takes back the clock's last step, to try a smaller one next, if it was a large one.
  bool Retreat(size_t c) {
    ClockState& clock = clocks_[c];
    if (!clock.has_advanced) return false;
    clock.rates.pop_back();
    clock.has_advanced = false;
    clock.is_active = clock.factor > 2;
    clock.most = 2;
    return true;
  }

  // Takes back steps until the messages allow the limits; false where that leaves none.
  bool TakeRung(const Rung& rung, Rung& next) {
    for (int tries = 0; IsAny(&ClockState::has_advanced); ++tries) {
      next.graphs = Narrowed(rung.graphs);
      if (Solve(next)) return true;
      bool is_any = false;
      for (const size_t c : cycle_) is_any |= Retreat(c);
      // Both clocks of pairs whose own messages contradict the limits.
      for (const Graph& graph : next.graphs) {
        if (tries > 0) break;
        for (const auto& [a, b] : ContradictoryTracks(graph)) {
          Retreat(ClockOf(a));
          Retreat(ClockOf(b));
        }
      }
      if (!is_any || tries >= kMostTries) {
        for (size_t c = 0; c < clocks_.size(); ++c) Retreat(c);
      }
    }
    return false;
  }

  // Takes back a rung of the clocks on contradictions; false where there is none.
  bool GoBack() {
    bool is_any = false;
    for (const size_t c : cycle_) {
      if (clocks_[c].rates.size() == 1) continue;
      clocks_[c].rates.pop_back();
      clocks_[c].is_active &= clocks_[c].factor > 2;
      clocks_[c].most = 2;
      is_any = true;
    }
    return is_any;
  }

  // Where the step is too large for the noise; whether anywhere.
  bool RetreatWhere(const std::vector<double>& steps, const std::vector<double>& noise) {
    bool is_any = false;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!(steps[c] <= kKappa * noise[c])) is_any |= Retreat(c);
    }
    return is_any;
  }

  // What the limits leave is nothing beside the noise, or less than a nanosecond.
  void EndLines(const std::vector<double>& noise) {
    constexpr double kShareOfNoise = 0.5;
    const auto nanosecond = static_cast<double>(in_.graph.Units(1));
    for (size_t c = 0; c < clocks_.size(); ++c) {
      ClockState& clock = clocks_[c];
      const double left = clock.epsilon() / RateLimits::kOne * clock.span;
      const bool is_wide = clock.rate().fast - clock.rate().slow >= 4;
      if (!clock.is_active || (is_wide && left > std::max(kShareOfNoise * noise[c], nanosecond))) {
        continue;
      }
      clock.is_active = false;
      clock.is_line = true;
    }
  }

  // The guess of the tracks of the first graph, by the limits that were reached. What both halves
  // allow, all messages need not: clocks on a contradiction go back up.
  Guess Finish() {
    const std::span<const Graph> first = {&in_.graph, 1};
    std::vector<Graph> all = Narrowed(first);
    BothPaths paths = std::move(PathsOf(all).front());
    while (!cycle_.empty()) {
      const bool is_last = !GoBack();
      all = is_last ? std::vector<Graph>{in_.graph} : Narrowed(first);
      paths = is_last ? in_.paths : std::move(PathsOf(all).front());
      if (is_last) break;
    }
    Guess guess;
    for (const ClockState& c : clocks_) {
      guess.limit_ppm.push_back(c.rate().HalfWidthPpm());
      guess.noise.push_back(c.NoiseAt(c.epsilon()));
      guess.is_line.push_back(c.is_line);
    }
    all.front().ForgetLinks();
    // Their memory is that of rungs on which more messages counted.
    for (Paths* side : {&paths.earliest, &paths.latest}) side->value.shrink_to_fit();
    const auto reached =
        std::make_shared<const Solved>(Solved{std::move(all.front()), std::move(paths)});
    guess.tracks.resize(in_.graph.tracks());
    for (size_t t = 0; t < in_.graph.tracks(); ++t) {
      if (!IsBounded(t) || !reached->paths.IsBounded(reached->graph, t)) continue;
      guess.tracks[t].tube = TubeOf(reached->graph, reached->paths, t, reached);
    }
    return guess;
  }

  LadderInput in_;
  std::vector<ClockState> clocks_;
  size_t enough_;
  Stretches stretches_;                  // that are looked at
  std::vector<int64_t> samples_;         // readings
  std::vector<size_t> sample_of_track_;  // one more than tracks
  std::vector<size_t> clock_of_sample_;
  std::vector<double> weight_;  // by sample
  int solutions_ = 0;
  std::set<size_t> cycle_;        // clocks on cycles
  std::vector<BothPaths> paths_;  // of the last rung; the next one takes their memory
};

}  // namespace

Guess ClimbDown(const LadderInput& input) { return Ladder(input).Run(); }

}  // namespace syncline::drift_bounded
