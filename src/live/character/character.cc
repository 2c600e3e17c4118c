#include "live/character/character.h"

#include <algorithm>
#include <cmath>

#include <sys/resource.h>

#include "base/difference.h"
#include "base/int128.h"

namespace syncline {
namespace {

AllanPoint DeviationAt(std::span<const int64_t> x, size_t m, int64_t interval_ns) {
  AllanPoint point;
  point.tau_ns = Saturate(static_cast<Int128>(m) * interval_ns);
  point.terms = x.size() - 2 * m;
  double squares = 0;
  for (size_t i = 0; i + 2 * m < x.size(); ++i) {
    const Int128 second = static_cast<Int128>(x[i + 2 * m]) - 2 * static_cast<Int128>(x[i + m]) +
                          static_cast<Int128>(x[i]);
    squares += static_cast<double>(second) * static_cast<double>(second);
  }
  point.deviation = std::sqrt(squares / (2 * static_cast<double>(point.terms))) /
                    static_cast<double>(point.tau_ns);
  return point;
}

int64_t CpuNs() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return int64_t{t.tv_sec} * 1'000'000'000 + int64_t{t.tv_usec} * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

bool TimesIncrease(std::span<const OffsetSample> samples) {
  const auto no_later = [](const OffsetSample& a, const OffsetSample& b) {
    return b.at_ns <= a.at_ns;
  };
  return std::ranges::adjacent_find(samples, no_later) == samples.end();
}

// offset − first offset ≈ at_first + slope · (at − first at), by least squares.
struct Line {
  double at_first_ns = 0;
  double slope = 0;
};

Line FitLine(std::span<const OffsetSample> samples) {
  const OffsetSample& first = samples.front();
  const auto n = static_cast<double>(samples.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const OffsetSample& s : samples) {
    mean_x += DifferenceOf(s.at_ns, first.at_ns) / n;
    mean_y += DifferenceOf(s.offset_ns, first.offset_ns) / n;
  }
  double xx = 0;
  double xy = 0;
  for (const OffsetSample& s : samples) {
    const double x = DifferenceOf(s.at_ns, first.at_ns) - mean_x;
    xx += x * x;
    xy += x * (DifferenceOf(s.offset_ns, first.offset_ns) - mean_y);
  }
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope};
}

void PutResiduals(std::span<const OffsetSample> samples, const Line& line, Character& c) {
  const OffsetSample& first = samples.front();
  double squares = 0;
  double steps = 0;
  for (const OffsetSample& s : samples) {
    const double expected = line.at_first_ns + line.slope * DifferenceOf(s.at_ns, first.at_ns);
    const double residual = DifferenceOf(s.offset_ns, first.offset_ns) - expected;
    squares += residual * residual;
    c.residuals_ns.push_back(NearestInteger(residual));
    if (c.residuals_ns.size() < 2) continue;
    const double step =
        DifferenceOf(c.residuals_ns.back(), c.residuals_ns[c.residuals_ns.size() - 2]);
    steps += step * step;
  }
  const auto n = static_cast<double>(samples.size());
  c.residual_ns = std::sqrt(squares / n);
  c.jitter_ns = std::sqrt(steps / (n - 1));
  const auto [least, most] = std::minmax_element(c.residuals_ns.begin(), c.residuals_ns.end());
  c.least_residual_ns = *least;
  c.most_residual_ns = *most;
}

int64_t MedianUncertainty(std::span<const OffsetSample> samples) {
  std::vector<int64_t> all;
  for (const OffsetSample& s : samples) all.push_back(s.uncertainty_ns);
  const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

std::vector<AllanPoint> AllanDeviations(std::span<const int64_t> offsets_ns, int64_t interval_ns) {
  std::vector<AllanPoint> points;
  for (size_t decade = 1; 2 * decade < offsets_ns.size(); decade *= 10) {
    for (const size_t m : {decade, 2 * decade, 5 * decade}) {
      if (2 * m >= offsets_ns.size()) return points;
      points.push_back(DeviationAt(offsets_ns, m, interval_ns));
    }
  }
  return points;
}

Measurement MeasureOverTime(OffsetMeter& meter, const Pace& pace) {
  Measurement m;
  m.wanted = pace.samples;
  const int64_t cpu = CpuNs();
  const Effort before = meter.GetEffort();
  const int64_t start = meter.SteadyNs();
  for (uint64_t i = 0; i < pace.samples; ++i) {
    const int64_t due = Saturate(start + static_cast<Int128>(i) * pace.interval_ns);
    if (meter.SteadyNs() < due) meter.SleepUntil(due);
    if (meter.SteadyNs() - due > pace.interval_ns / 2) {
      ++m.skipped;
    } else if (const auto sample = meter.Measure()) {
      m.samples.push_back(*sample);
    } else {
      ++m.unanswered;
    }
  }
  m.elapsed_ns = meter.SteadyNs() - start;
  m.cpu_ns = CpuNs() - cpu;
  const Effort after = meter.GetEffort();
  m.effort = {after.readings - before.readings, after.messages - before.messages};
  return m;
}

std::optional<Character> CharacterOf(std::span<const OffsetSample> samples) {
  if (samples.size() < 3 || !TimesIncrease(samples)) return std::nullopt;
  const OffsetSample& first = samples.front();
  const OffsetSample& last = samples.back();
  Character c;
  c.elapsed_ns = Saturate(static_cast<Int128>(last.at_ns) - first.at_ns);
  c.interval_ns = std::max<int64_t>(1, c.elapsed_ns / static_cast<int64_t>(samples.size() - 1));
  c.first_offset_ns = first.offset_ns;
  c.last_offset_ns = last.offset_ns;
  c.median_uncertainty_ns = MedianUncertainty(samples);
  const Line line = FitLine(samples);
  c.drift_ppm = line.slope * 1e6;
  const double gained = DifferenceOf(last.offset_ns, first.offset_ns);
  const double unsure =
      static_cast<double>(first.uncertainty_ns) + static_cast<double>(last.uncertainty_ns);
  const auto elapsed = static_cast<double>(c.elapsed_ns);
  c.least_drift_ppm = (gained - unsure) / elapsed * 1e6;
  c.most_drift_ppm = (gained + unsure) / elapsed * 1e6;
  PutResiduals(samples, line, c);
  c.allan = AllanDeviations(c.residuals_ns, c.interval_ns);
  return c;
}

}  // namespace syncline
