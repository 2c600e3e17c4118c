#include "estimate/lines/trimmed_slope.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace syncline {
namespace {

constexpr int kMostSteps = 24;
constexpr double kShare = 0.25;
// Of the drift's likely error: a step that is smaller tells nothing.
constexpr double kSettled = 0.02;

// Messages of one direction, relative to the first one; x from the mean.
struct Samples {
  std::vector<double> x;
  std::vector<double> delay;  // growth of y − x; slow messages have a larger one
};

Samples Collect(std::span<const Point> points, DelaySide side) {
  Samples samples{std::vector<double>(points.size()), std::vector<double>(points.size())};
  const Point origin = points.front();
  const double sign = side == DelaySide::kAbove ? 1 : -1;
  double sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const int64_t x = points[i].x - origin.x;
    samples.x[i] = static_cast<double>(x);
    samples.delay[i] = sign * static_cast<double>(points[i].y - origin.y - x);
    sum += samples.x[i];
  }
  for (double& x : samples.x) x -= sum / static_cast<double>(points.size());
  return samples;
}

// Fits delay = c + drift · x to those messages that are fastest by the present drift.
class Trimming {
 public:
  explicit Trimming(Samples samples) : samples_(std::move(samples)), residual_(samples_.x.size()) {}

  // To a share of about `share` of the messages, at least four.
  std::optional<TrimmedDrift> Fit(double present_drift, double share) {
    for (size_t i = 0; i < residual_.size(); ++i) {
      residual_[i] = samples_.delay[i] - present_drift * samples_.x[i];
    }
    return FitUpTo(Quantile(share));
  }

 private:
  // Of some hundred messages, always the same: close enough for a share.
  double Quantile(double share) {
    const size_t stride = std::max<size_t>(residual_.size() / 256, 1);
    ranked_.clear();
    for (size_t i = 0; i < residual_.size(); i += stride) ranked_.push_back(residual_[i]);
    const auto count = static_cast<size_t>(share * static_cast<double>(ranked_.size()));
    const auto slowest = ranked_.begin() +
                         std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(count), 4,
                                               static_cast<ptrdiff_t>(ranked_.size())) -
                         1;
    std::nth_element(ranked_.begin(), slowest, ranked_.end());
    return *slowest;
  }

  std::optional<TrimmedDrift> FitUpTo(double greatest) const {
    const double* const residual = residual_.data();
    const double* const samples_x = samples_.x.data();
    const double* const delay = samples_.delay.data();
    double n = 0, x = 0, d = 0, xx = 0, xd = 0, least = greatest;
#pragma omp simd reduction(+ : n, x, d, xx, xd) reduction(min : least)
    for (size_t i = 0; i < residual_.size(); ++i) {
      const double counts = residual[i] <= greatest ? 1 : 0;
      const double counted_x = counts * samples_x[i];
      n += counts;
      x += counted_x;
      d += counts * delay[i];
      xx += counted_x * samples_x[i];
      xd += counted_x * delay[i];
      least = residual[i] < least ? residual[i] : least;
    }
    const double spread_x = xx - x * x / n;
    // Equal instants leave a rounding residue.
    if (!(spread_x > xx * 1e-12)) return std::nullopt;
    return TrimmedDrift{(xd - x * d / n) / spread_x, spread_x, greatest - least};
  }

  Samples samples_;
  std::vector<double> residual_;
  std::vector<double> ranked_;
};

}  // namespace

double TrimmedDrift::error() const { return spread_ns / std::sqrt(weight); }

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> points, DelaySide side) {
  if (points.size() < kLeastPoints) return std::nullopt;
  Trimming trimming(Collect(points, side));
  // All, then fewer and fewer, so that no poor start leads to a quarter at one end of the trace.
  double share = 1;
  TrimmedDrift fit;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto present = static_cast<double>(fit.drift);
    const auto fitted = trimming.Fit(present, share);
    if (!fitted) return std::nullopt;
    fit = *fitted;
    const double change = std::abs(static_cast<double>(fit.drift) - present);
    if (share == kShare && change <= kSettled * fit.error()) break;
    share = std::max(share * 2 / 3, kShare);
  }
  if (side == DelaySide::kBelow) fit.drift = -fit.drift;
  return fit;
}

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> above,
                                             std::span<const Point> below) {
  const auto up = FindTrimmedDrift(above, DelaySide::kAbove);
  const auto down = FindTrimmedDrift(below, DelaySide::kBelow);
  if (!up || !down) return up ? up : down;
  const double weight = up->weight + down->weight;
  return TrimmedDrift{(up->drift * up->weight + down->drift * down->weight) / weight, weight,
                      (up->spread_ns * up->weight + down->spread_ns * down->weight) / weight};
}

}  // namespace syncline
