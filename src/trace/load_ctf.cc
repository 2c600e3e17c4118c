// Reads CTF traces: clocks of hosts, streams as processes, and the messages that rules or kernel
// network events make of their events.
//
// Every trace is decoded once, stream by stream; the times of all events are kept
// (trace/kept_ctf.h), in little memory, and serve all later passes but the writing of events.
// Without libbabeltrace2 LoadCtf fails with kUnsupported. Errors: those of the reader;
// kNoCorrection where no event of any trace can be part of a message. Tested by:
// ctf_command_test.cc.
#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/child_process.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "base/unique_name.h"
#include "read/ctf/ctf_child.h"
#include "read/ctf/trace_folder.h"
#include "trace/ctf_elsewhere.h"
#include "trace/ctf_matching.h"
#include "trace/file_team.h"
#include "trace/formats.h"
#include "trace/host_clocks.h"
#include "trace/kept_ctf.h"
#include "trace/kept_cursor.h"

namespace syncline {
namespace {

// A trace while it is read, by one child and one thread.
struct OpenTrace {
  LoadedInput* input = nullptr;
  std::shared_ptr<KeptCtfTrace> kept;
  CtfTraceInfo info;
  std::vector<CtfBoundClass> classes;
  // By stream.
  std::vector<ClockSpan> spans;
  std::vector<SeenSetBacks> set_backs;
  Diagnostics diagnostics;
  Result<void> done;
};

// The traces that one child reads, one stream after the other.
struct Share {
  std::vector<size_t> traces;
  CtfChild child;
  bool is_elsewhere = false;                    // the child is another process's
  size_t next = 0;                              // of the traces
  std::optional<size_t> stream = {};            // of it; none: it has not begun
  std::optional<SetBackFinder> set_backs = {};  // of the stream
};

void CountDefects(const std::string& file, const CtfStreamDefects& defects,
                  Diagnostics& diagnostics) {
  diagnostics.Count("time-steps-back", Severity::kInfo, defects.steps_back,
                    fmt::format("{}: event {}; {} cycles at most", file, defects.first_step,
                                defects.largest_step));
  const char* least = defects.loss_is_least ? " at least" : "";
  diagnostics.Count("discarded-events", Severity::kWarning, defects.lost_events,
                    fmt::format("{}: {}{}", file, defects.lost_events, least));
  diagnostics.Count("discarded-packets", Severity::kWarning, defects.lost_packets,
                    fmt::format("{}: {}{}", file, defects.lost_packets, least));
  diagnostics.Count("time-out-of-range", Severity::kWarning, defects.out_of_range, file);
}

void CountCuts(const ReadableFolder& readable, Diagnostics& diagnostics) {
  for (const CutFile& cut : readable.cuts()) {
    diagnostics.Count("stream-cut-off", Severity::kWarning, 1,
                      fmt::format("{}: the last {} of {} bytes are an incomplete packet", cut.path,
                                  cut.bytes - cut.whole_bytes, cut.bytes));
  }
}

class CtfLoader {
 public:
  explicit CtfLoader(const LoadRequest& request)
      : loaded_(request.loaded),
        sink_(request.messages),
        progress_(request.progress),
        keeps_times_(request.asked.needs_events),
        hosts_(request.loaded),
        matching_(request.asked.rules, request.loaded) {}

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    progress_.Begin("reading CTF", BytesOf(inputs));
    Stopwatch watch;
    SYNCLINE_TRY(Load(inputs));
    loaded_.read_s += watch.Restart();
    SYNCLINE_TRY(matching_.Finish(sink_));
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  // All are described first: the matchers know all hosts and streams beforehand.
  Result<void> Load(std::span<LoadedInput* const> inputs) {
    SYNCLINE_ASSIGN(auto traces, Open(inputs));
    SYNCLINE_ASSIGN(auto shares, StartChildren(traces));
    SYNCLINE_TRY(Describe(traces, shares));
    std::vector<ProcessId> streams;
    for (OpenTrace& trace : traces) {
      Define(trace);
      const std::vector<ProcessId>& of_trace = trace.input->processes;
      streams.insert(streams.end(), of_trace.begin(), of_trace.end());
    }
    matching_.Begin(streams);
    ReadAll(traces, shares);
    for (const OpenTrace& trace : traces) {
      if (!trace.done) return trace.done;
    }
    for (OpenTrace& trace : traces) Close(trace);
    return {};
  }

  Result<std::vector<OpenTrace>> Open(std::span<LoadedInput* const> inputs) {
    std::vector<OpenTrace> traces;
    for (LoadedInput* input : inputs) {
      SYNCLINE_ASSIGN(auto readable, ReadableFolder::Of(input->input.path));
      traces.push_back({.input = input, .kept = std::make_shared<KeptCtfTrace>()});
      traces.back().kept->readable = std::move(readable);
    }
    return traces;
  }

  // By process, and child of it: which traces.
  static std::vector<std::vector<std::vector<size_t>>> Deal(const std::vector<OpenTrace>& traces,
                                                            size_t processes) {
    std::vector<const Input*> inputs;
    for (const OpenTrace& trace : traces) inputs.push_back(&trace.input->input);
    const std::vector<size_t> readers = DealFiles(inputs, processes);
    std::vector<std::vector<std::vector<size_t>>> dealt;
    for (size_t process = 0; process < processes; ++process) {
      std::vector<size_t> of_process;
      std::vector<uint64_t> sizes;
      for (size_t i = 0; i < traces.size(); ++i) {
        if (readers[i] != process) continue;
        of_process.push_back(i);
        sizes.push_back(traces[i].kept->readable->bytes());
      }
      auto& children = dealt.emplace_back();
      if (!of_process.empty()) children = SharesOf(sizes);
      for (std::vector<size_t>& of_child : children) {
        for (size_t& i : of_child) i = of_process[i];
      }
    }
    return dealt;
  }

  Result<std::vector<Share>> StartChildren(const std::vector<OpenTrace>& traces) {
    FileTeam* const team = questions_.team();
    const auto dealt = Deal(traces, team != nullptr ? team->processes() : 1);
    const std::vector<std::string> fields = matching_.Fields();
    std::vector<Share> shares;
    for (size_t process = dealt.size(); process-- > 0;) {
      const size_t children = dealt[process].size();
      for (size_t number = 0; number < children; ++number) {
        ReadableFolders folders;
        for (const size_t i : dealt[process][number]) folders.push_back(traces[i].kept->readable);
        if (process == 0) {
          const ChildLimits limits = CtfChildLimits(folders, children);
          SYNCLINE_ASSIGN(auto child, CtfChild::Start(std::move(folders), fields, limits));
          shares.push_back({dealt[process][number], std::move(child)});
        } else {
          auto frames =
              std::make_unique<FramesElsewhere>(*team, process, number, children, folders, fields);
          shares.push_back({dealt[process][number],
                            CtfChild::Around(std::move(frames), std::move(folders)), true});
        }
      }
    }
    return shares;
  }

  static Result<void> Describe(std::vector<OpenTrace>& traces, std::vector<Share>& shares) {
    for (Share& share : shares) {
      for (const size_t i : share.traces) {
        SYNCLINE_ASSIGN(traces[i].info, share.child.Describe());
      }
    }
    return {};
  }

  void Define(OpenTrace& trace) {
    LoadedInput& input = *trace.input;
    KeptCtfTrace& kept = *trace.kept;
    kept.host = HostOfTrace(input.input.name, trace.info.hostname, input.input.path);
    kept.clocks = trace.info.clocks;
    CountCuts(*kept.readable, loaded_.diagnostics);
    CheckHostname(input, trace.info.hostname);
    std::vector<ClockId> ids;
    for (uint32_t i = 0; i < kept.clocks.size(); ++i) {
      CtfClock& clock = kept.clocks[i];
      ids.push_back(hosts_.Join(kept.host, clock, input.input.path));
      matching_.NameHost(ids.back(), kept.host);
      const auto rate = static_cast<int64_t>(clock.frequency);
      input.ticks_per_second = i == 0 ? rate : std::min(input.ticks_per_second, rate);
    }
    for (const CtfStreamInfo& stream : trace.info.streams) {
      if (!stream.clock) {
        loaded_.diagnostics.Count("stream-without-clock", Severity::kWarning, 1, stream.file);
      }
      // Without any clock there is nothing that a process could be.
      if (ids.empty()) continue;
      const std::string name = ProcessName(input, kept.host, stream);
      input.processes.push_back(loaded_.AddProcess({name, name, ids[stream.clock.value_or(0)]}));
      input.first_event.push_back(0);
      kept.streams.push_back(
          {.file = stream.file, .clock = stream.clock, .times = TimeStore(times_)});
    }
    trace.spans.resize(kept.streams.size());
    trace.set_backs.resize(kept.streams.size());
    trace.classes = matching_.Bind(trace.info);
  }

  // A name that is given to traces of several hosts makes their clocks one.
  void CheckHostname(const LoadedInput& input, const std::string& hostname) {
    if (!input.input.is_named || hostname.empty()) return;
    const std::string& first = hostnames_.emplace(input.input.name, hostname).first->second;
    if (first == hostname) return;
    loaded_.diagnostics.Count(
        "one-name-for-hosts", Severity::kWarning, 1,
        fmt::format("{} is given to traces of {} and {}", input.input.name, first, hostname));
  }

  // HOST/CHANNEL, with what tells the trace from others of the host where that is needed.
  std::string ProcessName(const LoadedInput& input, const std::string& host,
                          const CtfStreamInfo& stream) {
    std::string short_name = fmt::format("{}/{}", host, stream.channel);
    if (process_names_.insert(short_name).second) return short_name;
    return UniqueName(fmt::format("{}/{}/{}", host, input.input.below, stream.channel),
                      process_names_);
  }

  // Those of other processes by a thread of their own, a batch of each in turn.
  void ReadAll(std::vector<OpenTrace>& traces, std::vector<Share>& shares) {
    std::vector<Share*> here, elsewhere;
    for (Share& share : shares) (share.is_elsewhere ? elsewhere : here).push_back(&share);
    const auto read_elsewhere = [&] {
      while (!elsewhere.empty()) {
        std::erase_if(elsewhere, [&](Share* share) { return !GoOn(traces, *share); });
      }
    };
    std::future<void> others;
    try {
      if (!elsewhere.empty()) others = std::async(std::launch::async, read_elsewhere);
    } catch (const std::system_error&) {
      // Without a thread, afterwards.
    }
    ForEachParallel(here.size(), [&](size_t i) {
      while (GoOn(traces, *here[i])) {
      }
    });
    if (others.valid()) others.get();
    read_elsewhere();
  }

  // Reads a batch, or begins or ends something. False where there is nothing more, or an error.
  bool GoOn(std::vector<OpenTrace>& traces, Share& share) {
    if (share.next == share.traces.size()) return false;
    OpenTrace& trace = traces[share.traces[share.next]];
    if (!share.stream) {
      BeginTrace(trace, share);
    } else if (*share.stream < trace.kept->streams.size()) {
      trace.done = ReadSome(trace, share);
      return trace.done.has_value();
    } else {
      ++share.next;
      share.stream.reset();
    }
    return true;
  }

  void BeginTrace(const OpenTrace& trace, Share& share) {
    CtfRequest request;
    for (const CtfClock& clock : trace.kept->clocks) request.origins.push_back(clock.origin);
    for (const CtfBoundClass& bound : trace.classes) request.classes.push_back(bound.request);
    share.child.BeginTrace(trace.info, std::move(request));
    share.stream = 0;
  }

  Result<void> ReadSome(OpenTrace& trace, Share& share) {
    const size_t number = *share.stream;
    if (!share.set_backs) {
      const ProcessId process = trace.input->processes[number];
      const ClockId clock = loaded_.traces.processes[process.index()].clock;
      share.set_backs.emplace(SetBackRuleOf(loaded_.traces.clocks[clock.index()]));
    }
    SYNCLINE_ASSIGN(CtfBatch* const batch, share.child.Next());
    if (batch == nullptr) {
      EndStream(trace, number, share);
      return {};
    }
    SYNCLINE_TRY(progress_.CheckGoesOn());
    KeptCtfStream& kept = trace.kept->streams[number];
    for (const LocalTime time : batch->times()) {
      trace.spans[number].Include(time);
      share.set_backs->Add(time);
      if (keeps_times_) SYNCLINE_TRY(kept.times.Add(time));
    }
    return Match(trace, number, *batch);
  }

  static void EndStream(OpenTrace& trace, size_t number, Share& share) {
    KeptCtfStream& kept = trace.kept->streams[number];
    const CtfStreamDefects& defects = share.child.defects();
    trace.set_backs[number] = share.set_backs->Finish();
    kept.is_out_of_order = defects.is_out_of_order;
    CountDefects(kept.file, defects, trace.diagnostics);
    share.set_backs.reset();
    ++*share.stream;
  }

  Result<void> Match(const OpenTrace& trace, size_t number, CtfBatch& batch) {
    while (const CtfWantedEvent* event = batch.NextWanted()) {
      SYNCLINE_ASSIGN(auto bytes, matching_.Add(trace.classes[event->event_class],
                                                trace.input->processes[number], *event));
      if (bytes > 0) trace.kept->streams[number].sizes.push_back({event->index, bytes});
    }
    return {};
  }

  // What the threads made, in the order of inputs.
  void Close(OpenTrace& trace) {
    LoadedInput& input = *trace.input;
    for (size_t i = 0; i < trace.kept->streams.size(); ++i) {
      const ClockId clock = loaded_.traces.processes[input.processes[i].index()].clock;
      loaded_.spans[clock.index()].Merge(trace.spans[i]);
      input.events += trace.spans[i].events;
      loaded_.SetSeen(input.processes[i], std::move(trace.set_backs[i]));
    }
    loaded_.CountIfEmpty(input);
    loaded_.diagnostics.Merge(trace.diagnostics);
    input.kept = std::move(trace.kept);
    progress_.Advance(input.input.bytes);
  }

  LoadedTraces& loaded_;
  MessageSink& sink_;
  Progress& progress_;
  bool keeps_times_;
  FileQuestions questions_{FileTeamOfThisRun()};
  HostClocks hosts_;
  CtfMatching matching_;
  std::shared_ptr<SpillSpace> times_ = std::make_shared<SpillSpace>();
  std::map<std::string, std::string> hostnames_;  // by given name
  std::set<std::string> process_names_;
};

// The kept times of one stream, on the host's clock.
class KeptStreamCursor : public KeptTimesCursor {
 public:
  KeptStreamCursor(const LoadedInput& input, size_t number)
      : KeptTimesCursor(input, number, CtfTraceOf(input).streams[number].times),
        kept_(CtfTraceOf(input).streams[number]),
        sizes_(kept_.sizes) {}

  const TraceEvent* Next() override {
    if (!leaves_out_marks_) return KeptTimesCursor::Next();
    return sizes_.empty() ? nullptr : Make(sizes_.front().event, {});
  }

  Result<std::vector<LocalTime>> TakeTimes() override {
    leaves_out_marks_ = true;
    return kept_.times.All();
  }

 private:
  void Describe(TraceEvent& event) override {
    if (sizes_.empty() || sizes_.front().event != event.index) return;
    event.event.bytes = sizes_.front().bytes;
    sizes_ = sizes_.subspan(1);
  }

  const KeptCtfStream& kept_;
  std::span<const CtfMessageSize> sizes_;
  bool leaves_out_marks_ = false;
};

// A trace that is read again for the names of its events.
struct NamedTrace {
  CtfTraceInfo info;
  CtfChild child;
};

// Reads one stream again beside what was kept of it; streams follow one another.
class NamedStreamCursor : public EventCursor {
 public:
  NamedStreamCursor(const LoadedInput& input, size_t number, std::shared_ptr<NamedTrace> trace)
      : EventCursor({input.processes[number]}),
        kept_(input, number),
        number_(number),
        trace_(std::move(trace)) {}

  const TraceEvent* Next() override {
    if (is_at_end_) return nullptr;
    while (batch_ == nullptr || in_batch_ == batch_->times().size()) {
      auto batch = trace_->child.Next();
      if (!batch) return Stop(batch.error());
      batch_ = *batch;
      in_batch_ = 0;
      if (batch_ == nullptr) break;
    }
    const TraceEvent* kept = kept_.Next();
    if (kept_.error()) return Stop(*kept_.error());
    if ((batch_ == nullptr) != (kept == nullptr)) {
      return StopChanged(trace_->info.streams[number_].file);
    }
    is_at_end_ = kept == nullptr;
    if (is_at_end_) return nullptr;
    next_ = *kept;
    next_.name = trace_->info.classes[batch_->class_numbers()[in_batch_++]].name;
    return &next_;
  }

 private:
  KeptStreamCursor kept_;
  size_t number_;
  std::shared_ptr<NamedTrace> trace_;
  CtfBatch* batch_ = nullptr;
  size_t in_batch_ = 0;
  bool is_at_end_ = false;
  TraceEvent next_;
};

Result<std::shared_ptr<NamedTrace>> OpenForNames(const LoadedInput& input) {
  const KeptCtfTrace& kept = CtfTraceOf(input);
  const ReadableFolders folders = {kept.readable};
  SYNCLINE_ASSIGN(CtfChild child, CtfChild::Start(folders, {}, CtfChildLimits(folders, 1)));
  SYNCLINE_ASSIGN(CtfTraceInfo info, child.Describe());
  // Of a trace without clocks there are none.
  if (!input.processes.empty() && info.streams.size() != input.processes.size()) {
    return Fail(ErrorCode::kUnreadable, "has changed while it was read", input.input.path);
  }
  CtfRequest request{.class_numbers = CtfRequest::Numbers::kOfAllEvents};
  for (const CtfClock& clock : kept.clocks) request.origins.push_back(clock.origin);
  auto trace = std::make_shared<NamedTrace>(NamedTrace{std::move(info), std::move(child)});
  trace->child.BeginTrace(trace->info, std::move(request));
  return trace;
}

// One cursor for each stream. Names are read again, in a process of its own: their cursors must be
// read in their order, each to its end.
Result<EventCursors> OpenCtfEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                   EventDetail detail) {
  if (detail != EventDetail::kNames) return CursorsOf<KeptStreamCursor>(input, input);
  SYNCLINE_ASSIGN(const auto named, OpenForNames(input));
  EventCursors cursors;
  for (size_t i = 0; i < input.processes.size(); ++i) {
    cursors.push_back(std::make_unique<NamedStreamCursor>(input, i, named));
  }
  return cursors;
}

}  // namespace

const TraceFormat kCtfFormat{
    .format = Format::kCtf,
    .name = "ctf",
    .in_program_order = true,
    .keeps_times = true,
    .opens_if_needed = true,
    .has_own_resolution = true,
    .load = [](auto inputs, const LoadRequest& request) { return CtfLoader(request).Run(inputs); },
    .open = OpenCtfEvents,
    .serve = ServeCtfTraces};

}  // namespace syncline
