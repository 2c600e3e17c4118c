// The revised controller where it leaves γ at γmax all the time: finds out whether it does, from
// each process and its messages alone, in any causal order of events.
//
// The revised controller looks at all processes at once, as they are in the order of evaluation
// (process_order.h). Let K(e) be the latest C of an event and of all that led to it: the order is
// one of K, and C ≤ K ≤ LC where no minimum delay is negative. Two things follow.
//
//   C (d(i) against max MAX): an event that raises MAX puts it to v, how far its simple clock is
//   ahead; it then falls by f = ½(1 − γmax) of the time that the simple clock goes on. So at an
//   event with K ≤ κ that it led to, max MAX ≥ v − f·(κ − C). The largest v + f·C that led to an
//   event is its *witness*; messages carry it.
//
//   B (min d > 0): at each K one process must not be ahead. A process is from the C of the first
//   event that is ahead until the C of the next one that is not.
//
// Both suffice only: where they do not show that γ stays, it may all the same.
// Requires: no negative minimum delays; a leave waits for nothing that does not bind it.
// Rounding: against showing it. Cost: O(1) per event. Memory: 64 bytes per process, 16 each time
// that it gets ahead. Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "syncline/time.h"

#include "logical/controller_options.h"
#include "logical/controller_revised.h"
#include "logical/fixed_point.h"

namespace syncline {

class SteadyController {
 public:
  static constexpr int64_t kNoWitness = INT64_MIN;

  explicit SteadyController(const RevisedControllerOptions& options)
      : gamma_max_(Fraction::FromDouble(options.gamma_max)),
        fall_((Fraction::One() - gamma_max_).units),
        q_low_(options.q_low) {}

  void Resize(size_t processes) { states_.resize(processes); }
  void Leave() {}
  GammaChoice Choose(size_t) const { return {gamma_max_, Regulator::kA}; }
  // With a message, before its receive.
  void Learn(size_t process, int64_t witness) {
    states_[process].witness = std::max(states_[process].witness, witness);
  }
  int64_t Witness(size_t process) const { return states_[process].witness; }
  // An event has been computed: C, LC and LC'.
  void Update(size_t process, int64_t before, int64_t simple, int64_t controlled);

  // So far as C is concerned; false stays.
  bool is_steady() const { return is_steady_; }
  // A time in which a process is ahead, both ends included.
  struct Ahead {
    int64_t begin = 0;
    int64_t end = INT64_MAX;
  };
  // After all events: when all processes that have events are ahead; always where none has. B has
  // nothing to do where they never are. Cost: O(times ahead · processes).
  std::vector<Ahead> TimesAllAhead() const;
  // When both are.
  static std::vector<Ahead> InCommon(const std::vector<Ahead>& a, const std::vector<Ahead>& b);

 private:
  struct State {
    int64_t ahead = 0;   // d
    int64_t simple = 0;  // LC, while it is ahead
    int64_t witness = kNoWitness;
    int64_t raised = 0;  // MAX(i) when it was last raised
    int64_t since = 0;   // LC then
    bool has_events = false;
    std::vector<Ahead> times;
  };

  // Witnesses count in units of 2^-10 ns: most jumps are of a few nanoseconds.
  static constexpr int kPartBits = 10;

  // f·C, rounded down.
  Int128 FallOf(int64_t ns) const {
    return static_cast<Int128>(ns) * fall_ >> (kFractionBits + 1 - kPartBits);
  }
  // What max MAX, a whole number, is at least at an event whose simple clock is this.
  Int128 LargestLead(int64_t witness, int64_t simple) const {
    return (witness - FallOf(simple) - 1 + (1 << kPartBits) - 1) >> kPartBits;
  }
  // By the revised controller's own condition. Requires: ahead > 0.
  bool IsSteady(int64_t ahead, Int128 largest) const {
    return (largest >= ahead && q_low_ >= 1) || IsBelowLow(ahead, largest);
  }
  bool IsBelowLow(int64_t ahead, Int128 largest) const;
  // MAX(i), as the revised controller has it.
  int64_t OwnLead(const State& state, int64_t simple) const {
    const uint64_t passed = static_cast<uint64_t>(simple) - static_cast<uint64_t>(state.since);
    const auto fall = static_cast<int64_t>(
        static_cast<UInt128>(static_cast<uint64_t>(fall_)) * passed >> (kFractionBits + 1));
    return std::max<int64_t>(0, state.raised - fall);
  }
  // A lead that only equals what is left of MAX(i), which is rounded up, is no witness.
  void NoteLead(State& state, int64_t lead, int64_t before, int64_t simple) const {
    if (lead <= OwnLead(state, simple)) return;
    state.raised = lead;
    state.since = simple;
    const Int128 witness = (static_cast<Int128>(lead) << kPartBits) + FallOf(before);
    if (witness > state.witness && witness <= INT64_MAX) {
      state.witness = static_cast<int64_t>(witness);
    }
  }

  Fraction gamma_max_;
  int64_t fall_;  // f, in units of 2^-63
  double q_low_;
  bool is_steady_ = true;
  std::vector<State> states_;
};

[[gnu::always_inline]] inline void SteadyController::Update(size_t process, int64_t before,
                                                            int64_t simple, int64_t controlled) {
  State& state = states_[process];
  state.has_events = true;
  if (state.ahead == 0 && controlled == before) [[likely]]
    return;
  // γ of this event was chosen by what was there before it.
  if (state.ahead > 0) {
    is_steady_ &= IsSteady(state.ahead, OwnLead(state, state.simple)) ||
                  IsSteady(state.ahead, LargestLead(state.witness, simple));
  }
  if (simple > before) NoteLead(state, SaturatedDifference(simple, before), before, simple);
  state.simple = simple;
  const int64_t ahead = SaturatedDifference(controlled, before);
  if (state.ahead == 0) {
    // Where the clock was set back, the event comes after those before it, all the same.
    const int64_t begin = state.times.empty() ? before : std::max(before, state.times.back().end);
    state.times.push_back({begin});
  } else if (ahead == 0) {
    state.times.back().end = before;
  }
  state.ahead = ahead;
}

}  // namespace syncline
