#include "pipeline/write/share_times.h"

#include "base/check.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

std::vector<ProcessId> ProcessesHere(const std::vector<bool>& is_here) {
  std::vector<ProcessId> here;
  for (uint32_t p = 0; p < is_here.size(); ++p) {
    if (is_here[p]) here.emplace_back(p);
  }
  return here;
}

Retiming TakeTimes(const std::vector<ProcessId>& here, const KeptShifts& kept, ParcelReader& task) {
  const auto number = task.Take<uint64_t>();
  Retiming retiming = Retiming::Take(task);
  retiming.AdoptMoved(task);
  SYNCLINE_CHECK(number == 0 || number == kept.number);
  for (const ProcessId process : here) {
    if (number != 0) retiming.SetShifts(process, kept.shifts_ns[process.index()]);
  }
  return retiming;
}

// Bounds are not asked for.
GroupEstimate NoEstimate(const LoadedTraces& archive) {
  GroupEstimate estimate;
  estimate.clocks.resize(archive.traces.clocks.size());
  return estimate;
}

}  // namespace

void PutTimes(const Retiming& retiming, Parcel& task) {
  task.Put(retiming.kept_elsewhere());
  retiming.Put(task);
  retiming.PutMoved(task);
}

ShareTimes::ShareTimes(const LoadedTraces& archive, const std::vector<bool>& is_here,
                       const KeptShifts& kept, ParcelReader& task)
    : archive_(ArchiveOf(archive.inputs.front())),
      here_(ProcessesHere(is_here)),
      retiming_(TakeTimes(here_, kept, task)),
      estimate_(NoEstimate(archive)),
      retimer_(archive, archive.inputs.front(), estimate_, retiming_, nullptr, nullptr),
      times_(archive_, retimer_) {}

}  // namespace syncline
