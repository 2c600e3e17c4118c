// Corrects the cycles of a stream's clock class by the correction of its host's clock.
//
// Corrected times become cycles of the same clock class again: those whose nanoseconds, rounded
// down as by exact readers, are nearest. At one gigahertz nothing is lost; at f hertz up to ½/f s
// are. Cost: the evaluation of a Correction. Tested by: stream_clock_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "syncline/correction.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "read/ctf/ctf_clock.h"

namespace syncline::babeltrace_plugin {

class StreamClock {
 public:
  // Errors: kUnsupported for clock classes beyond the range of times. `file` is for the error.
  static Result<StreamClock> Make(CtfClock clock, const Correction& correction,
                                  const std::string& file);

  GlobalTime Corrected(uint64_t cycles) const { return correction_(clock_.FromCycles(cycles)); }
  // What the clock itself claims, rounded down.
  int64_t NominalNs(uint64_t cycles) const;
  // Nothing where the time lies before cycle 0 of the clock class, or beyond its last.
  std::optional<uint64_t> ToCycles(GlobalTime time) const;
  // No reading whose nominal time is at or after `nominal_ns` gets an earlier corrected time.
  GlobalTime EarliestFrom(int64_t nominal_ns) const;

  friend bool operator==(const StreamClock&, const StreamClock&) = default;

 private:
  StreamClock(CtfClock clock, const Correction& correction)
      : clock_(std::move(clock)), correction_(correction) {}
  CtfClock clock_;
  Correction correction_;
};

}  // namespace syncline::babeltrace_plugin
