#include "trace/load_ctf.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/trace_folder.h"
#include "trace/ctf_matching.h"
#include "trace/host_clocks.h"
#include "trace/kept_ctf.h"

namespace syncline {
namespace {

// A trace while it is read, by one thread.
struct OpenTrace {
  LoadedInput* input = nullptr;
  std::unique_ptr<CtfReader> reader;  // until it is read
  std::shared_ptr<KeptCtfTrace> kept;
  std::vector<CtfBoundClass> classes;  // by CtfReader::event_classes()
  // By stream.
  std::vector<ClockSpan> spans;
  std::vector<SeenSetBacks> set_backs;
  Diagnostics diagnostics;
  Result<void> done;
};

// Every stream is a file; systems allow more than they do by default.
void AllowManyFiles() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void CountDefects(const CtfStream& stream, Diagnostics& diagnostics) {
  const CtfStreamDefects& defects = stream.defects();
  const auto count = [&](std::string_view name, Severity severity, uint64_t number,
                         const std::string& example) {
    if (number > 0) diagnostics.Count(name, severity, number, example);
  };
  const std::string& file = stream.file();
  count("time-steps-back", Severity::kInfo, defects.steps_back,
        fmt::format("{}: event {}; {} cycles at most", file, defects.first_step,
                    defects.largest_step));
  const char* least = defects.loss_is_least ? " at least" : "";
  count("discarded-events", Severity::kWarning, defects.lost_events,
        fmt::format("{}: {}{}", file, defects.lost_events, least));
  count("discarded-packets", Severity::kWarning, defects.lost_packets,
        fmt::format("{}: {}{}", file, defects.lost_packets, least));
  count("time-out-of-range", Severity::kWarning, defects.out_of_range, file);
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
        hosts_(request.loaded),
        matching_(request.asked.rules, request.loaded) {}

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    uint64_t bytes = 0;
    for (const LoadedInput* input : inputs) bytes += input->input.bytes;
    progress_.Begin("reading CTF", bytes);
    Stopwatch watch;
    if (auto done = Load(inputs); !done) return done;
    loaded_.read_s += watch.Restart();
    if (auto done = matching_.Finish(sink_); !done) return done;
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  Result<void> Load(std::span<LoadedInput* const> inputs);
  Result<OpenTrace> Open(LoadedInput& input);
  void Define(LoadedInput& input, CtfReader& reader, KeptCtfTrace& kept);
  void CheckHostname(const LoadedInput& input, const std::string& hostname);
  std::string ProcessName(const LoadedInput& input, const std::string& host,
                          const CtfStream& stream) const;
  Result<void> ReadStreams(OpenTrace& trace);
  Result<void> ReadStream(OpenTrace& trace, size_t number);
  void Close(OpenTrace& trace);

  LoadedTraces& loaded_;
  MessageSink& sink_;
  Progress& progress_;
  HostClocks hosts_;
  CtfMatching matching_;
  std::shared_ptr<TimeSpace> times_ = std::make_shared<TimeSpace>();
  std::map<std::string, std::string> hostnames_;  // by given name
  std::set<std::string> process_names_;
};

// All are opened first: the matchers know all hosts and streams beforehand.
Result<void> CtfLoader::Load(std::span<LoadedInput* const> inputs) {
  AllowManyFiles();
  std::vector<OpenTrace> traces;
  for (LoadedInput* input : inputs) {
    auto trace = Open(*input);
    if (!trace) return tl::unexpected(trace.error());
    traces.push_back(std::move(*trace));
  }
  std::vector<ProcessId> streams;
  for (const OpenTrace& trace : traces) {
    const std::vector<ProcessId>& of_trace = trace.input->processes;
    streams.insert(streams.end(), of_trace.begin(), of_trace.end());
  }
  matching_.Begin(streams);
  ForEachParallel(traces.size(), [&](size_t i) { traces[i].done = ReadStreams(traces[i]); });
  for (OpenTrace& trace : traces) {
    if (!trace.done) return trace.done;
    Close(trace);
  }
  return {};
}

Result<OpenTrace> CtfLoader::Open(LoadedInput& input) {
  auto reader = CtfReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  OpenTrace trace{
      .input = &input, .reader = std::move(*reader), .kept = std::make_shared<KeptCtfTrace>()};
  Define(input, *trace.reader, *trace.kept);
  trace.spans.resize(trace.kept->streams.size());
  trace.set_backs.resize(trace.kept->streams.size());
  trace.classes = matching_.Bind(*trace.reader);
  return trace;
}

// What the threads made, in the order of inputs.
void CtfLoader::Close(OpenTrace& trace) {
  LoadedInput& input = *trace.input;
  for (size_t i = 0; i < trace.kept->streams.size(); ++i) {
    const ClockId clock = loaded_.traces.processes[input.processes[i].index()].clock;
    loaded_.spans[clock.index()].Merge(trace.spans[i]);
    input.events += trace.spans[i].events;
    loaded_.SetSeen(input.processes[i], std::move(trace.set_backs[i]));
  }
  if (input.events == 0) {
    loaded_.diagnostics.Count("no-events", Severity::kWarning, 1, input.input.path);
  }
  loaded_.diagnostics.Merge(trace.diagnostics);
  input.kept = std::move(trace.kept);
  progress_.Advance(input.input.bytes);
}

void CtfLoader::Define(LoadedInput& input, CtfReader& reader, KeptCtfTrace& kept) {
  kept.host = HostOfTrace(input.input.name, reader.hostname(), input.input.path);
  kept.clocks = reader.clocks();
  kept.readable = reader.readable();
  CountCuts(*kept.readable, loaded_.diagnostics);
  CheckHostname(input, reader.hostname());
  std::vector<ClockId> ids;
  for (uint32_t i = 0; i < kept.clocks.size(); ++i) {
    CtfClock& clock = kept.clocks[i];
    ids.push_back(hosts_.Join(kept.host, clock, input.input.path));
    reader.SetOrigin(i, clock.origin);
    matching_.NameHost(ids.back(), kept.host);
    const auto rate = static_cast<int64_t>(clock.frequency);
    input.ticks_per_second = i == 0 ? rate : std::min(input.ticks_per_second, rate);
  }
  for (const auto& stream : reader.streams()) {
    if (!stream->clock()) {
      loaded_.diagnostics.Count("stream-without-clock", Severity::kWarning, 1, stream->file());
    }
    // Without any clock there is nothing that a process could be.
    if (ids.empty()) continue;
    const std::string name = ProcessName(input, kept.host, *stream);
    process_names_.insert(name);
    input.processes.push_back(loaded_.AddProcess({name, name, ids[stream->clock().value_or(0)]}));
    input.first_event.push_back(0);
    kept.streams.push_back(
        {.file = stream->file(), .clock = stream->clock(), .times = TimeStore(times_)});
  }
}

// A name that is given to traces of several hosts makes their clocks one.
void CtfLoader::CheckHostname(const LoadedInput& input, const std::string& hostname) {
  if (!input.input.is_named || hostname.empty()) return;
  const std::string& first = hostnames_.emplace(input.input.name, hostname).first->second;
  if (first == hostname) return;
  loaded_.diagnostics.Count(
      "one-name-for-hosts", Severity::kWarning, 1,
      fmt::format("{} is given to traces of {} and {}", input.input.name, first, hostname));
}

// HOST/CHANNEL, with what tells the trace from others of the host where that is needed.
std::string CtfLoader::ProcessName(const LoadedInput& input, const std::string& host,
                                   const CtfStream& stream) const {
  std::string short_name = fmt::format("{}/{}", host, stream.channel());
  if (!process_names_.contains(short_name)) return short_name;
  const std::string name = fmt::format("{}/{}/{}", host, input.input.below, stream.channel());
  std::string unique = name;
  for (int number = 2; process_names_.contains(unique); ++number) {
    unique = fmt::format("{}-{}", name, number);
  }
  return unique;
}

Result<void> CtfLoader::ReadStreams(OpenTrace& trace) {
  for (size_t i = 0; i < trace.kept->streams.size(); ++i) {
    if (auto done = ReadStream(trace, i); !done) return done;
    CountDefects(*trace.reader->streams()[i], trace.diagnostics);
  }
  trace.reader.reset();
  return {};
}

Result<void> CtfLoader::ReadStream(OpenTrace& trace, size_t number) {
  const ProcessId process = trace.input->processes[number];
  CtfStream& stream = *trace.reader->streams()[number];
  KeptCtfStream& kept = trace.kept->streams[number];
  ClockSpan span;
  const ClockId clock = loaded_.traces.processes[process.index()].clock;
  SetBackFinder set_backs(SetBackRuleOf(loaded_.traces.clocks[clock.index()]));
  while (const CtfEvent* event = stream.Next()) {
    if (event->index % TimeStore::kBlock == 0) {
      if (auto goes_on = progress_.CheckGoesOn(); !goes_on) return goes_on;
    }
    span.Include(event->time);
    set_backs.Add(event->time);
    if (auto done = kept.times.Add(event->time); !done) return done;
    const CtfBoundClass& bound = trace.classes[event->event_class];
    if (!bound.IsWanted()) continue;
    auto bytes = matching_.Add(bound, process, *event);
    if (!bytes) return tl::unexpected(bytes.error());
    if (*bytes > 0) kept.sizes.push_back({event->index, *bytes});
  }
  if (stream.error()) return tl::unexpected(*stream.error());
  trace.spans[number] = span;
  trace.set_backs[number] = set_backs.Finish();
  kept.is_out_of_order = stream.defects().is_out_of_order;
  return {};
}

// The kept times of one stream, on the host's clock.
class KeptStreamCursor : public EventCursor {
 public:
  KeptStreamCursor(const LoadedInput& input, size_t number)
      : EventCursor({input.processes[number]}),
        kept_(CtfTraceOf(input).streams[number]),
        number_(static_cast<uint32_t>(number)),
        sizes_(kept_.sizes) {}

  const TraceEvent* Next() override {
    if (leaves_out_marks_) {
      if (sizes_.empty()) return nullptr;
      index_ = sizes_.front().event;
    }
    if (index_ == kept_.times.size()) return nullptr;
    next_ = {.event = {.process = processes()[0]}, .index = index_, .number = number_};
    if (!leaves_out_marks_) {
      const uint64_t in_block = index_ % TimeStore::kBlock;
      if (in_block == 0) {
        auto block = kept_.times.BlockAt(index_ / TimeStore::kBlock);
        if (!block) return Stop(block.error());
        block_ = std::move(*block);
      }
      next_.event.time = block_[in_block];
    }
    if (!sizes_.empty() && sizes_.front().event == index_) {
      next_.event.bytes = sizes_.front().bytes;
      sizes_ = sizes_.subspan(1);
    }
    ++index_;
    return &next_;
  }

  Result<std::vector<LocalTime>> TakeTimes() override {
    leaves_out_marks_ = true;
    return kept_.times.All();
  }

 private:
  const KeptCtfStream& kept_;
  uint32_t number_;
  std::span<const CtfMessageSize> sizes_;
  uint64_t index_ = 0;
  std::vector<LocalTime> block_;
  bool leaves_out_marks_ = false;
  TraceEvent next_;
};

// Reads one stream again beside what was kept of it, for names.
class NamedStreamCursor : public EventCursor {
 public:
  NamedStreamCursor(const LoadedInput& input, size_t number, std::shared_ptr<CtfReader> reader)
      : EventCursor({input.processes[number]}),
        kept_(input, number),
        reader_(std::move(reader)),
        stream_(*reader_->streams()[number]) {}

  const TraceEvent* Next() override {
    const CtfEvent* event = stream_.Next();
    if (stream_.error()) return Stop(*stream_.error());
    const TraceEvent* kept = kept_.Next();
    if (kept_.error()) return Stop(*kept_.error());
    if ((event == nullptr) != (kept == nullptr)) {
      return Stop({.code = ErrorCode::kMalformed,
                   .message = "has changed while it was read",
                   .file = stream_.file()});
    }
    if (event == nullptr) return nullptr;
    next_ = *kept;
    next_.name = reader_->event_classes()[event->event_class].name;
    return &next_;
  }

 private:
  KeptStreamCursor kept_;
  std::shared_ptr<CtfReader> reader_;
  CtfStream& stream_;
  TraceEvent next_;
};

}  // namespace

Result<void> LoadCtf(std::span<LoadedInput* const> inputs, const LoadRequest& request) {
  return CtfLoader(request).Run(inputs);
}

Result<EventCursors> OpenCtfEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                   EventDetail detail) {
  EventCursors cursors;
  std::shared_ptr<CtfReader> reader;
  if (detail == EventDetail::kNames) {
    auto opened = CtfReader::Open(input.input.path);
    if (!opened) return tl::unexpected(opened.error());
    reader = std::move(*opened);
    if (reader->streams().size() != input.processes.size()) {
      return Fail(ErrorCode::kMalformed, "has changed while it was read", input.input.path);
    }
  }
  for (size_t i = 0; i < input.processes.size(); ++i) {
    if (reader) {
      cursors.push_back(std::make_unique<NamedStreamCursor>(input, i, reader));
    } else {
      cursors.push_back(std::make_unique<KeptStreamCursor>(input, i));
    }
  }
  return cursors;
}

}  // namespace syncline
