#include "logical/controller_original.h"

#include <algorithm>
#include <cmath>

#include "syncline/time.h"

namespace syncline {
namespace {

constexpr int kRatioBits = 32;

int64_t ToRatio(double v) {
  return static_cast<int64_t>(std::clamp(v, 0.0, 1e6) * std::ldexp(1.0, kRatioBits));
}

}  // namespace

OriginalController::OriginalController(const OriginalControllerOptions& options)
    : q_init_(options.q_init_ns),
      q_min_(options.q_min_ns),
      q_factor_(Fraction::FromDouble(options.q_factor)),
      gamma_max_(Fraction::FromDouble(options.gamma_max)),
      gamma_step_(Fraction::FromDouble(options.gamma_step)),
      l_up_(ToRatio(options.l_up)),
      l_low_(ToRatio(options.l_low)) {}

void OriginalController::Resize(size_t processes) {
  states_.resize(processes, State{q_init_, q_init_, gamma_max_});
}

int64_t OriginalController::Forget(int64_t deviation, int64_t observed) const {
  const Int128 above_minimum = static_cast<Int128>(deviation) - q_min_;
  const Int128 remembered = (above_minimum * q_factor_.units >> kFractionBits) + q_min_;
  return std::max(observed, Saturate(remembered));
}

void OriginalController::Update(size_t process, int64_t before, int64_t simple,
                                int64_t controlled) {
  State& state = states_[process];
  state.simple = Forget(state.simple, SaturatedDifference(simple, before));
  state.controlled = Forget(state.controlled, SaturatedDifference(controlled, before));
  const Int128 ahead = static_cast<Int128>(state.controlled) << kRatioBits;
  if (ahead > static_cast<Int128>(l_up_) * state.simple) {
    state.gamma = std::max(state.gamma * gamma_step_, Fraction{1});
  } else if (ahead < static_cast<Int128>(l_low_) * state.simple && state.gamma < gamma_max_) {
    const Int128 scaled = static_cast<Int128>(state.gamma.units) << kFractionBits;
    const Int128 raised = CeilDiv(scaled, std::max<int64_t>(1, gamma_step_.units));
    state.gamma = {static_cast<int64_t>(std::min<Int128>(raised, gamma_max_.units))};
  }
}

}  // namespace syncline
