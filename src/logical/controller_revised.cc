#include "logical/controller_revised.h"

#include <algorithm>

namespace syncline {
namespace {

// a / b in [0, 1] for 0 ≤ a ≤ b, b > 0.
Fraction Quotient(int64_t a, int64_t b) {
  return Fraction::FromDouble(static_cast<double>(a) / static_cast<double>(b));
}

// 1 − t²·(3 − 2t): falls from 1 to 0 with zero slope at both ends.
Fraction CubicFall(Fraction t) {
  const Fraction square = t * t;
  const Fraction cube = square * t;
  const Int128 units = static_cast<Int128>(Fraction::One().units) -
                       3 * static_cast<Int128>(square.units) + 2 * static_cast<Int128>(cube.units);
  return {static_cast<int64_t>(std::clamp<Int128>(units, 0, Fraction::One().units))};
}

}  // namespace

RevisedController::RevisedController(const RevisedControllerOptions& options)
    : gamma_max_(Fraction::FromDouble(options.gamma_max)),
      gamma_floor_(Fraction::FromDouble(options.gamma_floor)),
      gamma_b_(gamma_max_),
      fall_((Fraction::One() - gamma_max_).units),
      q_low_(options.q_low),
      q_high_(options.q_high) {}

void RevisedController::Resize(size_t processes) {
  leads_.resize(processes);
  least_ahead_.Resize(processes);
  most_ahead_.Resize(processes);
  largest_lead_.Resize(processes);
  UpdateB();
}

void RevisedController::UpdateB() {
  gamma_b_ = gamma_max_;
  if (started_ + absent_ < leads_.size()) return;
  const int64_t least = least_ahead_.best();
  const int64_t most = most_ahead_.best();
  if (least <= 0 || most <= 0) return;
  const Fraction x = Quotient(least, most);
  gamma_b_ = gamma_max_ * (Fraction::One() - x * x);
}

Fraction RevisedController::FallingC(double q) const {
  if (q >= q_high_) return {};
  return gamma_max_ * CubicFall(Fraction::FromDouble((q - q_low_) / (q_high_ - q_low_)));
}

}  // namespace syncline
