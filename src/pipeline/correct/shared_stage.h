// The logical clock over an archive of whose events each process of an MPI run holds some: where
// any causal order of events does, each moves its own, and measures the messages that it matched.
//
// What travels besides what logical/replay_team.h says: the events of each message, from who
// matched it to who holds them, and how far events were moved, back to who measures them and to the
// first process. Memory in each process: that of a stage (stage_trace.h) for its own events, and 8
// bytes per event of the processes of its messages, up to the last one that is moved.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/minimum_delay.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "logical/logical_options.h"
#include "measure/retiming.h"
#include "pipeline/correct/logical_stage.h"
#include "pipeline/correct/share_messages.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

struct SharedStage {
  LogicalStage stage;
  QualityFigures quality;  // of the times that it gives
  Retiming retiming;       // these times
};

// Has the processes that hold the events and messages do it; none where one has to. `retiming`, of
// corrections alone, gives the times that go into the clock, which are not rounded.
Result<std::optional<SharedStage>> RunSharedStage(const LoadedTraces& loaded,
                                                  const Solution& solution, Retiming retiming,
                                                  const DelayModel& delays,
                                                  const LogicalOptions& options);

// How far a replay has moved events, in a process that took part in it: by process, for the times
// to be written.
struct KeptShifts {
  uint64_t number = 0;  // of the replay: Retiming::kept_elsewhere()
  std::vector<std::vector<int64_t>> shifts_ns;
};

// What such a process has.
struct StageShare : TraceShare {
  KeptShifts& kept;  // is set
};
// And what it makes of RunSharedStage()'s task. All at once.
Result<void> RunShareOfStage(const StageShare& share, ParcelReader& task, Parcel& outcome);

}  // namespace syncline
