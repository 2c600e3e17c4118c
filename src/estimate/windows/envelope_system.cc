#include "estimate/windows/envelope_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace syncline {

EnvelopeSystem::EnvelopeSystem(std::vector<size_t> first)
    : first_(std::move(first)), right_(first_.size()) {
  for (size_t i = 0; i < first_.size(); ++i) rows_.emplace_back(i - first_[i] + 1);
}

void EnvelopeSystem::AddEquation(std::span<const Entry> entries, double value, double importance) {
  for (const Entry& x : entries) {
    right_[x.unknown] += importance * x.weight * value;
    for (const Entry& y : entries) {
      if (y.unknown <= x.unknown) At(x.unknown, y.unknown) += importance * x.weight * y.weight;
    }
  }
}

EnvelopeSystem::Solution EnvelopeSystem::Solve() && {
  constexpr double kSingular = 1e-12;
  const size_t n = first_.size();
  Solution solution;
  for (size_t i = 0; i < n; ++i) {
    double diagonal = At(i, i);
    const double whole = diagonal;
    for (size_t j = first_[i]; j < i; ++j) {
      const size_t from = std::max(first_[i], first_[j]);
      double value = At(i, j);
      for (size_t k = from; k < j; ++k) value -= At(i, k) * At(j, k);
      At(i, j) = value / At(j, j);
      diagonal -= At(i, j) * At(i, j);
    }
    const bool is_determined = diagonal > kSingular * whole;
    At(i, i) = is_determined ? std::sqrt(diagonal) : std::numeric_limits<double>::infinity();
    if (is_determined) solution.log_determinant += std::log(diagonal);
  }
  std::vector<double>& x = solution.unknowns = std::move(right_);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = first_[i]; k < i; ++k) x[i] -= At(i, k) * x[k];
    x[i] /= At(i, i);
  }
  for (size_t i = n; i-- > 0;) {
    x[i] /= At(i, i);
    for (size_t k = first_[i]; k < i; ++k) x[k] -= At(i, k) * x[i];
  }
  return solution;
}

}  // namespace syncline
