// The true error of corrected times: how far they are from a truth file's.
//
// Units: nanoseconds. Sign: error = written − true, positive: written too late.
// Tested by: sync_command_test.cc, compare_command_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "estimate/group.h"
#include "measure/truth.h"
#include "trace/load.h"

namespace syncline {

// A truth that says nothing of a clock must not look like one that agrees with it: counts
// "clock-without-truth". Errors: kUsage where it tells of fewer than two of the clocks.
Result<void> CheckTruth(const Truth& truth, const std::string& path, const TraceSet& traces,
                        Diagnostics& diagnostics);

// Compares times of one clock with what the reference clock showed at the true instant.
class TruthComparison {
 public:
  // Without a truth, or one that does not know both clocks, there is nothing to compare with.
  TruthComparison(const Truth* truth, const LoadedTraces& loaded, const GroupEstimate& estimate,
                  ClockId clock);

  bool IsKnown() const { return own_ != nullptr; }
  // What a correction without error gives for a reading in an epoch of the clock.
  std::optional<GlobalTime> Expected(LocalTime local, uint32_t epoch) const;
  void Add(LocalTime local, uint32_t epoch, GlobalTime written, TrueError& error) const;

 private:
  int64_t RootAheadNs(GlobalTime instant) const;
  std::optional<GlobalTime> ExpectedNear(LocalTime local, uint32_t epoch, GlobalTime near) const;

  const Clock& clock_;
  const ClockEstimate& estimate_;
  const TrueClock* own_ = nullptr;
  const TrueClock* reference_ = nullptr;
  std::vector<TrueEpoch> epochs_;
  // Of a reference that was set itself, as far as the estimate names it.
  std::vector<TrueJump> root_jumps_;
  size_t root_jumps_before_ = 0;
};

}  // namespace syncline
