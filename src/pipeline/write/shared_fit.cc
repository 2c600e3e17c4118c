#include "pipeline/write/shared_fit.h"

#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "pipeline/write/share_times.h"
#include "trace/kept_archive.h"
#include "write/otf2/location_fit.h"

namespace syncline {
namespace {

using otf2_write::LocationFit;

class FitsOfTeam : public SharedFits {
 public:
  explicit FitsOfTeam(size_t processes) : fits_(processes), intervals_(processes) {}
  void Take(ParcelReader& outcome) {
    while (!outcome.is_at_end()) {
      const auto process = outcome.Take<uint32_t>();
      outcome.Take(fits_[process], intervals_[process]);
    }
  }
  LocationFit& Of(ProcessId in_file) override { return fits_[in_file.index()]; }
  const IntervalChange& Intervals(ProcessId in_file) const override {
    return intervals_[in_file.index()];
  }

 private:
  std::vector<LocationFit> fits_;
  std::vector<IntervalChange> intervals_;
};

}  // namespace

bool TeamKnowsTimes(const LoadedTraces& loaded, const Retiming& retiming) {
  if (loaded.messages.team() == nullptr) return false;
  for (uint32_t i = 0; i < loaded.traces.clocks.size(); ++i) {
    if (!loaded.SetBacksOf(ClockId(i)).empty()) return false;
  }
  return retiming.kept_elsewhere() != 0 || retiming.is_of_corrections_alone();
}

Result<std::unique_ptr<SharedFits>> FitByTeam(const LoadedTraces& loaded,
                                              const Retiming& retiming) {
  Parcel task;
  task.Put(TeamTask::kFit);
  PutTimes(retiming, task);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, loaded.messages.team()->Ask(task));
  auto fits = std::make_unique<FitsOfTeam>(loaded.traces.processes.size());
  for (ParcelReader& outcome : outcomes) fits->Take(outcome);
  return fits;
}

Result<void> FitShare(const TraceShare& share, const KeptShifts& kept, ParcelReader& task,
                      Parcel& outcome) {
  ShareTimes times(share.archive, share.IsHere(), kept, task);
  const Otf2Archive& opened = times.archive().archive;
  const Clock& clock = opened.traces().clocks.front();
  const std::vector<ProcessId>& here = times.here();
  std::vector<LocationFit> fits(here.size());
  ForEachParallel(here.size(), [&](size_t i) {
    fits[i] = otf2_write::FitLocation(clock, opened.locations()[here[i].index()], times.times(),
                                      opened.events_file(here[i]));
  });
  for (size_t i = 0; i < here.size(); ++i) {
    outcome.Put(here[i].value, fits[i], times.intervals(here[i]));
  }
  return {};
}

}  // namespace syncline
