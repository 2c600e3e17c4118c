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
#include <variant>
#include <vector>

#include "logical/controller_original.h"
#include "logical/controller_revised.h"
#include "logical/fixed_point.h"

namespace syncline {

// LC(send) + µ and LC'(send) + µ, or the latest of several.
struct ClockBound {
  int64_t simple = INT64_MIN;
  int64_t controlled = INT64_MIN;
  void Raise(const ClockBound& other) {
    simple = std::max(simple, other.simple);
    controlled = std::max(controlled, other.controlled);
  }
  // Both later by µ.
  ClockBound After(int64_t delay) const {
    return {SaturatingAdd(simple, delay), SaturatingAdd(controlled, delay)};
  }
  // Whether µ after LC' is within int64.
  bool HasRoomFor(int64_t delay) const {
    return SaturatingSubtract(SaturatingAdd(controlled, delay), delay) == controlled;
  }
};

struct ClockStep {
  int64_t simple = 0;      // LC
  int64_t controlled = 0;  // LC'
  int64_t jump = 0;        // J: what the message term adds to the others, ≥ 0
};

struct GammaReport {
  std::array<uint64_t, kRegulators> events = {};  // at which A, B, C, D determined γ
  double smallest = 1;
  uint32_t smallest_process = 0;
  uint64_t smallest_event = 0;  // number in its process, from 0
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

  void Resize(size_t processes);
  // The process is over without an event.
  void Leave();
  ClockStep Advance(size_t process, int64_t before, const ClockBound& message);
  const GammaReport& gamma_report() const { return report_; }

 private:
  struct State {
    int64_t before = 0;      // C(j−1)
    int64_t simple = 0;      // LC(j−1)
    int64_t controlled = 0;  // LC'(j−1), rounded down
    uint64_t fraction = 0;   // … and what was cut off, in units of 2^-62
    uint64_t events = 0;
  };
  struct NoController {
    GammaChoice Choose(size_t) const { return {}; }
    void Update(size_t, int64_t, int64_t, int64_t) {}
  };
  using Controller = std::variant<NoController, RevisedController, OriginalController>;

  LogicalClocks(int64_t gap, Controller controller)
      : gap_(gap), controller_(std::move(controller)) {}
  template <typename C>
  ClockStep AdvanceWith(C& controller, size_t process, int64_t before, const ClockBound& message);
  void Run(State& state, int64_t before, Fraction gamma);
  void Count(size_t process, const State& state, const GammaChoice& choice);

  int64_t gap_;
  Controller controller_;
  std::vector<State> states_;
  GammaReport report_;
  Fraction smallest_ = Fraction::One();
};

}  // namespace syncline
