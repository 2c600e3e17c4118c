#include "estimate/trimmed_slope.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace syncline {
namespace {

struct Sample {
  double x = 0;      // from the first point
  double delay = 0;  // growth of y − x since the first point; slow messages have a larger one
};

std::vector<Sample> FromFirst(std::span<const Point> points, DelaySide side) {
  std::vector<Sample> samples;
  samples.reserve(points.size());
  const Point origin = points.front();
  for (const Point& p : points) {
    const int64_t x = p.x - origin.x;
    const auto delay = static_cast<double>(static_cast<Int128>(p.y - origin.y) - x);
    samples.push_back({static_cast<double>(x), side == DelaySide::kAbove ? delay : -delay});
  }
  return samples;
}

// Least squares over delay = c + drift · x.
std::optional<TrimmedDrift> Fit(std::span<const Sample> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean_x = 0;
  double mean_delay = 0;
  for (const Sample& s : samples) {
    mean_x += s.x / n;
    mean_delay += s.delay / n;
  }
  double xx = 0;
  double xd = 0;
  for (const Sample& s : samples) {
    xx += (s.x - mean_x) * (s.x - mean_x);
    xd += (s.x - mean_x) * (s.delay - mean_delay);
  }
  if (!(xx > 0)) return std::nullopt;
  const double drift = xd / xx;
  double least = samples.front().delay - drift * samples.front().x;
  double greatest = least;
  for (const Sample& s : samples) {
    least = std::min(least, s.delay - drift * s.x);
    greatest = std::max(greatest, s.delay - drift * s.x);
  }
  return TrimmedDrift{drift, xx, greatest - least};
}

}  // namespace

double TrimmedDrift::error() const { return spread_ns / std::sqrt(weight); }

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> points, DelaySide side,
                                             long double start_drift) {
  if (points.size() < kLeastPoints) return std::nullopt;
  std::vector<Sample> samples = FromFirst(points, side);
  // Whatever order the points came in, equal delays must not choose differently.
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return a.x < b.x || (a.x == b.x && a.delay < b.delay);
  });
  const double sign = side == DelaySide::kAbove ? 1 : -1;
  const size_t fastest = std::max<size_t>(samples.size() / 4, 4);
  TrimmedDrift fit{sign * start_drift};
  constexpr int kMostSteps = 50;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto drift = static_cast<double>(fit.drift);
    std::vector<Sample> ranked = samples;
    std::stable_sort(ranked.begin(), ranked.end(), [drift](const Sample& a, const Sample& b) {
      return a.delay - drift * a.x < b.delay - drift * b.x;
    });
    const auto fitted = Fit(std::span(ranked).first(fastest));
    if (!fitted) return std::nullopt;
    fit = *fitted;
    if (std::abs(static_cast<double>(fit.drift) - drift) < 1e-12) break;
  }
  fit.drift *= sign;
  return fit;
}

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> above,
                                             std::span<const Point> below,
                                             long double start_drift) {
  const auto up = FindTrimmedDrift(above, DelaySide::kAbove, start_drift);
  const auto down = FindTrimmedDrift(below, DelaySide::kBelow, start_drift);
  if (!up || !down) return up ? up : down;
  const double weight = up->weight + down->weight;
  return TrimmedDrift{(up->drift * up->weight + down->drift * down->weight) / weight, weight,
                      (up->spread_ns * up->weight + down->spread_ns * down->weight) / weight};
}

}  // namespace syncline
