// The revised controller: how fast the controlled logical clock runs at the next event.
//
//     γ(i) = max( min( γA, γB, γC(i) ), γD ),   from the state before the event
//
// A: γmax. B, the same for all processes: γmax · (1 − x²), x = min d / max d over d(k) = LC'(k) −
// C(k); x = 0 until every process has had an event. C: from 1 to 0 while q = d(i) / max MAX grows
// from q_low to q_high, a cubic with zero slope at both ends. D: a floor. Method: Rabenseifner
// 2000, chapter 4.4. Departures: minimum and maximum are kept exactly by trees, so the 16-norm that
// the paper offers for large n is not needed. MAX(i) falls by ½(1 − γmax) of the time that passed
// since it was last raised, as the paper's curve C* does; its Algorithm 4, read literally,
// subtracts that whole time again at every event. Rounding: x, q and γ to 2^-31 or finer, γ
// downwards. Cost: mostly O(1) per event, O(log n) where it changes an extreme. Tested by:
// src/logical/controller_test.cc, golden_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "syncline/time.h"

#include "logical/controller_options.h"
#include "logical/extreme_tree.h"
#include "logical/fixed_point.h"

namespace syncline {

// Which of the controllers determined γ.
enum class Regulator : uint8_t { kA, kB, kC, kD };
inline constexpr size_t kRegulators = 4;

struct GammaChoice {
  Fraction gamma;
  Regulator by = Regulator::kA;
};

class RevisedController {
 public:
  explicit RevisedController(const RevisedControllerOptions& options);

  void Resize(size_t processes);
  // The process ended without an event: B need not wait for it.
  void Leave() {
    ++absent_;
    UpdateB();
  }
  // γ for the next event of a process that has had one.
  GammaChoice Choose(size_t process) const;
  // An event has been computed: C, LC and LC'.
  void Update(size_t process, int64_t before, int64_t simple, int64_t controlled);

 private:
  struct Lead {          // MAX(i), how far the simple clock ran ahead
    int64_t raised = 0;  // MAX when it was last raised
    int64_t since = 0;   // LCmax: the simple clock then
    bool started = false;
  };

  void UpdateB();
  Fraction ChooseC(int64_t lead) const;
  // Above q_low.
  Fraction FallingC(double q) const;
  int64_t UpdateLead(Lead& lead, int64_t before, int64_t simple) const;

  Fraction gamma_max_;
  Fraction gamma_floor_;
  Fraction gamma_b_;  // of the state as it is
  int64_t fall_;      // of MAX, in units of 2^-63 of the time passed
  double q_low_;
  double q_high_;
  size_t started_ = 0;
  size_t absent_ = 0;
  std::vector<Lead> leads_;
  ExtremeTree<std::less<>> least_ahead_{INT64_MAX};  // d(k)
  ExtremeTree<std::greater<>> most_ahead_{0};        // d(k)
  ExtremeTree<std::greater<>> largest_lead_{0};      // MAX(k)
};

inline GammaChoice RevisedController::Choose(size_t process) const {
  GammaChoice choice{gamma_max_, Regulator::kA};
  if (const int64_t lead = most_ahead_.Get(process); lead > 0) {
    if (const Fraction c = ChooseC(lead); c < choice.gamma) choice = {c, Regulator::kC};
  }
  if (gamma_b_ < choice.gamma) choice = {gamma_b_, Regulator::kB};
  if (choice.gamma < gamma_floor_) choice = {gamma_floor_, Regulator::kD};
  return choice;
}

inline Fraction RevisedController::ChooseC(int64_t lead) const {
  const int64_t largest = largest_lead_.best();
  if (largest <= 0) return {};
  if (lead <= largest && q_low_ >= 1) return gamma_max_;
  const double q = static_cast<double>(lead) / static_cast<double>(largest);
  return q <= q_low_ ? gamma_max_ : FallingC(q);
}

[[gnu::always_inline]] inline void RevisedController::Update(size_t process, int64_t before,
                                                             int64_t simple, int64_t controlled) {
  Lead& lead = leads_[process];
  const bool is_first = !lead.started;
  started_ += is_first ? 1 : 0;
  const int64_t ahead = SaturatedDifference(controlled, before);
  const bool lead_changes = largest_lead_.SetValue(process, UpdateLead(lead, before, simple));
  const bool least_changes = least_ahead_.SetValue(process, ahead);
  const bool most_changes = most_ahead_.SetValue(process, ahead);
  // One branch for all that is rare.
  if (!(is_first | lead_changes | least_changes | most_changes)) [[likely]]
    return;
  if (lead_changes) largest_lead_.UpdateParents(process);
  if (least_changes) least_ahead_.UpdateParents(process);
  if (most_changes) most_ahead_.UpdateParents(process);
  if (is_first || least_changes || most_changes) UpdateB();
}

inline int64_t RevisedController::UpdateLead(Lead& lead, int64_t before, int64_t simple) const {
  if (!lead.started) lead = {0, simple, true};
  // The simple clock never goes back.
  const uint64_t passed = static_cast<uint64_t>(simple) - static_cast<uint64_t>(lead.since);
  const auto fall = static_cast<int64_t>(
      static_cast<UInt128>(static_cast<uint64_t>(fall_)) * passed >> (kFractionBits + 1));
  const int64_t now = std::max<int64_t>(0, lead.raised - fall);
  const int64_t ahead = SaturatedDifference(simple, before);
  if (ahead <= now) return now;
  lead.raised = ahead;
  lead.since = simple;
  return ahead;
}

}  // namespace syncline
