#include "estimate/joint/drift_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "estimate/joint/knot_search.h"

namespace syncline {
namespace {

constexpr size_t kFewestBins = 8;
constexpr size_t kMostWaves = 8;
constexpr size_t kFirstWave = 2;  // halves of the trace
constexpr double kLeastSigmas = 5.5;
constexpr double kLeastShare = 0.1;  // of a half-width
constexpr double kMostPersistence = 0.9;

// Waves as a pair's weights see them, and its curve: each without its own level and slope.
class PairWaves {
 public:
  PairWaves(const CentreCurve& curve, size_t waves) : weights_(curve.weights) {
    const size_t bins = curve.weights.size();
    std::vector<double> level(bins, 1);
    std::vector<double> slope(bins);
    for (size_t k = 0; k < bins; ++k) slope[k] = static_cast<double>(k);
    straight_ = {Normed(std::move(level))};
    straight_.push_back(Normed(Bent(std::move(slope))));
    for (size_t j = 0; j < waves; ++j) {
      std::vector<double> wave(bins);
      const double halves = static_cast<double>(kFirstWave + j) / static_cast<double>(bins);
      for (size_t k = 0; k < bins; ++k) {
        wave[k] = std::cos(std::numbers::pi * halves * (static_cast<double>(k) + 0.5));
      }
      waves_.push_back(Bent(std::move(wave)));
    }
    rest_ = Bent(curve.centres_us);
    widths_ = Bent(curve.half_widths_us);
    for (const double w : curve.weights) known_ += w > 0 ? 1 : 0;
  }

  double Product(size_t i, size_t j) const { return Sum(waves_[i], waves_[j]); }
  double ProductWithCurve(size_t i) const { return Sum(waves_[i], rest_); }
  double ProductWithWidths(size_t i) const { return Sum(waves_[i], widths_); }
  double Squares() const { return Sum(rest_, rest_); }
  size_t known() const { return known_; }

  // How much a bin's deviation from the pair's own waves is the one's before: the autocorrelation
  // at lag 1, which fitting lowers by the share of its terms.
  double Persistence() const {
    std::vector<double> rest = rest_;
    const std::vector<double> fit = OwnFit();
    for (size_t i = 0; i < fit.size(); ++i) {
      for (size_t k = 0; k < rest.size(); ++k) rest[k] -= fit[i] * waves_[i][k];
    }
    double product = 0;
    double squares = 0;
    for (size_t k = 0; k + 1 < rest.size(); ++k) {
      const double weight = std::sqrt(weights_[k] * weights_[k + 1]);
      product += weight * rest[k] * rest[k + 1];
      squares += weight * (rest[k] * rest[k] + rest[k + 1] * rest[k + 1]) / 2;
    }
    const auto terms = static_cast<double>(straight_.size() + waves_.size());
    return squares > 0 ? product / squares + terms / static_cast<double>(known_) : 0;
  }

 private:
  std::vector<double> OwnFit() const {
    const size_t waves = waves_.size();
    std::vector<double> matrix;
    std::vector<double> right;
    for (size_t i = 0; i < waves; ++i) {
      right.push_back(ProductWithCurve(i));
      for (size_t j = 0; j < waves; ++j) matrix.push_back(Product(i, j));
    }
    return SolveSymmetric(std::move(matrix), std::move(right));
  }
  double Sum(const std::vector<double>& x, const std::vector<double>& y) const {
    double sum = 0;
    for (size_t k = 0; k < x.size(); ++k) sum += weights_[k] * x[k] * y[k];
    return sum;
  }
  std::vector<double> Normed(std::vector<double> values) const {
    const double norm = std::sqrt(Sum(values, values));
    for (double& value : values) value /= norm > 0 ? norm : 1;
    return values;
  }
  std::vector<double> Bent(std::vector<double> values) const {
    for (const std::vector<double>& term : straight_) {
      const double product = Sum(values, term);
      for (size_t k = 0; k < values.size(); ++k) values[k] -= product * term[k];
    }
    return values;
  }

  const std::vector<double>& weights_;
  std::vector<std::vector<double>> straight_;
  std::vector<std::vector<double>> waves_;
  std::vector<double> rest_;
  std::vector<double> widths_;
  size_t known_ = 0;
};

// The deviation of a normal distribution beyond which as much lies as of F(m, n) beyond f.
double SigmasOf(double f, double m, double n) {
  const double root = std::cbrt(f);
  const double of_m = 2 / (9 * m);
  const double of_n = 2 / (9 * n);
  return ((1 - of_n) * root - (1 - of_m)) / std::sqrt(of_n * root * root + of_m);
}

// Sums over the pairs of one clock.
struct ClockSums {
  std::vector<double> matrix;
  std::vector<double> right;
  std::vector<double> widths;
  double squares = 0;
  double freedom = 0;
  double persistence = 0;
  double pairs = 0;
  double half_width_us = std::numeric_limits<double>::infinity();
};

// Amplitudes of the middles beyond those of the half-widths: a queue on one way moves a middle by
// as much as it widens what messages leave open, a clock does not widen it.
void TakeAwayQueues(std::span<const double> widening, std::vector<double>& fit) {
  for (size_t i = 0; i < fit.size(); ++i) {
    fit[i] = std::copysign(std::max(0.0, std::fabs(fit[i]) - std::fabs(widening[i])), fit[i]);
  }
}

std::optional<DriftChange> ChangeOf(size_t clock, ClockSums sums) {
  const size_t waves = sums.right.size();
  std::vector<double> fit = SolveSymmetric(sums.matrix, sums.right);
  double explained = 0;
  for (size_t i = 0; i < waves; ++i) explained += fit[i] * sums.right[i];
  TakeAwayQueues(SolveSymmetric(sums.matrix, sums.widths), fit);
  double shown = 0;
  for (size_t i = 0; i < waves; ++i) {
    for (size_t j = 0; j < waves; ++j) shown += fit[i] * sums.matrix[i * waves + j] * fit[j];
  }
  const auto m = static_cast<double>(waves);
  const double n = sums.freedom - m;
  if (n < 1) return std::nullopt;
  // Deviations that persist tell less than their number says (Bartlett 1946).
  const double r = std::clamp(sums.persistence / sums.pairs, 0.0, kMostPersistence);
  const double rest = std::max(sums.squares - explained, explained * 1e-9) * ((1 + r) / (1 - r));
  if (!(rest > 0)) return std::nullopt;
  DriftChange change{.clock = clock, .sigmas = SigmasOf(shown / m / (rest / n), m, n)};
  // A mean amplitude: each cosine has half its square on average.
  double squares = 0;
  for (const double amplitude : fit) squares += amplitude * amplitude;
  change.swing_us = std::sqrt(squares);
  const bool counts =
      change.sigmas > kLeastSigmas && change.swing_us > kLeastShare * sums.half_width_us;
  return counts ? std::optional(change) : std::nullopt;
}

}  // namespace

std::optional<DriftChange> FindDriftChange(std::span<const CentreCurve> curves, size_t clocks) {
  if (curves.empty() || curves.front().weights.size() < kFewestBins) return std::nullopt;
  const size_t waves = std::min(kMostWaves, curves.front().weights.size() / 4);
  const std::vector<double> zeros(waves);
  const ClockSums none{std::vector<double>(waves * waves), zeros, zeros};
  std::vector<ClockSums> sums(clocks, none);
  for (const CentreCurve& curve : curves) {
    const PairWaves pair(curve, waves);
    if (pair.known() < kFewestBins) continue;
    const double persistence = pair.Persistence();
    for (const auto& [clock, sign] : {std::pair(curve.a, -1.0), std::pair(curve.b, 1.0)}) {
      ClockSums& of = sums[clock];
      for (size_t i = 0; i < waves; ++i) {
        of.right[i] += sign * pair.ProductWithCurve(i);
        of.widths[i] += pair.ProductWithWidths(i);
        for (size_t j = 0; j < waves; ++j) of.matrix[i * waves + j] += pair.Product(i, j);
      }
      of.squares += pair.Squares();
      of.freedom += static_cast<double>(pair.known() - 2);
      of.persistence += persistence;
      ++of.pairs;
      of.half_width_us = std::min(of.half_width_us, curve.half_width_us);
    }
  }
  std::optional<DriftChange> most;
  for (size_t i = 0; i < clocks; ++i) {
    const std::optional<DriftChange> change = ChangeOf(i, std::move(sums[i]));
    if (change && (!most || change->sigmas > most->sigmas)) most = change;
  }
  return most;
}

}  // namespace syncline
