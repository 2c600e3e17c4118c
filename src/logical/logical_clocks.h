// The simple and the controlled logical clock of all processes, one event at a time.
//
//     LC(j)  = max( LC(send) + µ,   LC(j−1) + δ,                               C(j) )
//     LC'(j) = max( LC'(send) + µ,  LC'(j−1) + δ,  LC'(j−1) + γ·(C(j) − C(j−1)),  C(j) )
// where terms drop out that do not exist. The kind kSimple has LC' = LC.
// Units: nanoseconds. Requires: events in a causal order. Rounding: LC' is kept with a fraction of
// 62 bits and given out rounded down, so it never runs ahead of γ·ΔC and loses nothing over many
// short steps. Sums saturate at the ends of int64; there alone the clock condition can fail.
// Cost: O(log n) per event. Method: Rabenseifner 2000, algorithms 2 and 3.
// Tested by: event by event against an oracle in src/logical/logical_filter_test.cc, and in
// golden_test.cc and guarantees_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "syncline/time.h"

#include "base/time_bins.h"
#include "logical/controller_original.h"
#include "logical/controller_revised.h"
#include "logical/controller_steady.h"
#include "logical/fixed_point.h"

namespace syncline {

// LC(send) + µ and LC'(send) + µ, or the latest of several.
struct ClockBound {
  int64_t simple = INT64_MIN;
  int64_t controlled = INT64_MIN;
  int64_t witness = SteadyController::kNoWitness;
  void Raise(const ClockBound& other) {
    simple = std::max(simple, other.simple);
    controlled = std::max(controlled, other.controlled);
    witness = std::max(witness, other.witness);
  }
  // Both later by µ.
  ClockBound After(int64_t delay) const {
    return {SaturatedSum(simple, delay), SaturatedSum(controlled, delay), witness};
  }
  // Whether µ after LC' is within int64.
  bool HasRoomFor(int64_t delay) const {
    return SaturatedDifference(SaturatedSum(controlled, delay), delay) == controlled;
  }
};

struct ClockStep {
  int64_t simple = 0;      // LC
  int64_t controlled = 0;  // LC'
  int64_t jump = 0;        // J: what the message term adds to the others, ≥ 0
  int64_t witness = SteadyController::kNoWitness;
};

// γ in a part of the trace, by C.
struct GammaBin {
  std::array<uint64_t, kRegulators> events = {};  // at which A, B, C, D determined γ
  double smallest = 1;
  void Merge(const GammaBin& other) {
    for (size_t i = 0; i < events.size(); ++i) events[i] += other.events[i];
    smallest = std::min(smallest, other.smallest);
  }
};

struct GammaReport {
  std::array<uint64_t, kRegulators> events = {};  // at which A, B, C, D determined γ
  double smallest = 1;
  // Where it was first, by C and process; nowhere if A determined it throughout.
  struct Place {
    int64_t before = 0;
    uint32_t process = 0;
    uint64_t event = 0;  // number in its process, from 0
    auto operator<=>(const Place&) const = default;
  };
  std::optional<Place> smallest_at;
  TimeBins<GammaBin> over_time;  // empty unless it was asked for

  // Of other processes of the same trace; nothing over time.
  void Adopt(const GammaReport& other);
};

// The clocks of all processes under one kind of controller.
template <typename Controller>
class ClocksUnder {
 public:
  ClocksUnder(int64_t gap, Controller controller) : gap_(gap), controller_(std::move(controller)) {}

  void Resize(size_t processes) {
    states_.resize(std::max(processes, states_.size()));
    controller_.Resize(states_.size());
  }
  void Leave() { controller_.Leave(); }
  void KeepGammaOverTime() { keeps_over_time_ = true; }
  // Into the loop over all events.
  [[gnu::always_inline]] ClockStep Advance(size_t process, int64_t before,
                                           const ClockBound& message);
  const GammaReport& gamma_report() const { return report_; }
  const Controller& controller() const { return controller_; }

 private:
  struct State {
    int64_t before = 0;      // C(j−1)
    int64_t simple = 0;      // LC(j−1)
    int64_t controlled = 0;  // LC'(j−1), rounded down
    uint64_t fraction = 0;   // … and what was cut off, in units of 2^-62
    uint64_t events = 0;
  };

  void Run(State& state, int64_t before, Fraction gamma) const;
  void Count(size_t process, const State& state, int64_t before, const GammaChoice& choice);

  int64_t gap_;
  Controller controller_;
  std::vector<State> states_;
  GammaReport report_;
  Fraction smallest_ = Fraction::One();
  bool keeps_over_time_ = false;
};

// LC alone.
struct NoController {
  void Resize(size_t) {}
  void Leave() {}
  GammaChoice Choose(size_t) const { return {}; }
  void Update(size_t, int64_t, int64_t, int64_t) {}
};

struct LogicalOptions;

class LogicalClocks {
 public:
  static LogicalClocks By(const LogicalOptions& options);
  // LC alone.
  static LogicalClocks Simple(int64_t min_event_gap_ns);
  static LogicalClocks Controlled(int64_t min_event_gap_ns,
                                  const RevisedControllerOptions& options);
  static LogicalClocks Controlled(int64_t min_event_gap_ns,
                                  const OriginalControllerOptions& options);
  // By the revised controller, if that leaves γ alone.
  static LogicalClocks Steady(const LogicalOptions& options);

  void Resize(size_t processes);
  // The process is over without an event.
  void Leave();
  // From now on.
  void KeepGammaOverTime();
  ClockStep Advance(size_t process, int64_t before, const ClockBound& message);
  const GammaReport& gamma_report() const;
  // Calls visit(clocks), whose kind of controller it knows.
  template <typename Visit>
  void With(Visit visit) {
    std::visit(visit, clocks_);
  }

 private:
  using Clocks = std::variant<ClocksUnder<NoController>, ClocksUnder<RevisedController>,
                              ClocksUnder<OriginalController>, ClocksUnder<SteadyController>>;

  explicit LogicalClocks(Clocks clocks) : clocks_(std::move(clocks)) {}

  Clocks clocks_;
};

// LC' without C and message: max(LC'(j−1) + δ, LC'(j−1) + γ·ΔC), with its fraction.
template <typename Controller>
void ClocksUnder<Controller>::Run(State& state, int64_t before, Fraction gamma) const {
  constexpr UInt128 kMask = (UInt128{1} << kFractionBits) - 1;
  // Differences of int64 fit in 64 bits without sign; a negative one is less than any δ.
  const uint64_t passed = before > state.before
                              ? static_cast<uint64_t>(before) - static_cast<uint64_t>(state.before)
                              : 0;
  const UInt128 share = static_cast<UInt128>(passed) * static_cast<uint64_t>(gamma.units);
  auto whole = static_cast<uint64_t>(gap_);
  if (static_cast<uint64_t>(share >> kFractionBits) >= whole) {
    const UInt128 step = share + state.fraction;
    whole = static_cast<uint64_t>(step >> kFractionBits);
    state.fraction = static_cast<uint64_t>(step & kMask);
  }
  const uint64_t room = static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(state.controlled);
  state.controlled =
      static_cast<int64_t>(static_cast<uint64_t>(state.controlled) + std::min(whole, room));
}

// Apart from the loop over all events.
[[gnu::noinline]] inline void CountAt(int64_t before, const GammaChoice& choice,
                                      TimeBins<GammaBin>& over_time) {
  GammaBin& bin = over_time.At(before);
  ++bin.events[static_cast<size_t>(choice.by)];
  bin.smallest = std::min(bin.smallest, choice.gamma.ToDouble());
}

template <typename Controller>
void ClocksUnder<Controller>::Count(size_t process, const State& state, int64_t before,
                                    const GammaChoice& choice) {
  ++report_.events[static_cast<size_t>(choice.by)];
  if (keeps_over_time_) [[unlikely]]
    CountAt(before, choice, report_.over_time);
  if (choice.gamma > smallest_ || (choice.gamma == smallest_ && choice.by == Regulator::kA)) return;
  const GammaReport::Place place{before, static_cast<uint32_t>(process), state.events};
  if (choice.gamma < smallest_ || !report_.smallest_at || place < *report_.smallest_at) {
    report_.smallest_at.reset();
    if (choice.by != Regulator::kA) report_.smallest_at = place;
  }
  smallest_ = choice.gamma;
  report_.smallest = choice.gamma.ToDouble();
}

template <typename Controller>
inline ClockStep ClocksUnder<Controller>::Advance(size_t process, int64_t before,
                                                  const ClockBound& message) {
  State& state = states_[process];
  if constexpr (requires { controller_.Learn(process, message.witness); }) {
    controller_.Learn(process, message.witness);
  }
  if (state.events == 0) {
    state.simple = state.controlled = before;
  } else {
    state.simple = std::max(SaturatedSum(state.simple, gap_), before);
    const GammaChoice choice = controller_.Choose(process);
    if constexpr (!std::is_same_v<Controller, NoController>) Count(process, state, before, choice);
    Run(state, before, choice.gamma);
    if (before > state.controlled) {
      state.controlled = before;
      state.fraction = 0;
    }
  }
  state.simple = std::max(state.simple, message.simple);
  int64_t jump = 0;
  if (message.controlled > state.controlled) {
    jump = SaturatedDifference(message.controlled, state.controlled);
    state.controlled = message.controlled;
    state.fraction = 0;
  }
  state.before = before;
  ++state.events;
  controller_.Update(process, before, state.simple, state.controlled);
  ClockStep step{state.simple, state.controlled, jump};
  if constexpr (requires { controller_.Witness(process); }) {
    step.witness = controller_.Witness(process);
  }
  return step;
}

}  // namespace syncline
