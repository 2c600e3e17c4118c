#include "trace/load.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "match/named_matcher.h"
#include "read/text/text_reader.h"
#include "trace/clock_epochs.h"
#include "trace/load_captures.h"
#include "trace/load_ctf.h"
#include "trace/load_otf2.h"
#include "trace/match_sink.h"
#include "trace/text_collectives.h"
#include "trace/text_stream.h"

namespace syncline {
namespace {

template <typename T>
void MoveToEnd(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class Loader {
 public:
  Loader(const ResolvedInputs& inputs, Progress& progress)
      : progress_(progress), clock_per_(inputs.clock_per), rules_(inputs.rules) {
    for (const Input& input : inputs.inputs) loaded_.inputs.push_back({.input = input});
    loaded_.diagnostics = inputs.diagnostics;
  }

  Result<LoadedTraces> Run() {
    auto captures = LoadCaptures(InputsOf(Format::kCapture), loaded_, sink_, progress_);
    if (!captures) return tl::unexpected(captures.error());
    if (auto done = LoadTexts(); !done) return tl::unexpected(done.error());
    for (LoadedInput* input : InputsOf(Format::kOtf2)) {
      auto done = LoadOtf2(*input, loaded_, sink_, collective_sink_, clock_per_, progress_);
      if (!done) return tl::unexpected(done.error());
    }
    auto ctf = LoadCtf(InputsOf(Format::kCtf), rules_, loaded_, sink_, progress_);
    if (!ctf) return tl::unexpected(ctf.error());
    if (auto done = AssignEpochs(loaded_); !done) return tl::unexpected(done.error());
    return std::move(loaded_);
  }

 private:
  std::vector<LoadedInput*> InputsOf(Format format) {
    std::vector<LoadedInput*> of_format;
    for (LoadedInput& input : loaded_.inputs) {
      if (input.input.format == format) of_format.push_back(&input);
    }
    return of_format;
  }

  Result<void> LoadTexts();
  Result<void> LoadText(LoadedInput& input, NamedMatcher& matcher, TextCollectives& collectives);
  Result<void> FinishText(const TextStream& stream, LoadedInput& input,
                          TextCollectives& collectives);
  Result<void> AdoptDeclarations(LoadedInput& input, const TraceSet& declared);

  Progress& progress_;
  std::string clock_per_;
  std::span<const Rule> rules_;
  LoadedTraces loaded_;
  MatchSink sink_{loaded_, loaded_.messages};
  MatchSink collective_sink_{loaded_, loaded_.collective_messages};
  // Text: which processes exist, by name, and how many events each has had.
  std::map<std::string, ProcessId> text_processes_;
  std::vector<uint64_t> text_events_;
  std::map<std::string, SetBackFinder> text_set_backs_;  // so far, by name
};

Result<void> Loader::AdoptDeclarations(LoadedInput& input, const TraceSet& declared) {
  while (input.processes.size() < declared.processes.size()) {
    const Process& process = declared.processes[input.processes.size()];
    Clock clock = declared.clocks[process.clock.index()];
    if (input.input.is_named) {
      if (declared.clocks.size() > 1) {
        return Fail(ErrorCode::kUsage, "declares several clocks, so one name cannot be given to it",
                    input.input.path);
      }
      clock.name = input.input.name;
    }
    clock.reading_ns = Clock::ReadingNs(clock.ticks_per_second);
    const ClockId id = loaded_.ClockNamed(clock);
    if (!(loaded_.traces.clocks[id.index()] == clock)) {
      return Fail(ErrorCode::kMalformed,
                  fmt::format("clock {} has another rate or offset in another input", clock.name),
                  input.input.path);
    }
    auto known = text_processes_.find(process.name);
    if (known == text_processes_.end()) {
      const ProcessId added = loaded_.AddProcess({process.name, process.label, id});
      text_events_.resize(added.index() + 1);
      known = text_processes_.emplace(process.name, added).first;
    } else if (loaded_.traces.processes[known->second.index()].clock != id) {
      return Fail(ErrorCode::kMalformed,
                  fmt::format("process {} has another clock in another input", process.name),
                  input.input.path);
    }
    input.processes.push_back(known->second);
    input.first_event.push_back(text_events_[known->second.index()]);
  }
  return {};
}

Result<void> Loader::LoadText(LoadedInput& input, NamedMatcher& matcher,
                              TextCollectives& collectives) {
  auto reader = TextReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  collectives.BeginInput();
  TextStream stream(*std::move(reader), progress_, text_set_backs_);
  TraceSet declared;
  std::vector<std::string> names;
  while (std::optional<TextBatch> batch = stream.Next()) {
    MoveToEnd(batch->declared.clocks, declared.clocks);
    MoveToEnd(batch->declared.processes, declared.processes);
    MoveToEnd(batch->declared.groups, declared.groups);
    MoveToEnd(batch->names, names);
    if (auto done = AdoptDeclarations(input, declared); !done) return done;
    if (auto done = collectives.AdoptGroups(input, declared); !done) return done;
    for (auto& [event, index] : batch->events) {
      index += input.first_event[event.process.index()];
      event.process = input.processes[event.process.index()];
      if (event.kind == EventKind::kSend || event.kind == EventKind::kReceive) {
        event.peer = input.processes[event.peer.index()];
      }
      matcher.Add(event, index);
      if (event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd) {
        collectives.Add(event, index, names);
      }
    }
  }
  return FinishText(stream, input, collectives);
}

Result<void> Loader::FinishText(const TextStream& stream, LoadedInput& input,
                                TextCollectives& collectives) {
  const TextReader& reader = stream.reader();
  if (reader.error()) return tl::unexpected(*reader.error());
  loaded_.diagnostics.Merge(reader.diagnostics());
  if (auto done = AdoptDeclarations(input, reader.traces()); !done) return done;
  for (size_t i = 0; i < stream.spans().size(); ++i) {
    const ClockSpan& span = stream.spans()[i];
    const ProcessId process = input.processes[i];
    loaded_.spans[loaded_.traces.processes[process.index()].clock.index()].Merge(span);
    text_events_[process.index()] += span.events;
    input.events += span.events;
    const SetBackFinder& set_backs = stream.set_backs()[i];
    loaded_.SetSeen(process, set_backs.Finish());
    text_set_backs_.insert_or_assign(loaded_.traces.processes[process.index()].name, set_backs);
  }
  return collectives.AdoptGroups(input, reader.traces());
}

Result<void> Loader::LoadTexts() {
  const std::vector<LoadedInput*> texts = InputsOf(Format::kText);
  if (texts.empty()) return {};
  uint64_t bytes = 0;
  for (const LoadedInput* input : texts) bytes += input->input.bytes;
  progress_.Begin("reading text", bytes);
  Stopwatch watch;
  NamedMatcher matcher(sink_);
  TextCollectives collectives(loaded_, collective_sink_);
  for (LoadedInput* input : texts) {
    if (auto done = LoadText(*input, matcher, collectives); !done) return done;
    if (input->events == 0) {
      loaded_.diagnostics.Count("no-events", Severity::kWarning, 1, input->input.path);
    }
  }
  collectives.Finish();
  const auto counts = matcher.Finish(loaded_.diagnostics);
  loaded_.unmatched_sends += counts.unmatched_sends;
  loaded_.unmatched_receives += counts.unmatched_receives;
  loaded_.read_s += watch.Restart();
  return {};
}

}  // namespace

void ClockSpan::Merge(const ClockSpan& other) {
  if (other.events == 0) return;
  if (events == 0) {
    *this = other;
    return;
  }
  first = std::min(first, other.first);
  last = std::max(last, other.last);
  events += other.events;
}

ClockId LoadedTraces::ClockNamed(const Clock& clock) {
  auto& clocks = traces.clocks;
  const auto it = std::find_if(clocks.begin(), clocks.end(),
                               [&](const Clock& c) { return c.name == clock.name; });
  if (it != clocks.end()) return ClockId(static_cast<uint32_t>(it - clocks.begin()));
  clocks.push_back(clock);
  spans.emplace_back();
  return ClockId(static_cast<uint32_t>(clocks.size() - 1));
}

ProcessId LoadedTraces::AddProcess(Process process) {
  traces.processes.push_back(std::move(process));
  return ProcessId(static_cast<uint32_t>(traces.processes.size() - 1));
}

void LoadedTraces::SetSeen(ProcessId process, SeenSetBacks seen) {
  if (set_backs.size() <= process.index()) set_backs.resize(process.index() + 1);
  set_backs[process.index()] = std::move(seen);
}

std::span<const ClockSetBack> LoadedTraces::SetBacksOf(ClockId clock) const {
  if (clock.index() >= clock_set_backs.size()) return {};
  return clock_set_backs[clock.index()];
}

std::span<const ReadingSpan> LoadedTraces::EpochSpansOf(ClockId clock) const {
  if (clock.index() >= epoch_spans.size()) return {};
  return epoch_spans[clock.index()];
}

Result<LoadedTraces> LoadTraces(const ResolvedInputs& inputs, Progress& progress) {
  return Loader(inputs, progress).Run();
}

}  // namespace syncline
