// Reads OTF2 archives: their messages and collectives, for estimation, checks and later passes.
//
// The events of an archive are read once and kept (trace/kept_archive.h); only names are read
// again. Without libotf2 every function fails with kUnsupported.
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "base/try.h"
#include "match/channel_messages.h"
#include "match/collective_messages.h"
#include "trace/formats.h"
#include "trace/kept_archive.h"
#include "trace/kept_cursor.h"

namespace syncline {

namespace {

ClockPer ClockPerOf(const std::string& text) {
  return text == "node"       ? ClockPer::kNode
         : text == "location" ? ClockPer::kLocation
                              : ClockPer::kProcess;
}

// The collectives of one location.
class CollectiveCursor {
 public:
  CollectiveCursor(const LoadedArchive& archive, ProcessId process)
      : archive_(&archive), process_(process) {}

  ProcessId process() const { return process_; }
  const CollectiveRecord* Next() {
    if (next_ == some_.size() && !is_at_end_) {
      some_ = archive_->IsElsewhere(process_) ? archive_->dealt->NextCollectives(process_)
                                              : archive_->CollectivesFrom(process_, record_);
      next_ = 0;
      is_at_end_ = some_.empty();
    }
    return is_at_end_ ? nullptr : &some_[next_++];
  }

 private:
  const LoadedArchive* archive_;
  ProcessId process_;
  size_t record_ = 0;  // of those here
  std::vector<CollectiveRecord> some_;
  size_t next_ = 0;
  bool is_at_end_ = false;
};

class ArchiveLoader {
 public:
  ArchiveLoader(LoadedInput& input, const LoadRequest& request)
      : input_(input),
        loaded_(request.loaded),
        sink_(request.messages),
        collective_sink_(request.collective_messages) {}

  Result<void> Run(const LoadRequest& request) {
    request.progress.Begin("reading " + input_.input.path, 0);
    Stopwatch watch;
    const Otf2Options options{.clock_per = ClockPerOf(request.asked.clock_per),
                              .times = Otf2Times::kArchive};
    std::unique_ptr<DealtArchive> dealt;
    const bool keeps_events = request.asked.needs_events;
    if (ArchiveTeam* team = TeamOfThisRun()) {
      dealt = team->Deal(input_.input.path, options, keeps_events);
    }
    SYNCLINE_ASSIGN(auto archive, Otf2Archive::Open(input_.input.path, options));
    archive_ = std::make_shared<LoadedArchive>(std::move(archive), keeps_events);
    if (dealt) dealt->Divide(archive_->archive);
    archive_->dealt = std::move(dealt);
    SYNCLINE_TRY(Define());
    auto events = KeepEvents(*archive_);
    if (!events) return tl::unexpected(events.error());
    Adopt(*events);
    loaded_.read_s += watch.Restart();
    SYNCLINE_TRY(MatchMessages(*events->pairing, request.asked.inputs.size() == 1));
    archive_->ForgetEnds();
    MatchCollectives();
    loaded_.match_s += watch.Restart();
    input_.kept = archive_;
    loaded_.CountIfEmpty(input_);
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

  Result<void> MatchMessages(const MpiPairing& pairing, bool is_only_input) {
    if (archive_->dealt) return MatchByTeam(pairing, is_only_input);
    ChannelMessages messages(pairing);
    for (const KeptLocation& location : archive_->locations) messages.Add(location.ends);
    ChannelMessages::Reader reader(messages, traces());
    for (auto series = reader.Next(); !series.empty(); series = reader.Next()) {
      for (std::vector<Message>& between : series) {
        for (Message& message : between) message = InTraceSet(message);
      }
      sink_.OnSeries(series);
    }
    return {};
  }

  // Messages stay where they are matched, unless the same clocks may have others.
  Result<void> MatchByTeam(const MpiPairing& pairing, bool is_only_input) {
    std::vector<ClockId> clocks;
    for (const ProcessId process : input_.processes) {
      clocks.push_back(loaded_.traces.processes[process.index()].clock);
    }
    const std::shared_ptr<DealtMessages> team =
        archive_->dealt->MatchMessages(*archive_, pairing, clocks);
    if (is_only_input) {
      loaded_.pairs = team->TakePairs();
      loaded_.messages.Share(team);
      return {};
    }
    return team->ForEach([this](const Message& m) { sink_.OnMessage(InTraceSet(m)); });
  }

  Message InTraceSet(Message message) const {
    message.send.process = input_.processes[message.send.process.index()];
    message.receive.process = input_.processes[message.receive.process.index()];
    return message;
  }

  // One collective of each process after the other, so that few are incomplete at once.
  void MatchCollectives() {
    CollectiveMessages collectives(loaded_.traces.groups, archive_->archive.names(),
                                   collective_sink_);
    std::vector<CollectiveCursor> cursors;
    for (uint32_t i = 0; i < archive_->locations.size(); ++i) {
      cursors.emplace_back(*archive_, ProcessId(i));
    }
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (CollectiveCursor& cursor : cursors) {
        bool has_ended = false;
        while (!has_ended) {
          const CollectiveRecord* next = cursor.Next();
          if (next == nullptr) break;
          const NumberedRecord& record = next->record;
          collectives.Add(archive_->EventOf(cursor.process(), record, next->time), record.index(),
                          record.has_received() ? 1 : 0);
          has_ended = record.kind() == EventKind::kCollectiveEnd;
        }
        is_more |= has_ended;
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

// What was kept of one location, which is fetched with its first event.
class KeptCursor : public EventCursor {
 public:
  KeptCursor(const LoadedArchive& archive, uint32_t number)
      : EventCursor({archive.processes[number]}), archive_(archive), location_(number) {}

  const TraceEvent* Next() override {
    const KeptLocation& kept = Kept();
    if (leaves_out_marks_) {
      if (next_record_ == kept.records.size()) return nullptr;
      index_ = kept.records[next_record_].index();
    }
    if (index_ == kept.times.size()) return nullptr;
    next_ = {.index = index_, .number = location_.value};
    const LocalTime time = archive_.TimeOf(location_, kept.times[index_]);
    if (next_record_ < kept.records.size() && kept.records[next_record_].index() == index_) {
      Describe(kept.records[next_record_++], time);
    } else {
      next_.event = {.time = time, .process = processes()[0]};
    }
    ++index_;
    return &next_;
  }

  Result<std::vector<LocalTime>> TakeTimes() override {
    leaves_out_marks_ = true;
    std::vector<LocalTime> times;
    times.reserve(Kept().times.size());
    const Otf2ClockOffsets& offsets = archive_.archive.clock_offsets(location_);
    for (const uint64_t time : Kept().times) times.push_back(offsets.Corrected(time));
    return times;
  }

 private:
  const KeptLocation& Kept() {
    if (!kept_) kept_ = archive_.Location(location_);
    return *kept_;
  }

  void Describe(const NumberedRecord& record, LocalTime time) {
    next_.event = archive_.EventOf(location_, record, time);
    next_.has_message = true;
    if (record.is_transfer()) return;
    next_.name = archive_.archive.names()[next_.event.name];
    const bool is_begin = next_.event.kind == EventKind::kCollectiveBegin;
    // Without bytes at either end none are recorded.
    const bool receives_nothing =
        !is_begin && next_.name == "reduce_scatter" && next_.event.bytes > 0;
    // Elsewhere members without data are in the collective all the same.
    if (!next_.name.ends_with('v') && !next_.name.ends_with('w') && !receives_nothing) return;
    next_.moves_nothing = is_begin ? next_.event.bytes == 0 : !record.has_received();
  }

  const LoadedArchive& archive_;
  ProcessId location_;
  std::shared_ptr<const KeptLocation> kept_;
  uint64_t index_ = 0;
  size_t next_record_ = 0;
  bool leaves_out_marks_ = false;
  TraceEvent next_;
};

// Of an MPI record that is part of nothing that was matched.
std::string_view NameOf(MpiKind kind) {
  switch (kind) {
    case MpiKind::kSend:
    case MpiKind::kImmediateSend: return "unmatched send";
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete: return "unmatched receive";
    case MpiKind::kSendComplete: return "send complete";
    case MpiKind::kReceivePosted: return "receive posted";
    case MpiKind::kCancelled: return "cancelled";
    default: return "";
  }
}

// Reads one location again beside what was kept of it, for names.
class NamedCursor : public EventCursor {
 public:
  NamedCursor(const LoadedArchive& archive, uint32_t number)
      : EventCursor({archive.processes[number]}),
        archive_(archive),
        kept_(archive, number),
        location_(number) {}

  // The file is open from the first event to the last: there may be thousands of locations.
  const TraceEvent* Next() override {
    if (is_at_end_) return nullptr;
    if (!read_) {
      auto location = archive_.archive.OpenLocation(location_);
      if (!location) return Stop(location.error());
      read_.emplace(std::move(*location));
    }
    const Event* event = read_->Next();
    if (read_->error()) return Stop(*read_->error());
    const TraceEvent* kept = kept_.Next();
    if ((event == nullptr) != (kept == nullptr)) {
      return StopChanged(archive_.archive.events_file(location_));
    }
    if (event == nullptr) {
      is_at_end_ = true;
      read_.reset();
      return nullptr;
    }
    next_ = *kept;
    if (!kept->has_message) {
      Name(*event);
    } else if (kept->event.kind == EventKind::kCollectiveEnd) {
      next_.event.bytes = read_->operation().bytes_received;
    }
    return &next_;
  }

 private:
  void Name(const Event& event) {
    // MPI events without partner are marks: nothing but their kind is known for certain.
    const bool is_region = event.kind == EventKind::kEnter || event.kind == EventKind::kLeave;
    if (is_region) next_.event.kind = event.kind;
    const std::string_view by_kind = NameOf(read_->operation().kind);
    next_.name = by_kind.empty() ? std::string_view(archive_.archive.names()[event.name]) : by_kind;
  }

  const LoadedArchive& archive_;
  KeptCursor kept_;
  ProcessId location_;
  std::optional<Otf2Cursor> read_;
  bool is_at_end_ = false;
  TraceEvent next_;
};

Result<void> LoadArchives(std::span<LoadedInput* const> inputs, const LoadRequest& request) {
  for (LoadedInput* input : inputs) SYNCLINE_TRY(ArchiveLoader(*input, request).Run(request));
  return {};
}

// One cursor for each location. What matching made of events: messages and instances that have all
// their ends are numbered, others are marks.
Result<EventCursors> OpenArchiveEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                       EventDetail detail) {
  return detail == EventDetail::kNames ? CursorsOf<NamedCursor>(input, ArchiveOf(input))
                                       : CursorsOf<KeptCursor>(input, ArchiveOf(input));
}

}  // namespace

const TraceFormat kOtf2Format{.format = Format::kOtf2,
                              .name = "otf2",
                              .recognises = LooksLikeOtf2,
                              .in_program_order = true,
                              .tells_kinds = true,
                              .keeps_times = true,
                              .opens_if_needed = true,
                              .has_own_resolution = true,
                              .load = LoadArchives,
                              .open = OpenArchiveEvents};

}  // namespace syncline
