// The offset between two clocks of this machine.
//
// Units: nanoseconds; the counter is turned into them with the frequency that the meter is given,
// from its first reading on. Method: the clock is read between two readings of the reference; of
// several such readings the narrowest counts. Half its width bounds what the offset is wrong by,
// and the clocks' steps come on top. Requires: as ReadCounter. Cost: 1 to 2 µs.
// Tested by: local_meter_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/character/meter.h"
#include "record/counter/costs.h"
#include "record/counter/counter.h"

namespace syncline {

enum class ClockSource : uint8_t { kCounter, kMonotonic, kMonotonicRaw, kRealtime, kGetTimeOfDay };

// "CLOCK_REALTIME" and the like; of the counter "RDTSCP" and the like.
std::string NameOf(ClockSource source, CounterKind counter);

// Reads one clock in nanoseconds. A counter counts from the reader's making on.
class ClockReader {
 public:
  // `counter_hz` is the counter's frequency; unused for other sources. Requires counter_hz > 0.
  ClockReader(ClockSource source, CounterKind counter, int64_t counter_hz);
  int64_t ReadNs() const;

 private:
  ClockSource source_;
  CounterKind counter_;
  int64_t hz_;
  int64_t origin_ticks_;
};

// StepsOf a clock.
struct Resolution {
  int64_t least_step_ns = 0;
  int64_t common_step_ns = 0;
};
Resolution ResolutionOf(const ClockReader& clock, int readings = 20'000);

class LocalMeter final : public OffsetMeter {
 public:
  struct Clocks {
    ClockReader clock;
    ClockReader reference;
    int64_t clock_step_ns = 1;  // how far a reading may be behind
    int64_t reference_step_ns = 1;
  };
  explicit LocalMeter(const Clocks& clocks) : clocks_(clocks) {}

  std::optional<OffsetSample> Measure() override;
  Effort GetEffort() const override { return {readings_, 0}; }

 private:
  Clocks clocks_;
  uint64_t readings_ = 0;
};

// The narrowest bracket as an offset with its bound. Nothing where the reference went backwards.
// Example: the reference shows 100 before and 140 after, the clock 1000, both in steps of 1 ns:
// offset 1000 − 120 = 880, wrong by at most 20 + 1 + 1.
std::optional<OffsetSample> OffsetBetween(int64_t reference_before_ns, int64_t clock_ns,
                                          int64_t reference_after_ns, int64_t steps_ns);

}  // namespace syncline
