#include "estimate/lines/student.h"

#include <cmath>
#include <numbers>

namespace syncline {
namespace {

constexpr uint64_t kMostTerms = 200;
constexpr int kBisections = 200;

// The x of [0, high] where an increasing function reaches `value`.
template <typename Function>
double Inverse(Function function, double high, double value) {
  double low = 0;
  for (int i = 0; i < kBisections && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (function(middle) < value ? low : high) = middle;
  }
  return high;
}

// P(|T| ≤ √degrees · tan θ).
double StudentWithin(double theta, uint64_t degrees) {
  const double cosine = std::cos(theta);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (uint64_t k = is_odd ? 3 : 2; k + 2 <= degrees; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return is_odd ? (theta + std::sin(theta) * sum) * 2 / std::numbers::pi : std::sin(theta) * sum;
}

double NormalQuantile(double confidence) {
  const auto within = [](double x) { return std::erf(x / std::numbers::sqrt2); };
  constexpr double kFar = 40;
  return Inverse(within, kFar, confidence);
}

}  // namespace

double StudentQuantile(double confidence, uint64_t degrees) {
  const auto nu = static_cast<double>(degrees);
  if (degrees <= kMostTerms) {
    const auto within = [degrees](double theta) { return StudentWithin(theta, degrees); };
    return std::sqrt(nu) * std::tan(Inverse(within, std::numbers::pi / 2, confidence));
  }
  const double z = NormalQuantile(confidence);
  const double z2 = z * z;
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu;
}

}  // namespace syncline
