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

// What a location's readings span, and where they step back.
class ReadingMeter {
 public:
  ReadingMeter(const LoadedArchive& loaded, ProcessId process)
      : loaded_(loaded), process_(process), set_backs_(RuleOf(loaded, process)) {}

  void Add(std::span<const uint64_t> times) {
    for (const uint64_t time : times) {
      const LocalTime corrected = loaded_.TimeOf(process_, time);
      set_backs_.Add(corrected);
      span_.Include(corrected);
    }
  }
  void Finish(LocationReading& reading) {
    reading.span = span_;
    if (span_.events > 0) reading.set_backs = set_backs_.Finish();
  }

 private:
  static SetBackRule RuleOf(const LoadedArchive& loaded, ProcessId process) {
    const TraceSet& traces = loaded.archive.traces();
    return SetBackRuleOf(traces.clocks[traces.processes[process.index()].clock.index()]);
  }

  const LoadedArchive& loaded_;
  ProcessId process_;
  SetBackFinder set_backs_;
  ClockSpan span_;
};

// What is found in a location grows here, in memory that serves the next one: a page that was never
// used can cost more than what is done with it.
struct FoundInLocation {
  std::vector<uint64_t> recent;  // few enough to stay in the processor's cache
  std::vector<NumberedRecord> records;
  std::vector<uint64_t> times;  // of these
  FoundEnds ends;
};

void ReadLocation(const LoadedArchive& loaded, KeptLocation& kept, MpiProcessSurvey& survey,
                  LocationReading& reading, FoundInLocation& found) {
  constexpr size_t kSome = 4096;
  auto cursor = loaded.archive.OpenLocation(reading.process);
  if (!cursor) {
    reading.error = cursor.error();
    return;
  }
  if (loaded.keeps_events) kept.times.reserve(MostEvents(loaded.archive, reading.process));
  ReadingMeter meter(loaded, reading.process);
  const auto put_away = [&] {
    meter.Add(found.recent);
    if (loaded.keeps_events) {
      kept.times.insert(kept.times.end(), found.recent.begin(), found.recent.end());
    }
    found.recent.clear();
  };
  for (;;) {
    cursor->TakePlain(found.recent);
    const Event* event = cursor->Next();
    if (event == nullptr) break;
    found.recent.push_back(cursor->recorded_ticks());
    if (found.recent.size() >= kSome) put_away();
    if (cursor->flush_end()) kept.flushes.push_back({cursor->index(), *cursor->flush_end()});
    const MpiOperation& operation = cursor->operation();
    if (operation.kind == MpiKind::kNone) continue;
    const auto record = survey.Record(*event, operation, cursor->index());
    if (!record) continue;
    if (record->is_transfer()) {
      AddTransfer(*record, loaded.TimeOf(reading.process, cursor->recorded_ticks()), found.ends);
      if (!loaded.keeps_events) continue;
    }
    found.records.push_back(*record);
    if (!loaded.keeps_events) found.times.push_back(cursor->recorded_ticks());
  }
  put_away();
  kept.records = found.records;
  if (!loaded.keeps_events) kept.times = found.times;
  kept.ends = found.ends.Take();
  found.records.clear();
  found.times.clear();
  reading.error = cursor->error();
  reading.diagnostics = cursor->diagnostics();
  meter.Finish(reading);
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
  // Of all locations some 10 MB.
  constexpr size_t kOfAll = size_t{1} << 18, kFewest = 16, kMost = 1024;
  const size_t most = std::clamp(kOfAll / locations.size(), kFewest, kMost);
  std::vector<CollectiveRecord> some;
  const KeptLocation& kept = locations[process.index()];
  for (; next < kept.collectives.size() && some.size() < most; ++next) {
    const uint64_t record = kept.collectives[next];
    some.push_back({kept.records[record], TimeOfRecord(process, record)});
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
  ForEachParallelWith<FoundInLocation>(processes.size(), [&](size_t i, FoundInLocation& found) {
    const ProcessId process = processes[i];
    readings[i].process = process;
    ReadLocation(loaded, loaded.locations[process.index()], survey.OfProcess(process), readings[i],
                 found);
  });
  return readings;
}

void KeepRecords(LoadedArchive& loaded, std::span<const ProcessId> processes, MpiSurvey& survey,
                 const MpiPairing& pairing) {
  ForEachParallel(processes.size(), [&](size_t i) {
    KeptLocation& kept = loaded.locations[processes[i].index()];
    const MpiProcessSurvey& of_process = survey.OfProcess(processes[i]);
    of_process.Number(pairing, kept.ends);
    kept.collectives =
        of_process.Number(pairing, kept.records, loaded.keeps_events ? nullptr : &kept.times);
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
  if (loaded.dealt) loaded.dealt->NumberElsewhere(*events.pairing);
  KeepRecords(loaded, here, survey, *events.pairing);
  return events;
}

}  // namespace syncline
