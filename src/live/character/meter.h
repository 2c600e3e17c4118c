// What a clock is characterized with: something that measures its offset when asked, and time to
// wait between measurements. This machine's clocks, a peer over the network, or a simulation.
//
// Units: nanoseconds. Sign: offset = clock − reference. Tested by: character_test.cc.
#pragma once

#include <cstdint>
#include <optional>

namespace syncline {

struct OffsetSample {
  int64_t at_ns = 0;  // by the reference
  int64_t offset_ns = 0;
  int64_t uncertainty_ns = 0;  // the true offset at that time is at most so far away
};

// What measuring took so far.
struct Effort {
  uint64_t readings = 0;  // of clocks of this machine
  uint64_t messages = 0;  // sent and received
};

class OffsetMeter {
 public:
  virtual ~OffsetMeter() = default;
  // Nothing where there was no answer, or a clock was set meanwhile.
  virtual std::optional<OffsetSample> Measure() = 0;
  virtual Effort GetEffort() const = 0;
  // A clock that is never set.
  virtual int64_t SteadyNs() = 0;
  virtual void SleepUntil(int64_t steady_ns) = 0;
};

}  // namespace syncline
