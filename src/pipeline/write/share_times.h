// The times to be written of an archive's events, for the processes of an MPI run that hold these.
//
// What travels: corrections and moved receives; how far the logical clock has moved events, each
// process has kept of its own. Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <vector>

#include "syncline/id.h"

#include "base/parcel.h"
#include "estimate/group.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "pipeline/correct/shared_stage.h"
#include "pipeline/write/archive_retimer.h"
#include "pipeline/write/kept_times.h"
#include "trace/load.h"

namespace syncline {

void PutTimes(const Retiming& retiming, Parcel& task);

class ShareTimes {
 public:
  // `archive`: the only input; `kept`: by the latest replay. Both outlive this.
  ShareTimes(const LoadedTraces& archive, const std::vector<bool>& is_here, const KeptShifts& kept,
             ParcelReader& task);
  ShareTimes(const ShareTimes&) = delete;
  ShareTimes& operator=(const ShareTimes&) = delete;

  const LoadedArchive& archive() const { return archive_; }
  const std::vector<ProcessId>& here() const { return here_; }
  KeptTimes& times() { return times_; }
  // Of the events that were asked for.
  const IntervalChange& intervals(ProcessId process) const { return retimer_.intervals(process); }

 private:
  const LoadedArchive& archive_;
  std::vector<ProcessId> here_;
  Retiming retiming_;
  GroupEstimate estimate_;
  ArchiveRetimer retimer_;
  KeptTimes times_;
};

}  // namespace syncline
