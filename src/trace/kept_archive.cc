#include "trace/kept_archive.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "base/parallel.h"
#include "base/try.h"

namespace syncline {
namespace {

// A record takes two bytes at least: its type and its length.
uint64_t MostEvents(const Otf2Archive& archive, ProcessId process) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(archive.events_file(process), error);
  return error ? 0 : std::min(bytes / 2, archive.claimed_events(process));
}

void NoteSpan(const LoadedArchive& loaded, std::span<const uint64_t> times,
              LocationReading& reading) {
  if (times.empty()) return;
  const TraceSet& traces = loaded.archive.traces();
  const ClockId clock = traces.processes[reading.process.index()].clock;
  SetBackFinder set_backs(SetBackRuleOf(traces.clocks[clock.index()]));
  LocalTime first = loaded.TimeOf(reading.process, times.front());
  LocalTime last = first;
  for (const uint64_t time : times) {
    const LocalTime corrected = loaded.TimeOf(reading.process, time);
    set_backs.Add(corrected);
    first = std::min(first, corrected);
    last = std::max(last, corrected);
  }
  reading.span = {first, last, times.size()};
  reading.set_backs = set_backs.Finish();
}

void ReadLocation(const LoadedArchive& loaded, KeptLocation& kept, MpiProcessSurvey& survey,
                  LocationReading& reading) {
  auto cursor = loaded.archive.OpenLocation(reading.process);
  if (!cursor) {
    reading.error = cursor.error();
    return;
  }
  kept.times.reserve(MostEvents(loaded.archive, reading.process));
  for (;;) {
    cursor->TakePlain(kept.times);
    const Event* event = cursor->Next();
    if (event == nullptr) break;
    kept.times.push_back(cursor->recorded_ticks());
    if (cursor->flush_end()) kept.flushes.push_back({cursor->index(), *cursor->flush_end()});
    const MpiOperation& operation = cursor->operation();
    if (operation.kind == MpiKind::kNone) continue;
    survey.Keep(*event, operation, cursor->index());
  }
  reading.error = cursor->error();
  reading.diagnostics = cursor->diagnostics();
  NoteSpan(loaded, kept.times, reading);
}

std::vector<ProcessId> ProcessesHere(const LoadedArchive& loaded) {
  std::vector<ProcessId> here;
  for (uint32_t i = 0; i < loaded.archive.traces().processes.size(); ++i) {
    if (!loaded.IsElsewhere(ProcessId(i))) here.emplace_back(i);
  }
  return here;
}

ArchiveTeam* team_of_this_run = nullptr;

}  // namespace

ArchiveTeam* TeamOfThisRun() { return team_of_this_run; }
void SetTeamOfThisRun(ArchiveTeam* team) { team_of_this_run = team; }

std::shared_ptr<const KeptLocation> LoadedArchive::Location(ProcessId process) const {
  if (IsElsewhere(process)) return dealt->Fetch(process);
  // The archive outlives what it keeps.
  return {std::shared_ptr<const void>(), &locations[process.index()]};
}

std::vector<CollectiveRecord> LoadedArchive::CollectivesFrom(ProcessId process,
                                                             size_t& next) const {
  constexpr size_t kSome = 1024;
  std::vector<CollectiveRecord> some;
  const KeptLocation& kept = locations[process.index()];
  for (; next < kept.records.size() && some.size() < kSome; ++next) {
    const NumberedRecord& record = kept.records[next];
    if (record.is_transfer()) continue;
    some.push_back({record, TimeOf(process, kept.times[record.index()])});
  }
  return some;
}

Event LoadedArchive::EventOf(ProcessId process, const NumberedRecord& record,
                             LocalTime time) const {
  Event event = record.event(time);
  event.process = processes[process.index()];
  if (record.is_transfer()) {
    event.peer = processes[event.peer.index()];
  } else {
    event.group += first_group;
  }
  return event;
}

std::vector<LocationReading> ReadLocations(LoadedArchive& loaded,
                                           std::span<const ProcessId> processes,
                                           MpiSurvey& survey) {
  loaded.locations.resize(loaded.archive.traces().processes.size());
  std::vector<LocationReading> readings(processes.size());
  ForEachParallel(processes.size(), [&](size_t i) {
    const ProcessId process = processes[i];
    readings[i].process = process;
    ReadLocation(loaded, loaded.locations[process.index()], survey.OfProcess(process), readings[i]);
  });
  return readings;
}

void KeepRecords(LoadedArchive& loaded, std::span<const ProcessId> processes, MpiSurvey& survey,
                 const MpiPairing& pairing) {
  ForEachParallel(processes.size(), [&](size_t i) {
    loaded.locations[processes[i].index()].records =
        survey.OfProcess(processes[i]).TakeRecords(pairing);
  });
}

Result<ArchiveEvents> KeepEvents(LoadedArchive& loaded) {
  const size_t count = loaded.archive.traces().processes.size();
  MpiSurvey survey(loaded.archive.traces());
  const std::vector<ProcessId> here = ProcessesHere(loaded);
  std::vector<LocationReading> readings = ReadLocations(loaded, here, survey);
  if (loaded.dealt) {
    SYNCLINE_ASSIGN(readings, loaded.dealt->WithOthers(std::move(readings)));
  }
  std::ranges::sort(readings, {}, &LocationReading::process);
  ArchiveEvents events;
  for (LocationReading& reading : readings) {
    if (reading.error) return tl::unexpected(*reading.error);
    if (loaded.IsElsewhere(reading.process)) {
      survey.Adopt(reading.process, std::move(reading.findings));
    }
    events.spans.push_back(reading.span);
    events.set_backs.push_back(std::move(reading.set_backs));
    events.diagnostics.Merge(reading.diagnostics);
  }
  SYNCLINE_CHECK(events.spans.size() == count);
  events.pairing = survey.Finish(events.diagnostics);
  KeepRecords(loaded, here, survey, *events.pairing);
  return events;
}

}  // namespace syncline
