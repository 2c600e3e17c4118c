#include "estimate/drift_bounded/ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

constexpr double kKappa = 1.5;
constexpr int kMostRungs = 24;
constexpr size_t kSamples = 1024;  // per track
constexpr int kMostTries = 3;      // at one rung, before its clocks all stop

// A node of the first graph at which guesses are compared.
struct Sample {
  uint32_t track = 0;
  int64_t reading = 0;
};

struct ClockState {
  RateLimits rate;     // of the last rung that was taken
  double epsilon = 0;  // as a drift
  double span = 0;     // of its readings
  bool is_active = false;
  bool is_line = false;
  bool has_guess = false;  // that can become better
};

// The guesses of one rung, by sample; kNone where a side is open.
using Middles = std::vector<int64_t>;

std::vector<Constraint> Thinned(std::span<const Constraint> messages, RateLimits sender,
                                RateLimits receiver) {
  Envelope envelope(sender, receiver);
  for (const Constraint& m : messages) envelope.Add(m);
  const auto kept = envelope.Kept();
  return {kept.begin(), kept.end()};
}

class Ladder {
 public:
  explicit Ladder(const LadderInput& input) : in_(input), clocks_(input.clocks) {
    ChooseSamples();
    for (size_t t = 0; t < in_.tracks.size(); ++t) {
      const Track& track = in_.tracks[t];
      ClockState& clock = clocks_[in_.clock_of[t]];
      clock.rate = track.rate;
      clock.epsilon = static_cast<double>(track.rate.fast - track.rate.slow) / 2;
      clock.span += SpanOf(t);
      clock.is_active |= !track.is_reference && clock.epsilon > 0 && IsBounded(t);
      clock.has_guess = clock.is_active;
    }
  }

  Guess Run() {
    Middles middle = MiddlesOf(in_.graph, in_.earliest, in_.latest);
    directions_ = {in_.directions.begin(), in_.directions.end()};
    for (int rung = 0; rung < kMostRungs && AnyActive(); ++rung) {
      const std::vector<double> noise = Noise();
      if (auto next = TakeRung(middle, noise)) {
        middle = std::move(*next);
      } else {
        break;
      }
    }
    return Finish();
  }

 private:
  bool IsBounded(size_t t) const {
    const int32_t n = in_.graph.first(t);
    return n < in_.graph.first(t + 1) && in_.earliest.value[n] != Paths::kNone &&
           in_.latest.value[n] != Paths::kNone;
  }

  double SpanOf(size_t t) const {
    const int32_t first = in_.graph.first(t), end = in_.graph.first(t + 1);
    const auto readings = in_.graph.readings();
    return first < end ? static_cast<double>(readings[end - 1] - readings[first]) : 0;
  }

  void ChooseSamples() {
    sample_of_track_.push_back(0);
    for (uint32_t t = 0; t < in_.tracks.size(); ++t) {
      const auto first = static_cast<size_t>(in_.graph.first(t));
      const size_t count = static_cast<size_t>(in_.graph.first(t + 1)) - first;
      const size_t step = std::max<size_t>(1, count / kSamples);
      for (size_t k = 0; k < count && IsBounded(t); k += step) {
        samples_.push_back({t, in_.graph.readings()[first + k]});
      }
      sample_of_track_.push_back(samples_.size());
    }
  }

  Middles MiddlesOf(const Graph& graph, const Paths& earliest, const Paths& latest) const {
    Middles middles(samples_.size(), Paths::kNone);
    for (uint32_t t = 0; t < in_.tracks.size(); ++t) {
      if (sample_of_track_[t] == sample_of_track_[t + 1] || graph.first(t) == graph.first(t + 1)) {
        continue;
      }
      const TrackTube tube = TubeOf(graph, earliest, latest, t);
      for (size_t i = sample_of_track_[t]; i < sample_of_track_[t + 1]; ++i) {
        const int64_t low = tube.Earliest(samples_[i].reading);
        const int64_t high = tube.Latest(samples_[i].reading);
        if (low == Paths::kNone || high == -Paths::kNone) continue;
        middles[i] = low + (high - low) / 2;
      }
    }
    return middles;
  }

  // What a graph of these messages says; none where it contradicts itself: `cycle_` then holds the
  // clocks concerned.
  std::optional<Middles> Solve(std::span<const Direction> directions) {
    std::vector<Track> tracks(in_.tracks.begin(), in_.tracks.end());
    for (size_t t = 0; t < tracks.size(); ++t) tracks[t].rate = clocks_[in_.clock_of[t]].rate;
    const Graph graph(std::move(tracks), directions, in_.graph.shift());
    Paths paths[2];
    ForEachParallel(2, [&](size_t side) {
      paths[side] = FindPaths(graph, side == 0 ? Side::kEarliest : Side::kLatest);
    });
    for (const Paths& found : paths) {
      if (found.cycle.empty()) continue;
      cycle_.clear();
      for (const int32_t n : found.cycle) cycle_.push_back(in_.clock_of[graph.TrackOf(n)]);
      return std::nullopt;
    }
    return MiddlesOf(graph, paths[0], paths[1]);
  }

  std::vector<Direction> DirectionsOf(std::vector<Constraint> HalvedDirection::*part) const {
    std::vector<Direction> directions;
    for (const HalvedDirection& d : directions_) {
      directions.push_back({d.from, d.to, d.least_delay_ns, d.*part});
    }
    return directions;
  }

  // RMS of differences by clock, NaN where there is nothing to compare.
  std::vector<double> Rms(const Middles& a, const Middles& b) const {
    std::vector<double> sum(clocks_.size(), 0);
    std::vector<double> count(clocks_.size(), 0);
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (a[i] == Paths::kNone || b[i] == Paths::kNone) continue;
      const uint32_t clock = in_.clock_of[samples_[i].track];
      const auto difference = static_cast<double>(a[i] - b[i]);
      sum[clock] += difference * difference;
      count[clock] += 1;
    }
    for (size_t c = 0; c < sum.size(); ++c) {
      sum[c] =
          count[c] > 0 ? std::sqrt(sum[c] / count[c]) : std::numeric_limits<double>::quiet_NaN();
    }
    return sum;
  }

  std::vector<double> Noise() {
    const auto even = Solve(DirectionsOf(&HalvedDirection::even));
    const auto odd = Solve(DirectionsOf(&HalvedDirection::odd));
    // Halves of what is feasible are feasible, but for rounding.
    if (!even || !odd) return std::vector<double>(clocks_.size(), 0);
    std::vector<double> noise = Rms(*even, *odd);
    for (double& n : noise) n /= 2;
    return noise;
  }

  // The slope − 1 of the line of least squares through the guesses of each clock, a height of its
  // own for each of its tracks.
  std::vector<double> Lines(const Middles& middle) const {
    std::vector<double> xx(clocks_.size(), 0), xy(clocks_.size(), 0);
    for (size_t t = 0; t + 1 < sample_of_track_.size(); ++t) {
      double n = 0, mean_x = 0, mean_y = 0;
      const auto value = [&](size_t i) {
        return std::pair(static_cast<double>(samples_[i].reading),
                         static_cast<double>(middle[i] - samples_[i].reading));
      };
      for (size_t i = sample_of_track_[t]; i < sample_of_track_[t + 1]; ++i) {
        if (middle[i] == Paths::kNone) continue;
        const auto [x, y] = value(i);
        n += 1;
        mean_x += (x - mean_x) / n;
        mean_y += (y - mean_y) / n;
      }
      for (size_t i = sample_of_track_[t]; i < sample_of_track_[t + 1]; ++i) {
        if (middle[i] == Paths::kNone) continue;
        const auto [x, y] = value(i);
        xx[in_.clock_of[t]] += (x - mean_x) * (x - mean_x);
        xy[in_.clock_of[t]] += (x - mean_x) * (y - mean_y);
      }
    }
    for (size_t c = 0; c < xx.size(); ++c) xx[c] = xx[c] > 0 ? xy[c] / xx[c] : 0;
    return xx;
  }

  // Half of the limits, about the line as far as the limits allow.
  static RateLimits Halved(RateLimits rate, double line) {
    const auto half = (rate.fast - rate.slow) / 4;
    const auto wished = static_cast<int64_t>(std::llround(line * RateLimits::kOne));
    const int64_t middle = std::clamp(wished, rate.slow + half, rate.fast - half);
    return {middle - half, middle + half};
  }

  bool AnyActive() const {
    return std::any_of(clocks_.begin(), clocks_.end(),
                       [](const ClockState& c) { return c.is_active; });
  }

  void Stop(size_t clock, const std::vector<ClockState>& before) {
    clocks_[clock] = before[clock];
    clocks_[clock].is_active = false;
  }

  // All of the messages' envelopes by the present limits.
  void Thin() {
    ForEachParallel(directions_.size(), [&](size_t i) {
      HalvedDirection& d = directions_[i];
      const RateLimits sender = clocks_[in_.clock_of[d.from]].rate;
      const RateLimits receiver = clocks_[in_.clock_of[d.to]].rate;
      for (auto* part : {&d.all, &d.even, &d.odd}) *part = Thinned(*part, sender, receiver);
    });
  }

  // What the limits leave is nothing beside the noise, or nothing at all.
  void EndLines(const std::vector<double>& noise) {
    constexpr double kShareOfNoise = 0.1;
    for (size_t c = 0; c < clocks_.size(); ++c) {
      ClockState& clock = clocks_[c];
      const double left = clock.epsilon / RateLimits::kOne * clock.span;
      const bool is_narrow = left <= kShareOfNoise * noise[c];
      if (!clock.is_active || (!is_narrow && clock.rate.fast - clock.rate.slow >= 4)) continue;
      clock.is_active = false;
      clock.is_line = true;
    }
  }

  // Halves the limits of all clocks that gain by it; none where no clock does.
  std::optional<Middles> TakeRung(const Middles& middle, const std::vector<double>& noise) {
    const std::vector<ClockState> before = clocks_;
    const std::vector<HalvedDirection> messages = directions_;
    const std::vector<double> lines = Lines(middle);
    for (size_t c = 0; c < clocks_.size(); ++c) {
      if (!clocks_[c].is_active) continue;
      clocks_[c].rate = Halved(clocks_[c].rate, lines[c]);
      clocks_[c].epsilon /= 2;
    }
    std::optional<Middles> next;
    bool is_judged = false;
    for (int tries = 0;; ++tries) {
      directions_ = messages;
      Thin();
      next = Solve(DirectionsOf(&HalvedDirection::all));
      std::vector<size_t> stopping;
      if (!next) {
        for (const uint32_t c : cycle_) {
          if (clocks_[c].is_active) stopping.push_back(c);
        }
        if (stopping.empty() || tries >= kMostTries) {
          for (size_t c = 0; c < clocks_.size(); ++c) {
            if (clocks_[c].is_active || before[c].is_active) stopping.push_back(c);
          }
        }
      } else if (!is_judged) {
        is_judged = true;
        const std::vector<double> step = Rms(*next, middle);
        for (size_t c = 0; c < clocks_.size(); ++c) {
          if (clocks_[c].is_active && !(step[c] <= kKappa * noise[c])) stopping.push_back(c);
        }
      }
      for (const size_t c : stopping) Stop(c, before);
      if (stopping.empty()) {
        EndLines(noise);
        return next;
      }
      if (!AnyActive()) {
        clocks_ = before;
        for (ClockState& c : clocks_) c.is_active = false;
        directions_ = messages;
        return std::nullopt;
      }
    }
  }

  // The guess at all nodes of the first graph, by the limits that were reached.
  Guess Finish() {
    Guess guess;
    guess.value.assign(in_.graph.nodes(), Paths::kNone);
    for (const ClockState& c : clocks_) {
      guess.limit_ppm.push_back(c.epsilon / RateLimits::kOne * 1e6);
      guess.is_line.push_back(c.is_line || c.is_active || !c.has_guess);
    }
    samples_.clear();
    sample_of_track_.assign(1, 0);
    std::vector<int32_t> node_of;
    for (uint32_t t = 0; t < in_.tracks.size(); ++t) {
      for (int32_t n = in_.graph.first(t); n < in_.graph.first(t + 1) && IsBounded(t); ++n) {
        samples_.push_back({t, in_.graph.readings()[n]});
        node_of.push_back(n);
      }
      sample_of_track_.push_back(samples_.size());
    }
    const auto middles = Solve(DirectionsOf(&HalvedDirection::all));
    if (!middles) return guess;
    for (size_t i = 0; i < node_of.size(); ++i) guess.value[node_of[i]] = (*middles)[i];
    return guess;
  }

  LadderInput in_;
  std::vector<ClockState> clocks_;
  std::vector<Sample> samples_;
  std::vector<size_t> sample_of_track_;  // one more than tracks
  std::vector<HalvedDirection> directions_;
  std::vector<uint32_t> cycle_;
};

}  // namespace

Guess ClimbDown(const LadderInput& input) { return Ladder(input).Run(); }

}  // namespace syncline::drift_bounded
