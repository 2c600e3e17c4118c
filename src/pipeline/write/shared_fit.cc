#include "pipeline/write/shared_fit.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "estimate/group.h"
#include "pipeline/write/archive_retimer.h"
#include "pipeline/write/kept_times.h"
#include "trace/kept_archive.h"
#include "write/otf2/location_fit.h"

namespace syncline {
namespace {

using otf2_write::LocationFit;

void PutFit(const LocationFit& fit, Parcel& parcel) {
  parcel.PutEach(fit.location, fit.records, fit.span, fit.has_other_definitions, fit.events,
                 fit.changed, fit.inexpressible, fit.first_inexpressible, fit.error.has_value());
  const Error error = fit.error.value_or(Error{});
  parcel.PutEach(error.code, error.message, error.file, error.position);
}

LocationFit TakeFit(ParcelReader& parcel) {
  LocationFit fit;
  bool is_error = false;
  Error error;
  parcel.TakeEach(fit.location, fit.records, fit.span, fit.has_other_definitions, fit.events,
                  fit.changed, fit.inexpressible, fit.first_inexpressible, is_error);
  parcel.TakeEach(error.code, error.message, error.file, error.position);
  if (is_error) fit.error = std::move(error);
  return fit;
}

class FitsOfTeam : public SharedFits {
 public:
  explicit FitsOfTeam(size_t processes) : fits_(processes), intervals_(processes) {}
  void Take(ParcelReader& outcome) {
    while (!outcome.is_at_end()) {
      const auto process = outcome.Take<uint32_t>();
      fits_[process] = TakeFit(outcome);
      intervals_[process] = outcome.Take<IntervalChange>();
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

Result<std::unique_ptr<SharedFits>> FitByTeam(const LoadedTraces& loaded,
                                              const Retiming& retiming) {
  const TeamMessages* team = loaded.messages.team();
  const uint64_t number = retiming.kept_elsewhere();
  const bool is_known = number != 0 || retiming.is_of_corrections_alone();
  const auto has_epochs = [&](ClockId clock) { return !loaded.SetBacksOf(clock).empty(); };
  bool is_set_back = false;
  for (uint32_t i = 0; i < loaded.traces.clocks.size(); ++i) is_set_back |= has_epochs(ClockId(i));
  if (team == nullptr || !is_known || is_set_back) return nullptr;
  Parcel task;
  task.PutEach(TeamTask::kFit, number);
  retiming.Put(task);
  retiming.PutMoved(task);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, team->Ask(task));
  auto fits = std::make_unique<FitsOfTeam>(loaded.traces.processes.size());
  for (ParcelReader& outcome : outcomes) fits->Take(outcome);
  return fits;
}

Result<void> FitShare(const LoadedTraces& archive, const std::vector<bool>& is_here,
                      const KeptShifts& kept, ParcelReader& task, Parcel& outcome) {
  const auto number = task.Take<uint64_t>();
  Retiming retiming = Retiming::Take(task);
  retiming.AdoptMoved(task);
  SYNCLINE_CHECK(number == 0 || number == kept.number);
  std::vector<uint32_t> here;
  for (uint32_t p = 0; p < is_here.size(); ++p) {
    if (!is_here[p]) continue;
    here.push_back(p);
    if (number != 0) retiming.SetShifts(ProcessId(p), kept.shifts_ns[p]);
  }
  const LoadedInput& input = archive.inputs.front();
  const LoadedArchive& loaded = ArchiveOf(input);
  GroupEstimate estimate;
  estimate.clocks.resize(archive.traces.clocks.size());
  ArchiveRetimer retimer(archive, input, estimate, retiming, nullptr, nullptr);
  KeptTimes times(loaded, retimer);
  const Clock& clock = loaded.archive.traces().clocks.front();
  std::vector<LocationFit> fits(here.size());
  ForEachParallel(here.size(), [&](size_t i) {
    const ProcessId process(here[i]);
    fits[i] = otf2_write::FitLocation(clock, loaded.archive.locations()[here[i]], times,
                                      loaded.archive.events_file(process));
  });
  for (size_t i = 0; i < here.size(); ++i) {
    outcome.Put(here[i]);
    PutFit(fits[i], outcome);
    outcome.Put(retimer.intervals(ProcessId(here[i])));
  }
  return {};
}

}  // namespace syncline
