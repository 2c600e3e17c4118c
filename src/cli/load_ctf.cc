#include "cli/load_ctf.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "cli/host_clocks.h"
#include "cli/kept_ctf.h"
#include "match/rules/rule_matcher.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/field_value.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

RuleValue ToRuleValue(const FieldValue& value) {
  switch (value.kind) {
    case FieldValue::Kind::kSigned:
      return value.as_signed;
    case FieldValue::Kind::kUnsigned:
      return value.as_unsigned;
    case FieldValue::Kind::kReal:
      return value.as_real;
    case FieldValue::Kind::kText:
      return value.text;
    case FieldValue::Kind::kNone:
      break;
  }
  return std::monostate();
}

// What the events of one class have to do with matching.
struct BoundClass {
  RuleBinding binding;
  std::vector<FieldPlace> places;  // of binding.fields()
};

// A trace while it is read, by one thread.
struct OpenTrace {
  LoadedInput* input = nullptr;
  std::unique_ptr<CtfReader> reader;
  std::shared_ptr<KeptCtfTrace> kept;
  std::vector<BoundClass> classes;  // by CtfReader::event_classes()
  Result<void> done;
};

// Traces read at the same time; more only take memory and files.
constexpr size_t kReadAtOnce = kMaxThreads;

class CtfLoader {
 public:
  CtfLoader(std::span<const Rule> rules, LoadedTraces& loaded, MessageSink& sink,
            Progress& progress)
      : rules_(rules),
        loaded_(loaded),
        sink_(sink),
        progress_(progress),
        hosts_(loaded),
        matcher_(rules) {}

  Result<void> Run(const std::vector<LoadedInput*>& inputs) {
    uint64_t bytes = 0;
    for (const LoadedInput* input : inputs) bytes += input->input.bytes;
    progress_.Begin("reading CTF", bytes);
    Stopwatch watch;
    for (size_t first = 0; first < inputs.size(); first += kReadAtOnce) {
      const size_t count = std::min(kReadAtOnce, inputs.size() - first);
      if (auto done = Load(std::span(inputs).subspan(first, count)); !done) return done;
    }
    loaded_.read_s += watch.Restart();
    if (auto done = Match(); !done) return done;
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  Result<void> Load(std::span<LoadedInput* const> inputs);
  Result<OpenTrace> Open(LoadedInput& input);
  void Define(LoadedInput& input, CtfReader& reader, KeptCtfTrace& kept);
  std::string ProcessName(const LoadedInput& input, const std::string& host,
                          const CtfStream& stream) const;
  std::vector<BoundClass> Bind(const CtfReader& reader);
  Result<void> ReadStreams(OpenTrace& trace);
  Result<void> ReadStream(ProcessId process, CtfStream& stream,
                          const std::vector<BoundClass>& classes, KeptCtfStream& kept);
  void Close(OpenTrace& trace);
  void CountDefects(const CtfStream& stream);
  Result<void> Match();
  std::string WhyNoCandidates() const;

  std::span<const Rule> rules_;
  LoadedTraces& loaded_;
  MessageSink& sink_;
  Progress& progress_;
  HostClocks hosts_;
  std::mutex mutex_;  // guards matcher_ while traces are read
  RuleMatcher matcher_;
  std::set<std::string> process_names_;
  std::set<std::string> event_names_;
  bool has_candidates_ = false;
};

Result<void> CtfLoader::Load(std::span<LoadedInput* const> inputs) {
  std::vector<OpenTrace> traces;
  for (LoadedInput* input : inputs) {
    auto trace = Open(*input);
    if (!trace) return tl::unexpected(trace.error());
    traces.push_back(std::move(*trace));
  }
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
  OpenTrace trace{&input, std::move(*reader), std::make_shared<KeptCtfTrace>(), {}, {}};
  Define(input, *trace.reader, *trace.kept);
  trace.classes = Bind(*trace.reader);
  return trace;
}

// What the threads made, in the order of inputs.
void CtfLoader::Close(OpenTrace& trace) {
  LoadedInput& input = *trace.input;
  for (size_t i = 0; i < trace.kept->streams.size(); ++i) {
    const std::vector<LocalTime>& times = trace.kept->streams[i].times;
    const ClockId clock = loaded_.traces.processes[input.processes[i].index()].clock;
    for (const LocalTime time : times) loaded_.spans[clock.index()].Include(time);
    CountDefects(*trace.reader->streams()[i]);
    input.events += times.size();
  }
  if (input.events == 0) {
    loaded_.diagnostics.Count("no-events", Severity::kWarning, 1, input.input.path);
  }
  input.ctf = std::move(trace.kept);
  progress_.Advance(input.input.bytes);
}

void CtfLoader::Define(LoadedInput& input, CtfReader& reader, KeptCtfTrace& kept) {
  kept.host = HostOfTrace(input.input.name, reader.hostname(), input.input.path);
  kept.clocks = reader.clocks();
  std::vector<ClockId> ids;
  for (uint32_t i = 0; i < kept.clocks.size(); ++i) {
    CtfClock& clock = kept.clocks[i];
    ids.push_back(hosts_.Join(kept.host, clock, input.input.path));
    reader.SetOrigin(i, clock.origin);
    matcher_.NameHost(ids.back(), kept.host);
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
    kept.streams.push_back({stream->file(), stream->clock(), {}});
  }
}

// HOST/CHANNEL, with what tells the trace from others of the host where that is needed.
std::string CtfLoader::ProcessName(const LoadedInput& input, const std::string& host,
                                   const CtfStream& stream) const {
  const std::string short_name = fmt::format("{}/{}", host, stream.channel());
  if (!process_names_.contains(short_name)) return short_name;
  const std::string name = fmt::format("{}/{}/{}", host, input.input.below, stream.channel());
  std::string unique = name;
  for (int number = 2; process_names_.contains(unique); ++number) {
    unique = fmt::format("{}-{}", name, number);
  }
  return unique;
}

std::vector<BoundClass> CtfLoader::Bind(const CtfReader& reader) {
  std::vector<BoundClass> classes;
  for (const CtfEventClass& event_class : reader.event_classes()) {
    event_names_.insert(event_class.name);
    const auto find = [&](std::string_view field) {
      return FieldPlace::Find(event_class.handle, field);
    };
    BoundClass bound{
        BindRules(
            rules_, event_class.name,
            [&](std::string_view field) { return find(field).has_value(); }, loaded_.diagnostics),
        {}};
    for (const std::string& field : bound.binding.fields()) bound.places.push_back(*find(field));
    has_candidates_ |= !bound.binding.empty();
    matcher_.Note(bound.binding);
    classes.push_back(std::move(bound));
  }
  return classes;
}

Result<void> CtfLoader::ReadStreams(OpenTrace& trace) {
  for (size_t i = 0; i < trace.kept->streams.size(); ++i) {
    auto done = ReadStream(trace.input->processes[i], *trace.reader->streams()[i], trace.classes,
                           trace.kept->streams[i]);
    if (!done) return done;
  }
  return {};
}

Result<void> CtfLoader::ReadStream(ProcessId process, CtfStream& stream,
                                   const std::vector<BoundClass>& classes, KeptCtfStream& kept) {
  const ClockId clock = loaded_.traces.processes[process.index()].clock;
  std::vector<RuleValue> values;
  while (const CtfEvent* event = stream.Next()) {
    kept.times.push_back(event->time);
    const BoundClass& bound = classes[event->event_class];
    if (bound.binding.empty()) continue;
    values.clear();
    for (const FieldPlace& place : bound.places) {
      values.push_back(ToRuleValue(place.Read(event->handle)));
    }
    const std::lock_guard lock(mutex_);
    auto done = matcher_.Add(bound.binding, values, {process, event->index, event->time}, clock);
    if (!done) return done;
  }
  if (stream.error()) return tl::unexpected(*stream.error());
  kept.times.shrink_to_fit();
  return {};
}

void CtfLoader::CountDefects(const CtfStream& stream) {
  const CtfStreamDefects& defects = stream.defects();
  const auto count = [&](std::string_view name, Severity severity, uint64_t number,
                         const std::string& example) {
    if (number > 0) loaded_.diagnostics.Count(name, severity, number, example);
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

Result<void> CtfLoader::Match() {
  if (!has_candidates_) {
    return Fail(ErrorCode::kNoCorrection, WhyNoCandidates());
  }
  auto counts = matcher_.Finish(sink_, loaded_.diagnostics);
  if (!counts) return tl::unexpected(counts.error());
  for (const RuleMatchCounts& rule : *counts) {
    loaded_.unmatched_sends += rule.unmatched_sends;
    loaded_.unmatched_receives += rule.unmatched_receives;
  }
  return {};
}

std::string CtfLoader::WhyNoCandidates() const {
  constexpr size_t kMost = 12;
  std::string names;
  for (const std::string& name : event_names_) {
    if (!names.empty()) names += ", ";
    if (names.size() > 0 &&
        static_cast<size_t>(std::count(names.begin(), names.end(), ',')) >= kMost) {
      names += "…";
      break;
    }
    names += name;
  }
  if (names.empty()) return "the CTF traces hold no events";
  return fmt::format(
      "no event of the CTF traces can be part of a message: there are no network events of the "
      "kernel, and {}; say what belongs together by --match or --rules. There are: {}",
      rules_.empty() ? "no rule is given" : "no rule names an event with its fields", names);
}

}  // namespace

Result<void> LoadCtf(const std::vector<LoadedInput*>& inputs, std::span<const Rule> rules,
                     LoadedTraces& loaded, MessageSink& sink, Progress& progress) {
  if (inputs.empty()) return {};
  return CtfLoader(rules, loaded, sink, progress).Run(inputs);
}

std::span<const LocalTime> CtfTimes(const LoadedInput& input, size_t number) {
  return input.ctf->streams[number].times;
}

}  // namespace syncline
