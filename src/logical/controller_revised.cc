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

GammaChoice RevisedController::Choose(size_t process) const {
  GammaChoice choice{gamma_max_, Regulator::kA};
  if (const int64_t lead = most_ahead_.Get(process); lead > 0) {
    if (const Fraction c = ChooseC(lead); c < choice.gamma) choice = {c, Regulator::kC};
  }
  if (gamma_b_ < choice.gamma) choice = {gamma_b_, Regulator::kB};
  if (choice.gamma < gamma_floor_) choice = {gamma_floor_, Regulator::kD};
  return choice;
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

Fraction RevisedController::ChooseC(int64_t lead) const {
  const int64_t largest = largest_lead_.best();
  if (largest <= 0) return {};
  const double q = static_cast<double>(lead) / static_cast<double>(largest);
  if (q <= q_low_) return gamma_max_;
  if (q >= q_high_) return {};
  return gamma_max_ * CubicFall(Fraction::FromDouble((q - q_low_) / (q_high_ - q_low_)));
}

void RevisedController::Update(size_t process, int64_t before, int64_t simple, int64_t controlled) {
  Lead& lead = leads_[process];
  const bool is_first = !lead.started;
  started_ += is_first ? 1 : 0;
  largest_lead_.Set(process, UpdateLead(lead, before, simple));
  const int64_t ahead = SaturatingSubtract(controlled, before);
  const bool least_changes = least_ahead_.Set(process, ahead);
  const bool most_changes = most_ahead_.Set(process, ahead);
  if (is_first || least_changes || most_changes) UpdateB();
}

int64_t RevisedController::UpdateLead(Lead& lead, int64_t before, int64_t simple) const {
  if (!lead.started) lead = {0, simple, true};
  // The simple clock never goes back.
  const uint64_t passed = static_cast<uint64_t>(simple) - static_cast<uint64_t>(lead.since);
  const auto fall = static_cast<int64_t>(
      static_cast<UInt128>(static_cast<uint64_t>(fall_)) * passed >> (kFractionBits + 1));
  const int64_t now = std::max<int64_t>(0, lead.raised - fall);
  const int64_t ahead = SaturatingSubtract(simple, before);
  if (ahead <= now) return now;
  lead.raised = ahead;
  lead.since = simple;
  return ahead;
}

}  // namespace syncline
