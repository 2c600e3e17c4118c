#include "estimate/joint/centre_curves.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/difference.h"

namespace syncline {
namespace {

// A queue on one way moves the centre by up to what it adds to the half-width; bins are trusted as
// they come near to the quietest quarter.
constexpr double kQuiet = 0.25;
constexpr double kNone = std::numeric_limits<double>::infinity();

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place = static_cast<ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<size_t>(place)];
}

// The scatter from bin to bin, as a standard deviation: whatever bends slowly has no part in it.
// None where too few bins stand together to tell.
std::optional<double> ScatterOf(const CentreCurve& curve) {
  constexpr double kNormal = 1.4826;  // standard deviations per median of normal deviations
  constexpr double kLeastUs = 1e-3;
  constexpr size_t kFewest = 8;
  std::vector<double> bends;
  for (size_t k = 2; k < curve.centres_us.size(); ++k) {
    if (curve.weights[k] == 0 || curve.weights[k - 1] == 0 || curve.weights[k - 2] == 0) continue;
    const double bend = curve.centres_us[k] - 2 * curve.centres_us[k - 1] + curve.centres_us[k - 2];
    bends.push_back(std::fabs(bend));
  }
  if (bends.size() < kFewest) return std::nullopt;
  return std::max(kNormal * Quantile(std::move(bends), 0.5) / std::sqrt(6.0), kLeastUs);
}

}  // namespace

void CentreCurve::DoubtFasterBins() {
  for (size_t k = 0; k < weights.size(); ++k) {
    const double faster = std::max(0.0, half_width_us - half_widths_us[k]);
    if (weights[k] > 0) weights[k] = 1 / (1 / weights[k] + faster * faster);
  }
}

CentreCurves::CentreCurves(const PiecewiseProblem& problem)
    : problem_(problem), slacks_(problem.pairs.size() * problem.bins, {kNone, kNone}) {
  for (const KnottedClock& clock : problem.knotted) {
    straight_.push_back(clock.knots.size() == 2 ? std::optional(clock.SegmentLine(0))
                                                : std::nullopt);
  }
}

void CentreCurves::Add(const PlacedMessage& message) {
  const int64_t sent = GuessAt(message.earlier, message.earlier_ns);
  const int64_t received = GuessAt(message.later, message.later_ns);
  const double slack = DifferenceOf(received, sent) / 1000;
  Slacks& slacks = slacks_[message.pair * problem_.bins + problem_.BinOf(sent)];
  const std::atomic_ref least(message.is_a_to_b ? slacks.a_to_b_us : slacks.b_to_a_us);
  double known = least.load(std::memory_order_relaxed);
  while (slack < known && !least.compare_exchange_weak(known, slack, std::memory_order_relaxed)) {
  }
}

std::optional<CentreCurve> CentreCurves::CurveOf(size_t pair) const {
  CentreCurve curve{.a = problem_.pairs[pair].a, .b = problem_.pairs[pair].b};
  std::vector<double> known;
  for (size_t k = 0; k < problem_.bins; ++k) {
    const Slacks& slacks = slacks_[pair * problem_.bins + k];
    const bool is_known = slacks.a_to_b_us != kNone && slacks.b_to_a_us != kNone;
    curve.centres_us.push_back(is_known ? (slacks.b_to_a_us - slacks.a_to_b_us) / 2 : 0);
    curve.weights.push_back(is_known ? 1 : 0);
    curve.half_widths_us.push_back(is_known ? (slacks.a_to_b_us + slacks.b_to_a_us) / 2 : 0);
    if (is_known) known.push_back(curve.half_widths_us.back());
  }
  curve.half_width_us = Quantile(std::move(known), kQuiet);
  const std::optional<double> scatter = ScatterOf(curve);
  if (!scatter) return std::nullopt;
  for (size_t k = 0; k < problem_.bins; ++k) {
    if (curve.weights[k] == 0) continue;
    const double excess = std::max(0.0, curve.half_widths_us[k] - curve.half_width_us);
    curve.weights[k] = 1 / (*scatter * *scatter + excess * excess);
  }
  return curve;
}

std::vector<CentreCurve> CentreCurves::Curves() const {
  std::vector<CentreCurve> curves;
  for (size_t p = 0; p < problem_.pairs.size(); ++p) {
    if (std::optional<CentreCurve> curve = CurveOf(p)) curves.push_back(*std::move(curve));
  }
  return curves;
}

}  // namespace syncline
