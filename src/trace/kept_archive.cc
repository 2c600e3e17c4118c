#include "trace/kept_archive.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/parallel.h"

namespace syncline {
namespace {

// A record takes two bytes at least: its type and its length.
uint64_t MostEvents(const Otf2Archive& archive, ProcessId process) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(archive.events_file(process), error);
  return error ? 0 : std::min(bytes / 2, archive.claimed_events(process));
}

// The pass over one location.
class LocationReading {
 public:
  LocationReading(const Otf2Archive& archive, ProcessId process)
      : archive_(archive), process_(process) {}

  void Run(KeptLocation& kept, MpiProcessSurvey& survey) {
    auto cursor = archive_.OpenLocation(process_);
    if (!cursor) {
      error_ = cursor.error();
      return;
    }
    kept.times.reserve(MostEvents(archive_, process_));
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
    error_ = cursor->error();
    diagnostics_ = cursor->diagnostics();
    NoteSpan(kept.times);
  }

  const std::optional<Error>& error() const { return error_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const ClockSpan& span() const { return span_; }
  const SeenSetBacks& set_backs() const { return set_backs_; }

 private:
  void NoteSpan(std::span<const uint64_t> times) {
    if (times.empty()) return;
    const Otf2ClockOffsets& offsets = archive_.clock_offsets(process_);
    LocalTime first = offsets.Corrected(times.front());
    LocalTime last = first;
    const TraceSet& traces = archive_.traces();
    const ClockId clock = traces.processes[process_.index()].clock;
    SetBackFinder set_backs(SetBackRuleOf(traces.clocks[clock.index()]));
    for (const uint64_t time : times) {
      const LocalTime corrected = offsets.Corrected(time);
      set_backs.Add(corrected);
      first = std::min(first, corrected);
      last = std::max(last, corrected);
    }
    span_ = {first, last, times.size()};
    set_backs_ = set_backs.Finish();
  }

  const Otf2Archive& archive_;
  ProcessId process_;
  ClockSpan span_;
  SeenSetBacks set_backs_;
  Diagnostics diagnostics_;
  std::optional<Error> error_;
};

}  // namespace

Event LoadedArchive::EventOf(ProcessId process, const NumberedRecord& record) const {
  Event event = record.event(TimeOf(process, record.index()));
  event.process = processes[process.index()];
  if (record.is_transfer()) {
    event.peer = processes[event.peer.index()];
  } else {
    event.group += first_group;
  }
  return event;
}

Result<ArchiveEvents> KeepEvents(LoadedArchive& loaded) {
  const TraceSet& traces = loaded.archive.traces();
  const size_t count = traces.processes.size();
  const auto process = [](size_t i) { return ProcessId(static_cast<uint32_t>(i)); };
  loaded.locations.resize(count);
  MpiSurvey survey(traces);
  std::vector<LocationReading> readings;
  for (size_t i = 0; i < count; ++i) readings.emplace_back(loaded.archive, process(i));
  ForEachParallel(
      count, [&](size_t i) { readings[i].Run(loaded.locations[i], survey.OfProcess(process(i))); });
  ArchiveEvents events;
  for (const LocationReading& reading : readings) {
    if (reading.error()) return tl::unexpected(*reading.error());
    events.spans.push_back(reading.span());
    events.set_backs.push_back(reading.set_backs());
    events.diagnostics.Merge(reading.diagnostics());
  }
  events.pairing = survey.Finish(events.diagnostics);
  ForEachParallel(count, [&](size_t i) {
    KeptLocation& kept = loaded.locations[i];
    kept.records = survey.OfProcess(process(i)).TakeRecords(*events.pairing);
    kept.has_collectives =
        std::any_of(kept.records.begin(), kept.records.end(),
                    [](const NumberedRecord& record) { return !record.is_transfer(); });
  });
  return events;
}

}  // namespace syncline
