#include "cli/load_otf2.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "match/collective_messages.h"
#include "match/mpi_matcher.h"
#include "match/named_matcher.h"
#include "read/otf2/archive.h"
#include "write/otf2/events_writer.h"
#include "write/otf2/metadata_writer.h"

namespace syncline {

// What later passes over an archive need.
struct LoadedArchive {
  Otf2Archive archive;
  std::shared_ptr<const MpiPairing> pairing;
  // In the trace set: of the archive's processes, and the first of its groups.
  std::vector<ProcessId> processes;
  uint32_t first_group = 0;
};

namespace {

ClockPer ClockPerOf(const std::string& text) {
  return text == "node"       ? ClockPer::kNode
         : text == "location" ? ClockPer::kLocation
                              : ClockPer::kProcess;
}

// A location's events, numbered.
class NumberedLocation {
 public:
  static Result<NumberedLocation> Open(const LoadedArchive& loaded, ProcessId in_file) {
    auto cursor = loaded.archive.OpenLocation(in_file);
    if (!cursor) return tl::unexpected(cursor.error());
    return NumberedLocation(std::move(*cursor), MpiNumbering(loaded.pairing, in_file));
  }
  const Event* Next() {
    const Event* event = cursor_.Next();
    if (event == nullptr) return nullptr;
    event_ = numbering_.Number(*event, cursor_.operation(), cursor_.index());
    return &event_;
  }
  const Event& event() const { return event_; }
  const Otf2Cursor& cursor() const { return cursor_; }

 private:
  NumberedLocation(Otf2Cursor cursor, MpiNumbering numbering)
      : cursor_(std::move(cursor)), numbering_(std::move(numbering)) {}
  Otf2Cursor cursor_;
  MpiNumbering numbering_;
  Event event_;
};

class ArchiveLoader {
 public:
  ArchiveLoader(LoadedInput& input, LoadedTraces& loaded, MessageSink& sink,
                MessageSink& collective_sink)
      : input_(input), loaded_(loaded), sink_(sink), collective_sink_(collective_sink) {}

  Result<void> Run(const std::string& clock_per, Progress& progress) {
    progress.Begin("reading " + input_.input.path, 0);
    Stopwatch watch;
    auto archive = Otf2Archive::Open(
        input_.input.path, {.clock_per = ClockPerOf(clock_per), .times = Otf2Times::kArchive});
    if (!archive) return tl::unexpected(archive.error());
    archive_ = std::make_shared<LoadedArchive>(LoadedArchive{std::move(*archive), {}, {}, 0});
    if (auto done = Define(); !done) return done;
    if (auto done = Survey(); !done) return done;
    loaded_.read_s += watch.Restart();
    if (auto done = Match(); !done) return done;
    loaded_.match_s += watch.Restart();
    input_.archive = archive_;
    if (input_.events == 0) {
      loaded_.diagnostics.Count("no-events", Severity::kWarning, 1, input_.input.path);
    }
    return {};
  }

 private:
  const TraceSet& traces() const { return archive_->archive.traces(); }

  Result<void> Define() {
    if (input_.input.is_named && traces().clocks.size() > 1) {
      return Fail(ErrorCode::kUsage, "holds several clocks, so one name cannot be given to it",
                  input_.input.path);
    }
    loaded_.diagnostics.Merge(archive_->archive.diagnostics());
    std::vector<ClockId> clocks;
    for (Clock clock : traces().clocks) {
      if (input_.input.is_named) clock.name = input_.input.name;
      clock.reading_ns = Clock::ReadingNs(clock.ticks_per_second);
      input_.ticks_per_second = clock.ticks_per_second;
      const ClockId id = loaded_.ClockNamed(clock);
      if (!(loaded_.traces.clocks[id.index()] == clock)) {
        return Fail(ErrorCode::kMalformed,
                    fmt::format("clock {} has another rate or offset in another input", clock.name),
                    input_.input.path);
      }
      clocks.push_back(id);
    }
    for (const Process& process : traces().processes) {
      const ProcessId id =
          loaded_.AddProcess({process.name, process.label, clocks[process.clock.index()]});
      input_.processes.push_back(id);
      input_.first_event.push_back(0);
    }
    archive_->processes = input_.processes;
    archive_->first_group = static_cast<uint32_t>(loaded_.traces.groups.size());
    for (Group group : traces().groups) {
      for (ProcessId& member : group.members) member = input_.processes[member.index()];
      loaded_.traces.groups.push_back(std::move(group));
    }
    return {};
  }

  Result<void> Survey() {
    MpiSurvey survey(traces());
    for (uint32_t i = 0; i < traces().processes.size(); ++i) {
      auto cursor = archive_->archive.OpenLocation(ProcessId(i));
      if (!cursor) return tl::unexpected(cursor.error());
      const ClockId clock = loaded_.traces.processes[input_.processes[i].index()].clock;
      while (const Event* event = cursor->Next()) {
        survey.Add(*event, cursor->operation(), cursor->index());
        loaded_.spans[clock.index()].Include(event->time);
        ++input_.events;
      }
      if (cursor->error()) return tl::unexpected(*cursor->error());
      loaded_.diagnostics.Merge(cursor->diagnostics());
    }
    archive_->pairing = survey.Finish(loaded_.diagnostics);
    const MpiMatchCounts& counts = archive_->pairing->counts();
    loaded_.unmatched_sends += counts.unmatched_sends;
    loaded_.unmatched_receives += counts.unmatched_receives;
    return {};
  }

  // All locations side by side, the earliest event first.
  Result<void> Match() {
    struct Head {
      int64_t ns = 0;
      uint32_t location = 0;
      bool operator>(const Head& other) const {
        return std::pair(ns, location) > std::pair(other.ns, other.location);
      }
    };
    std::vector<NumberedLocation> locations;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto push = [&](uint32_t i) -> Result<void> {
      const Event* event = locations[i].Next();
      if (event != nullptr) {
        const ClockId clock = traces().processes[i].clock;
        heads.push({traces().clocks[clock.index()].NominalNs(event->time), i});
      } else if (locations[i].cursor().error()) {
        return tl::unexpected(*locations[i].cursor().error());
      }
      return {};
    };
    for (uint32_t i = 0; i < traces().processes.size(); ++i) {
      auto location = NumberedLocation::Open(*archive_, ProcessId(i));
      if (!location) return tl::unexpected(location.error());
      locations.push_back(std::move(*location));
    }
    for (uint32_t i = 0; i < locations.size(); ++i) {
      if (auto done = push(i); !done) return done;
    }
    NamedMatcher matcher(sink_);
    CollectiveMessages collectives(loaded_.traces.groups, archive_->archive.names(),
                                   collective_sink_);
    while (!heads.empty()) {
      const uint32_t i = heads.top().location;
      heads.pop();
      Take(locations[i], matcher, collectives);
      if (auto done = push(i); !done) return done;
    }
    Diagnostics ignored;  // the survey counted the same
    matcher.Finish(ignored);
    collectives.Finish(loaded_.diagnostics);
    return {};
  }

  void Take(const NumberedLocation& location, NamedMatcher& matcher,
            CollectiveMessages& collectives) {
    const Event event = InTraceSet(*archive_, location.event());
    const uint64_t index = location.cursor().index();
    if (event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd) {
      collectives.Add(event, index, location.cursor().operation().bytes_received);
    } else {
      matcher.Add(event, index);
    }
  }

 public:
  static Event InTraceSet(const LoadedArchive& loaded, Event event) {
    event.process = loaded.processes[event.process.index()];
    if (event.kind == EventKind::kSend || event.kind == EventKind::kReceive) {
      event.peer = loaded.processes[event.peer.index()];
    }
    if (event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd) {
      event.group += loaded.first_group;
    }
    return event;
  }

 private:
  LoadedInput& input_;
  LoadedTraces& loaded_;
  MessageSink& sink_;
  MessageSink& collective_sink_;
  std::shared_ptr<LoadedArchive> archive_;
};

class ArchiveSource : public Otf2EventSource {
 public:
  ArchiveSource(std::shared_ptr<const LoadedArchive> loaded, NumberedLocation location)
      : loaded_(std::move(loaded)), location_(std::move(location)) {}

  const Event* Next() override {
    const Event* event = location_.Next();
    if (event == nullptr) return nullptr;
    event_ = ArchiveLoader::InTraceSet(*loaded_, *event);
    return &event_;
  }
  bool takes_part() const override {
    const std::string& kind = names()[event_.name];
    // Elsewhere members without data are in the collective all the same.
    if (!kind.ends_with('v') && !kind.ends_with('w')) return true;
    return event_.kind == EventKind::kCollectiveBegin
               ? event_.bytes > 0
               : location_.cursor().operation().bytes_received > 0;
  }
  const std::vector<std::string>& names() const override { return loaded_->archive.names(); }
  Result<void> status() const override {
    if (location_.cursor().error()) return tl::unexpected(*location_.cursor().error());
    return {};
  }

 private:
  std::shared_ptr<const LoadedArchive> loaded_;
  NumberedLocation location_;
  Event event_;
};

}  // namespace

Result<void> LoadOtf2(LoadedInput& input, LoadedTraces& loaded, MessageSink& sink,
                      MessageSink& collective_sink, const std::string& clock_per,
                      Progress& progress) {
  return ArchiveLoader(input, loaded, sink, collective_sink).Run(clock_per, progress);
}

Result<std::unique_ptr<Otf2EventSource>> OpenOtf2Source(const LoadedInput& input, size_t number) {
  auto location = NumberedLocation::Open(*input.archive, ProcessId(static_cast<uint32_t>(number)));
  if (!location) return tl::unexpected(location.error());
  return std::make_unique<ArchiveSource>(input.archive, std::move(*location));
}

Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<Otf2RetimeEvent()>& make_retime) {
  // The library has state of its own that threads would share.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Otf2Archive& archive = input.archive->archive;
  const Clock& clock = archive.traces().clocks.front();
  const Otf2WriteRequest request{.input = archive.anchor(),
                                 .output = anchor,
                                 .if_exists = if_exists,
                                 .offset_ticks = clock.offset_ticks};
  absl::flat_hash_map<uint64_t, ProcessId> process_of;
  for (uint32_t i = 0; i < archive.locations().size(); ++i) {
    process_of.emplace(archive.locations()[i], ProcessId(i));
  }
  const auto retime = [&]() -> Otf2Retime {
    return [&, event = make_retime()](uint64_t location, uint64_t index, LocalTime recorded) {
      const ProcessId process = process_of.at(location);
      const LocalTime local =
          archive.clock_offsets(process).Corrected(static_cast<uint64_t>(recorded.ticks));
      return event(process, index, local);
    };
  };
  Otf2Written written;
  auto counts = writing == Otf2Writing::kMetadata ? WriteOtf2Metadata(request, retime())
                                                  : WriteOtf2Events(request, retime());
  if (counts && counts->inexpressible > 0) {
    written.fell_back = true;
    written.note = fmt::format("{}, {}", counts->inexpressible, counts->first_inexpressible);
    counts = WriteOtf2Events(request, retime());
  }
  if (!counts) return tl::unexpected(counts.error());
  const Clock ticks{.name = "", .ticks_per_second = clock.ticks_per_second};
  written.shift_ns =
      static_cast<uint64_t>(ticks.NominalNs({static_cast<int64_t>(counts->shift_ticks)}));
  return written;
}

}  // namespace syncline
