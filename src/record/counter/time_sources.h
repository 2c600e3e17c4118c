// What a counter is calibrated with: the counter itself, a clock whose rate is believed, and the
// system's clock, which knows the epoch. Simulated ones stand in for them in tests.
//
// Units: ticks; nanoseconds. Tested by: frequency_test.cc (simulated), counter_test.cc.
#pragma once

#include <cstdint>
#include <ctime>

#include "record/counter/counter.h"

namespace syncline {

// How far a reading may be behind the instant at which it was taken.
struct Steps {
  int64_t ticks = 1;  // of the counter
  int64_t ns = 1;     // of the reference
};

class TimeSources {
 public:
  virtual ~TimeSources() = default;
  virtual int64_t Counter() = 0;
  virtual int64_t ReferenceNs() = 0;
  virtual Steps GetSteps() const = 0;
  virtual int64_t SystemNs() = 0;  // since the epoch
  virtual void Sleep(int64_t ns) = 0;
  // The counter is the reference itself: its frequency is 10^9 by definition.
  virtual bool CounterIsReference() const { return false; }
};

// Of this machine. `reference` is a clock of clock_gettime: CLOCK_MONOTONIC_RAW is neither stepped
// nor slewed, so its rate is that of an oscillator.
class MachineTime final : public TimeSources {
 public:
  explicit MachineTime(CounterKind kind, clockid_t reference = CLOCK_MONOTONIC_RAW);
  int64_t Counter() override { return ReadCounter(kind_); }
  int64_t ReferenceNs() override { return ReadSystemNs(reference_); }
  Steps GetSteps() const override { return steps_; }
  int64_t SystemNs() override { return ReadSystemNs(CLOCK_REALTIME); }
  void Sleep(int64_t ns) override;
  bool CounterIsReference() const override {
    return kind_ == CounterKind::kSystemClock && reference_ == CLOCK_MONOTONIC_RAW;
  }

 private:
  CounterKind kind_;
  clockid_t reference_;
  Steps steps_;
};

// The greatest number of which all differences between successive readings are multiples: some
// counters advance in steps of many ticks.
int64_t CounterStep(CounterKind kind);

}  // namespace syncline
