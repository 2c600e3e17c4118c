#include "estimate/joint/bound_simplex.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace syncline {
namespace {

constexpr double kTolerance = 1e-7;  // of rows
constexpr double kLeastPivot = 1e-9;
constexpr double kChange = 1e-10;
constexpr size_t kMostSteps = 5000;

// Between 1 and 2, without pattern.
double Uneven(size_t k) {
  const uint64_t x = (k + 1) * 0x9e3779b97f4a7c15;
  return 1 + static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace

BoundSimplex::BoundSimplex(std::vector<Limits> limits)
    : limits_(std::move(limits)),
      target_(limits_.size()),
      active_(limits_.size()),
      inverse_(limits_.size() * limits_.size()),
      prices_(limits_.size()),
      vertex_(limits_.size()),
      weights_(limits_.size()) {}

bool BoundSimplex::Maximise(std::span<const double> objective) {
  objective_.assign(objective.begin(), objective.end());
  double sum = 0;
  for (const double weight : objective_) sum += weight;
  // Clocks that the function leaves out start where the function would have them.
  const double change = sum < 0 ? -kChange : kChange;
  for (size_t k = 0; k < size(); ++k) target_[k] = objective_[k] + change * Uneven(k);
  StartInCorner();
  return Continue();
}

bool BoundSimplex::Continue() {
  const size_t n = size();
  is_active_.resize(2 * n + rows_.size());
  bool is_exact = false;
  for (size_t step = 0; step < kMostSteps; ++step) {
    const std::optional<Constraint> entering = WorstViolated();
    if (!entering) {
      if (is_exact) return true;
      FindVertex();
      is_exact = true;
      continue;
    }
    is_exact = false;
    Express(*entering);
    const std::optional<size_t> place = FirstToGo();
    if (!place) return false;
    Exchange(*place, *entering);
  }
  return false;
}

std::vector<double> BoundSimplex::multipliers() const {
  std::vector<double> multipliers(rows_.size());
  const size_t n = size();
  for (size_t j = 0; j < n; ++j) {
    if (active_[j] < 2 * n) continue;
    double price = 0;
    for (size_t k = 0; k < n; ++k) price -= objective_[k] * inverse_[k * n + j];
    if (price > 0 && std::isfinite(price)) multipliers[active_[j] - 2 * n] = price;
  }
  return multipliers;
}

double BoundSimplex::ConstantOf(Constraint constraint) const {
  const size_t n = size();
  if (constraint >= 2 * n) return rows_[constraint - 2 * n].constant;
  return constraint < n ? -limits_[constraint].low : limits_[constraint - n].high;
}

double BoundSimplex::SlackOf(Constraint constraint) const {
  const size_t n = size();
  if (constraint >= 2 * n) return rows_[constraint - 2 * n].At(vertex_);
  return constraint < n ? vertex_[constraint] - limits_[constraint].low
                        : limits_[constraint - n].high - vertex_[constraint - n];
}

void BoundSimplex::StartInCorner() {
  const size_t n = size();
  is_active_.assign(2 * n + rows_.size(), false);
  violated_.clear();
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  for (size_t k = 0; k < n; ++k) {
    const bool is_high = target_[k] > 0;
    active_[k] = static_cast<Constraint>(is_high ? n + k : k);
    is_active_[active_[k]] = true;
    inverse_[k * n + k] = is_high ? -1 : 1;
    vertex_[k] = is_high ? limits_[k].high : limits_[k].low;
    prices_[k] = std::fabs(target_[k]);
  }
}

// Of those that were violated when all were looked at last, as long as one of them still is.
std::optional<BoundSimplex::Constraint> BoundSimplex::WorstViolated() {
  std::optional<Constraint> worst;
  double least = -kTolerance;
  std::erase_if(violated_, [&](Constraint constraint) {
    const double slack = SlackOf(constraint);
    if (slack >= -kTolerance) return true;
    if (slack < least) {
      least = slack;
      worst = constraint;
    }
    return false;
  });
  if (worst || !FindViolated()) return worst;
  return WorstViolated();
}

bool BoundSimplex::FindViolated() {
  const size_t n = size();
  const auto offer = [&](size_t constraint, double slack) {
    if (slack < -kTolerance && !is_active_[constraint]) {
      violated_.push_back(static_cast<Constraint>(constraint));
    }
  };
  for (size_t k = 0; k < n; ++k) {
    offer(k, vertex_[k] - limits_[k].low);
    offer(n + k, limits_[k].high - vertex_[k]);
  }
  for (size_t r = 0; r < rows_.size(); ++r) offer(2 * n + r, rows_[r].At(vertex_));
  return !violated_.empty();
}

// The constraint's weights are Σ weights_ · those of the active ones.
void BoundSimplex::Express(Constraint constraint) {
  const size_t n = size();
  std::fill(weights_.begin(), weights_.end(), 0.0);
  const auto add = [&](size_t unknown, double weight) {
    const double* of_unknown = &inverse_[unknown * n];
    for (size_t j = 0; j < n; ++j) weights_[j] += weight * of_unknown[j];
  };
  if (constraint < 2 * n) {
    constraint < n ? add(constraint, 1) : add(constraint - n, -1);
  } else {
    const Row& row = rows_[constraint - 2 * n];
    for (size_t i = 0; i < 2; ++i) {
      add(2 * row.clock + i, row.weights[i]);
      add(2 * row.other + i, row.other_weights[i]);
    }
  }
  nonzero_.clear();
  for (uint32_t j = 0; j < n; ++j) {
    if (weights_[j] != 0) nonzero_.push_back(j);
  }
}

std::optional<size_t> BoundSimplex::FirstToGo() const {
  std::optional<size_t> first;
  for (const uint32_t j : nonzero_) {
    if (weights_[j] <= kLeastPivot) continue;
    // The lesser of prices_[j] / weights_[j].
    if (!first || prices_[j] * weights_[*first] < prices_[*first] * weights_[j]) first = j;
  }
  return first;
}

// `entering`, which weights_ describe, instead of the active constraint at `place`: the vertex
// moves to where it is 0.
void BoundSimplex::Exchange(size_t place, Constraint entering) {
  const size_t n = size();
  const double pivot = weights_[place];
  const double distance = -SlackOf(entering) / pivot;
  const bool is_sparse = nonzero_.size() < n / 4;
  for (size_t k = 0; k < n; ++k) {
    double* row = &inverse_[k * n];
    if (row[place] == 0) continue;
    vertex_[k] += distance * row[place];
    const double share = row[place] / pivot;
    if (is_sparse) {
      for (const uint32_t j : nonzero_) row[j] -= share * weights_[j];
    } else {
      for (size_t j = 0; j < n; ++j) row[j] -= share * weights_[j];
    }
    row[place] = share;
  }
  const double price = prices_[place] / pivot;
  for (const uint32_t j : nonzero_) prices_[j] -= price * weights_[j];
  prices_[place] = price;
  is_active_[active_[place]] = false;
  is_active_[entering] = true;
  active_[place] = entering;
}

// Where all active constraints are 0, without what steps have added up.
void BoundSimplex::FindVertex() {
  const size_t n = size();
  std::vector<double> constants;
  for (const Constraint c : active_) constants.push_back(ConstantOf(c));
  for (size_t k = 0; k < n; ++k) {
    const double* row = &inverse_[k * n];
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += row[j] * constants[j];
    vertex_[k] = -sum;
  }
}

}  // namespace syncline
