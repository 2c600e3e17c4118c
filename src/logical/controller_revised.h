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

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

}  // namespace syncline
