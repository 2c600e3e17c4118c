// The original controller of the controlled logical clock: needs only its own process's data.
//
//     D  := max(LC  − C, qf·(D  − qmin) + qmin),   D' likewise with LC', both starting at qinit
//     γ  := γ·γdeg                  if D' > lup·D
//           min(γ/γdeg, γmax)       if D' < llow·D        else as it was; γ starts at γmax
// after every event, for the next one.
// Method: Rabenseifner 1997, algorithm 3. Departure: γ never falls below 2^-62, so that it can rise
// again. Rounding: γ·γdeg down, γ/γdeg up, D down, all in integers.
// Cost: O(1), a few 128-bit products. Tested by: src/logical/controller_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "logical/controller_options.h"
#include "logical/controller_revised.h"
#include "logical/fixed_point.h"

namespace syncline {

class OriginalController {
 public:
  explicit OriginalController(const OriginalControllerOptions& options);

  void Resize(size_t processes);
  void Leave() {}
  // γ for the next event; Regulator::kB stands for "below γmax".
  GammaChoice Choose(size_t process) const {
    const Fraction gamma = states_[process].gamma;
    return {gamma, gamma < gamma_max_ ? Regulator::kB : Regulator::kA};
  }
  // An event has been computed: C, LC and LC'.
  void Update(size_t process, int64_t before, int64_t simple, int64_t controlled);

 private:
  struct State {
    int64_t simple = 0;      // D
    int64_t controlled = 0;  // D'
    Fraction gamma;
  };

  int64_t Forget(int64_t deviation, int64_t observed) const;

  int64_t q_init_;
  int64_t q_min_;
  Fraction q_factor_;
  Fraction gamma_max_;
  Fraction gamma_step_;
  int64_t l_up_;   // in units of 2^-32
  int64_t l_low_;  // in units of 2^-32
  std::vector<State> states_;
};

}  // namespace syncline
