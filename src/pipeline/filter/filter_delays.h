// The minimum delays of a filter, whose clocks are declared while it runs.
//
// Units: nanoseconds, and picoseconds per byte.
// Tested by: filter_command_test.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/minimum_delay.h"
#include "syncline/result.h"

#include "measure/quality.h"
#include "pipeline/estimate/minimum_delay_choice.h"

namespace syncline {

// 0.8 of half the least round trip of each two clocks; nothing where they sent messages one way
// only, or the round trip is not positive.
MinimumDelayChoice AutomaticDelays(const MessageQuality& recorded, const TraceSet& traces);

// The same of the messages in the text trace `path`. Errors: those of reading.
Result<MinimumDelayChoice> MeasureMinimumDelays(const std::string& path);

enum class TimeDirection { kForward, kReverse };

class FilterDelays {
 public:
  // kReverse: a message's delay counts from its receiver to its sender.
  // Directions not listed: 1 ns, unless the choice has a number.
  FilterDelays(MinimumDelayChoice choice, TimeDirection direction);
  FilterDelays(const FilterDelays&) = delete;
  FilterDelays& operator=(const FilterDelays&) = delete;

  // Takes over what the choice says of clocks declared since the last call.
  void Declare(const TraceSet& traces);
  // Valid as long as this object.
  const DelayModel& model() const { return model_; }
  // Counts "unknown-delay-clock" (warning): names in the choice that no clock has.
  void CountFindings(Diagnostics& diagnostics) const;

 private:
  using Entry = decltype(MinimumDelayChoice::by_direction)::value_type;
  void SetKnown(const Entry& entry);

  MinimumDelayChoice choice_;
  std::map<std::string, std::vector<const Entry*>> entries_of_;  // by name, from or to
  TimeDirection direction_;
  DelayModel model_;
  std::map<std::string, ClockId> clocks_;
};

}  // namespace syncline
