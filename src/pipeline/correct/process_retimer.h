// The times that the events of one process get, and what is measured of them on the way: changed
// intervals, and the true error where the truth is known.
//
// Requires: what a retimer is made from outlives it; events come in program order.
// Units: nanoseconds.
// Tested by: sync_command_test.cc, compare_command_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "estimate/group.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "measure/truth.h"
#include "model/epochs.h"
#include "pipeline/correct/truth_comparison.h"
#include "trace/load.h"

namespace syncline {

class ProcessRetimer {
 public:
  struct Figures {
    IntervalChange intervals;
    TrueError error;
  };

  // `number` is the process's number within the input; `truth` may be null.
  ProcessRetimer(const LoadedTraces& loaded, const LoadedInput& input, size_t number,
                 const GroupEstimate& estimate, const Retiming& retiming, const Truth* truth);

  // Events in a row, the first of them number `first` of the process within the input.
  void Retime(uint64_t first, std::span<const LocalTime> local, std::span<GlobalTime> written,
              Figures& figures);
  // A time of the process's clock that is no event; of the epoch of the latest event.
  GlobalTime Plain(LocalTime local) const {
    return retiming_.Plain(process_, epochs_.current(), local);
  }

 private:
  const Retiming& retiming_;
  ProcessId process_;
  uint64_t first_event_;
  ClockId clock_id_;
  const Clock& clock_;
  bool knows_epochs_;  // the clock's correction
  EpochCursor epochs_;
  const LoadedTraces& loaded_;
  TruthComparison truth_;
  IntervalTracker intervals_;
  ProgramOrder order_;
};

}  // namespace syncline
