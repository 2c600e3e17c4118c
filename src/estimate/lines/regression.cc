#include "estimate/lines/regression.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace syncline {
namespace {

// The t that a Student variable stays within, |T| ≤ t, with probability `confidence`.
double StudentQuantile(double confidence, uint64_t degrees) {
  const boost::math::students_t distribution(static_cast<double>(degrees));
  return boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
}

}  // namespace

// n, t̄, Σ(t − t̄)² and σ̂ as in Poirier's equations; χ = 1 − confidence.
std::optional<RegressionFigures> RegressionFit::FiguresOf(Slope s) const {
  const uint64_t count = sums_.count();
  const Moments about = sums_.AboutMean();
  if (count < 3 || about.xx <= 0) return std::nullopt;
  const auto n = static_cast<long double>(count);
  const long double beta = s.Drift();
  const long double squares =
      std::max(about.ee - 2 * beta * about.xe + beta * beta * about.xx, 0.0L);
  const long double sigma = std::sqrt(squares / (n - 2));
  const long double since_first =
      sums_.MeanX() - static_cast<long double>(frame_.first_x - frame_.origin.x);
  const double student = StudentQuantile(confidence_, count - 2);
  const double chebyshev = 1 / std::sqrt(1 - confidence_);
  const auto parameter = [&](long double deviation) {
    const auto d = static_cast<double>(deviation);
    return RegressionFigures::Parameter{d, d * student, d * chebyshev};
  };
  return RegressionFigures{
      .messages = count,
      .residual_deviation_ns = static_cast<double>(sigma),
      .offset_ns = parameter(sigma * std::sqrt(1 / n + since_first * since_first / about.xx)),
      .drift_ppm = parameter(sigma / std::sqrt(about.xx) * 1e6L),
      .confidence = confidence_};
}

std::optional<FittedLine> RegressionFit::Fit(SlopeRange allowed) const {
  if (sums_.count() == 0) return std::nullopt;
  const Line line = sums_.BestLine(allowed);
  return FittedLine{line, FiguresOf(line.slope)};
}

}  // namespace syncline
