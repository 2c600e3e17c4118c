#include "trace/load_otf2.h"

#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "match/collective_messages.h"
#include "trace/kept_archive.h"

namespace syncline {

namespace {

ClockPer ClockPerOf(const std::string& text) {
  return text == "node"       ? ClockPer::kNode
         : text == "location" ? ClockPer::kLocation
                              : ClockPer::kProcess;
}

class ArchiveLoader {
 public:
  ArchiveLoader(LoadedInput& input, LoadedTraces& loaded, SeriesSink& sink,
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
    auto events = KeepEvents(*archive_);
    if (!events) return tl::unexpected(events.error());
    Adopt(*events);
    loaded_.read_s += watch.Restart();
    MatchMessages(*events->pairing);
    MatchCollectives();
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

  void Adopt(const ArchiveEvents& events) {
    for (size_t i = 0; i < events.spans.size(); ++i) {
      const ClockId clock = loaded_.traces.processes[input_.processes[i].index()].clock;
      loaded_.spans[clock.index()].Merge(events.spans[i]);
      input_.events += events.spans[i].events;
      loaded_.SetSeen(input_.processes[i], events.set_backs[i]);
    }
    loaded_.diagnostics.Merge(events.diagnostics);
    const MpiMatchCounts& counts = events.pairing->counts();
    loaded_.unmatched_sends += counts.unmatched_sends;
    loaded_.unmatched_receives += counts.unmatched_receives;
  }

  void MatchMessages(const MpiPairing& pairing) {
    ChannelMessages messages(pairing);
    ForEachParallel(archive_->locations.size(),
                    [&](size_t i) { messages.Add(archive_->locations[i].records); });
    const auto time_of = [this](ProcessId process, uint64_t index) {
      return archive_->TimeOf(process, index);
    };
    messages.Deliver(traces(), input_.processes, time_of, sink_);
  }

  // One collective of each process after the other, so that few are incomplete at once.
  void MatchCollectives() {
    CollectiveMessages collectives(loaded_.traces.groups, archive_->archive.names(),
                                   collective_sink_);
    std::vector<size_t> next(archive_->locations.size());
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (uint32_t i = 0; i < next.size(); ++i) {
        if (!archive_->locations[i].has_collectives) continue;
        const std::vector<NumberedRecord>& records = archive_->locations[i].records;
        bool has_ended = false;
        while (next[i] < records.size() && !has_ended) {
          const NumberedRecord& record = records[next[i]++];
          if (record.is_transfer()) continue;
          collectives.Add(archive_->EventOf(ProcessId(i), record), record.index(),
                          record.has_received() ? 1 : 0);
          has_ended = record.kind() == EventKind::kCollectiveEnd;
        }
        is_more |= next[i] < records.size();
      }
    }
    collectives.Finish(loaded_.diagnostics);
  }

  LoadedInput& input_;
  LoadedTraces& loaded_;
  SeriesSink& sink_;
  MessageSink& collective_sink_;
  std::shared_ptr<LoadedArchive> archive_;
};

class ArchiveSource : public Otf2EventSource {
 public:
  ArchiveSource(std::shared_ptr<const LoadedArchive> loaded, ProcessId process)
      : loaded_(std::move(loaded)), kept_(loaded_->locations[process.index()]), process_(process) {}

  const Event* Next() override {
    if (leaves_out_marks_) {
      if (next_ == kept_.records.size()) return nullptr;
      index_ = kept_.records[next_].index();
    }
    if (index_ == kept_.times.size()) return nullptr;
    if (next_ < kept_.records.size() && kept_.records[next_].index() == index_) {
      const NumberedRecord& record = kept_.records[next_++];
      event_ = loaded_->EventOf(process_, record);
      has_received_ = record.has_received();
    } else {
      event_ = Event{.time = loaded_->TimeOf(process_, index_),
                     .process = loaded_->processes[process_.index()]};
    }
    ++index_;
    return &event_;
  }
  uint64_t index() const override { return index_ - 1; }
  std::vector<LocalTime> TakeTimes() override {
    leaves_out_marks_ = true;
    std::vector<LocalTime> times;
    times.reserve(kept_.times.size());
    const Otf2ClockOffsets& offsets = loaded_->archive.clock_offsets(process_);
    for (const uint64_t time : kept_.times) times.push_back(offsets.Corrected(time));
    return times;
  }
  bool takes_part() const override {
    const std::string& kind = names()[event_.name];
    // Elsewhere members without data are in the collective all the same.
    if (!kind.ends_with('v') && !kind.ends_with('w')) return true;
    return event_.kind == EventKind::kCollectiveBegin ? event_.bytes > 0 : has_received_;
  }
  const std::vector<std::string>& names() const override { return loaded_->archive.names(); }

 private:
  std::shared_ptr<const LoadedArchive> loaded_;
  const KeptLocation& kept_;
  ProcessId process_;
  uint64_t index_ = 0;
  size_t next_ = 0;  // in kept_.records
  bool has_received_ = false;
  bool leaves_out_marks_ = false;
  Event event_;
};

}  // namespace

Result<void> LoadOtf2(LoadedInput& input, LoadedTraces& loaded, SeriesSink& sink,
                      MessageSink& collective_sink, const std::string& clock_per,
                      Progress& progress) {
  return ArchiveLoader(input, loaded, sink, collective_sink).Run(clock_per, progress);
}

std::unique_ptr<Otf2EventSource> OpenOtf2Source(const LoadedInput& input, size_t number) {
  return std::make_unique<ArchiveSource>(input.archive, ProcessId(static_cast<uint32_t>(number)));
}

}  // namespace syncline
