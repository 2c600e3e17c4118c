#include "pipeline/write/shared_events.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/try.h"
#include "pipeline/write/share_times.h"
#include "write/otf2/event_files.h"

namespace syncline {
namespace {

using otf2_write::EventFilesPlace;
using otf2_write::TimeSpan;
using otf2_write::WrittenEvents;

class EventsShare {
 public:
  EventsShare(const TraceShare& share, ShareTimes& times, EventFilesPlace place)
      : share_(share), times_(times), place_(std::move(place)) {}

  bool IsPlaceSeenByAll() const {
    std::error_code error;
    return !share_.team.Any(!std::filesystem::is_directory(place_.folder, error));
  }

  // The others wait for this one, so all hear of its errors before they go on.
  Result<WrittenEvents> Write() {
    const Result<TimeSpan> own = Begin();
    uint32_t has_failed = own ? 0 : 1;
    const std::vector<std::vector<TimeSpan>> to_each(share_.team.shares(),
                                                     {own.value_or(TimeSpan())});
    const auto firsts = share_.team.ExchangeAll(to_each, has_failed);
    if (has_failed != 0) return OwnError<WrittenEvents>(own);
    TimeSpan all;
    for (const std::vector<TimeSpan>& from : firsts) all.Include(from.front());
    return writer_->Write(place_, share_.team.own(), all.Shift());
  }

 private:
  Result<TimeSpan> Begin() {
    const Otf2Archive& opened = times_.archive().archive;
    SYNCLINE_ASSIGN(source_, otf2_write::ArchiveSource::Open(opened.anchor(), errors_));
    const int64_t offset_ticks = opened.traces().clocks.front().offset_ticks;
    SYNCLINE_ASSIGN(Clock clock, otf2_write::ArchiveClock(*source_, offset_ticks));
    const auto retime = [this](uint64_t location, uint64_t index, LocalTime recorded) {
      return times_.times().CorrectOne(location, index, recorded);
    };
    writer_.emplace(*source_, errors_, OwnLocations(), retime, std::move(clock));
    return writer_->FirstTimes();
  }

  // In the order of their definition.
  std::vector<uint64_t> OwnLocations() const {
    const std::vector<OTF2_LocationRef>& numbers = times_.archive().archive.locations();
    absl::flat_hash_map<uint64_t, uint32_t> owners;
    for (size_t p = 0; p < numbers.size(); ++p) owners.emplace(numbers[p], share_.shares[p]);
    std::vector<uint64_t> own;
    for (const uint64_t location : source_->facts().locations) {
      if (owners.at(location) == share_.team.own()) own.push_back(location);
    }
    return own;
  }

  const TraceShare& share_;
  ShareTimes& times_;
  EventFilesPlace place_;
  otf2_write::Otf2Errors errors_;
  std::optional<otf2_write::ArchiveSource> source_;
  std::optional<otf2_write::EventFilesWriter> writer_;
};

}  // namespace

Result<std::optional<WrittenEvents>> TeamEvents::Write(const EventFilesPlace& place) {
  std::error_code error;
  Parcel task;
  task.Put(TeamTask::kEvents);
  PutTimes(retiming_, task);
  // Others may work in other folders.
  for (const std::string& folder : {place.scratch, place.folder}) {
    task.Put(std::filesystem::absolute(folder, error).string());
  }
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, loaded_.messages.team()->Ask(task));
  WrittenEvents all;
  std::vector<IntervalChange> intervals(loaded_.traces.processes.size());
  for (ParcelReader& outcome : outcomes) {
    if (!outcome.Take<bool>()) return std::nullopt;
    all.Add(outcome.Take<WrittenEvents>());
    while (!outcome.is_at_end()) {
      const auto process = outcome.Take<ProcessId>();
      intervals[process.index()] = outcome.Take<IntervalChange>();
    }
  }
  // In order of processes, so that sums are the same in every run.
  intervals_.emplace();
  for (const IntervalChange& of_process : intervals) intervals_->Merge(of_process);
  return all;
}

Result<void> WriteShareOfEvents(const TraceShare& share, const KeptShifts& kept, ParcelReader& task,
                                Parcel& outcome) {
  ShareTimes times(share.archive, share.IsHere(), kept, task);
  EventFilesPlace place;
  task.Take(place.scratch, place.folder);
  EventsShare events(share, times, std::move(place));
  const bool is_seen = events.IsPlaceSeenByAll();
  outcome.Put(is_seen);
  if (!is_seen) return {};
  SYNCLINE_ASSIGN(const WrittenEvents written, events.Write());
  outcome.Put(written);
  for (const ProcessId process : times.here()) {
    outcome.Put(process, times.intervals(process));
  }
  return {};
}

}  // namespace syncline
