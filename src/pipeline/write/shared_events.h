// The event files of an OTF2 archive, each written by the process of an MPI run that holds its
// events, beneath the temporary folder of the first process, which completes the archive.
//
// What travels: corrections and moved receives to everyone; the earliest times of locations from
// everyone to everyone, which tell the shift; what intervals changed, to the first process.
// Where a process does not see that folder, the first writes all.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <optional>

#include "syncline/result.h"

#include "base/parcel.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "pipeline/correct/share_messages.h"
#include "pipeline/correct/shared_stage.h"
#include "trace/load.h"

namespace syncline {

namespace otf2_write {
struct EventFilesPlace;
struct WrittenEvents;
}  // namespace otf2_write

// Requires that the team knows the times (shared_fit.h).
class TeamEvents {
 public:
  TeamEvents(const LoadedTraces& loaded, const Retiming& retiming)
      : loaded_(loaded), retiming_(retiming) {}

  // Has those processes write; none where one has to.
  Result<std::optional<otf2_write::WrittenEvents>> Write(const otf2_write::EventFilesPlace& place);
  // Of all events, once they are written.
  const std::optional<IntervalChange>& intervals() const { return intervals_; }

 private:
  const LoadedTraces& loaded_;
  const Retiming& retiming_;
  std::optional<IntervalChange> intervals_;
};

// What such a process makes of its task. All at once. `kept`: by the latest replay.
Result<void> WriteShareOfEvents(const TraceShare& share, const KeptShifts& kept, ParcelReader& task,
                                Parcel& outcome);

}  // namespace syncline
