// The clock offsets of an OTF2 archive's locations, found by the processes of an MPI run that hold
// them, for the first process to write.
//
// What travels: corrections and moved receives to everyone; of each location its ClockOffset
// records, and what intervals changed, to the first process.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <memory>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "pipeline/correct/shared_stage.h"
#include "trace/load.h"

namespace syncline {

namespace otf2_write {
struct LocationFit;
}

class SharedFits {
 public:
  virtual ~SharedFits() = default;
  // By the archive's own ProcessId.
  virtual otf2_write::LocationFit& Of(ProcessId in_file) = 0;
  virtual const IntervalChange& Intervals(ProcessId in_file) const = 0;
};

// Whether the processes that hold the events can find the times that these get: not where a clock
// was set back, nor where the first process alone has moved events.
bool TeamKnowsTimes(const LoadedTraces& loaded, const Retiming& retiming);

// Has those processes do it. Requires that they know the times.
Result<std::unique_ptr<SharedFits>> FitByTeam(const LoadedTraces& loaded, const Retiming& retiming);

// What such a process makes of its task. `kept`: by the latest replay.
Result<void> FitShare(const TraceShare& share, const KeptShifts& kept, ParcelReader& task,
                      Parcel& outcome);

}  // namespace syncline
