#include "pipeline/concurrency/meter_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "pipeline/concurrency/otf2_waits.h"
#include "pipeline/correct/cycle_messages.h"
#include "pipeline/correct/event_sources.h"
#include "trace/kept_spans.h"

namespace syncline {
namespace {

// Where the lanes of spans wait: in calls, from the start of a client's span to its end.
//
// Of calls within calls the outermost counts. Memory: 16 bytes per call.
// By the input's processes, each in order.
std::vector<std::vector<WaitSpan>> SpanWaitsOf(const LoadedInput& input) {
  std::vector<std::vector<WaitSpan>> waits;
  for (const std::vector<KeptSpanEvent>& lane : SpansOf(input).lanes) {
    std::vector<WaitSpan>& of_lane = waits.emplace_back();
    uint64_t depth = 0;
    for (uint64_t i = 0; i < lane.size(); ++i) {
      if (!lane[i].is_of_call) continue;
      const bool begins = lane[i].kind == EventKind::kEnter;
      if (begins && depth++ == 0) of_lane.push_back({i, UINT64_MAX});
      if (!begins && --depth == 0) of_lane.back().end = i;
    }
  }
  return waits;
}

std::vector<std::vector<ProcessId>> MembersOf(const TraceSet& traces) {
  std::vector<std::vector<ProcessId>> members;
  for (const Group& group : traces.groups) members.push_back(group.members);
  return members;
}

// Reads each process until it waits for others, then goes on with these.
class MeterRun {
 public:
  MeterRun(const LoadedTraces& loaded, std::span<const CycleMessage> set_aside, WaitRule rule,
           const MessageLinks& links, ConcurrencyMeter& meter)
      : loaded_(loaded), meter_(meter) {
    for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
      const Clock& clock = loaded.traces.clocks[loaded.traces.processes[i].clock.index()];
      feeds_.emplace_back(ProcessId(i), clock, loaded.epochs.FirstEvents(ProcessId(i)), rule, links,
                          meter);
    }
    for (const auto& [message, is_of_collective, delay_ns] : set_aside) {
      if (!is_of_collective) continue;
      feeds_[message.receive.process.index()].SetEndAside(message.receive.index);
    }
  }

  Result<void> Run() {
    SYNCLINE_TRY(AddWaits());
    SYNCLINE_ASSIGN(auto sources, OpenSources(loaded_, /*needs_roles=*/true));
    for (auto& source : sources) sources_.push_back({std::move(source), false});
    // A round in which all wait for one another goes on all the same: events wait inside the meter.
    for (bool is_stuck = false; HasMore();) {
      const uint64_t before = read_;
      for (Source& source : sources_) SYNCLINE_TRY(Read(source, is_stuck ? 1 : 0));
      is_stuck = read_ == before;
    }
    return {};
  }

 private:
  struct Source {
    std::unique_ptr<EventSource> events;
    bool is_at_end = false;
  };

  Result<void> AddWaits() {
    for (const LoadedInput& input : loaded_.inputs) {
      if (input.input.format == Format::kSpans) SetWaits(input, SpanWaitsOf(input));
      if (input.input.format != Format::kOtf2) continue;
      SYNCLINE_ASSIGN(auto waits, Otf2WaitsOf(input));
      SetWaits(input, std::move(waits));
    }
    return {};
  }
  void SetWaits(const LoadedInput& input, std::vector<std::vector<WaitSpan>> waits) {
    for (size_t i = 0; i < waits.size(); ++i) {
      feeds_[input.processes[i].index()].SetWaits(std::move(waits[i]));
    }
  }

  bool HasMore() const {
    return std::ranges::any_of(sources_, [](const Source& source) { return !source.is_at_end; });
  }

  // The source of one process is read while that does not wait; others are read to their end.
  bool GoesOn(const Source& source) const {
    const std::vector<ProcessId>& processes = source.events->processes();
    return processes.size() != 1 || !meter_.IsWaiting(processes[0]);
  }

  Result<void> Read(Source& source, uint64_t at_least) {
    SourcedEvent next;
    for (uint64_t n = 0; !source.is_at_end && (n < at_least || GoesOn(source)); ++n) {
      SYNCLINE_ASSIGN(auto has_next, source.events->Next(next));
      ++read_;
      source.is_at_end = !has_next;
      if (has_next) feeds_[next.event.process.index()].Take(next);
    }
    if (!source.is_at_end || source.events == nullptr) return {};
    for (const ProcessId process : source.events->processes()) feeds_[process.index()].Finish();
    source.events.reset();
    return {};
  }

  const LoadedTraces& loaded_;
  ConcurrencyMeter& meter_;
  std::vector<ProcessFeed> feeds_;  // by ProcessId
  std::vector<Source> sources_;
  uint64_t read_ = 0;
};

}  // namespace

Result<std::optional<MeasuredComputation>> RunMeter(const LoadedTraces& loaded,
                                                    std::span<const CycleMessage> set_aside,
                                                    WaitRule rule, ConcurrencyOptions options,
                                                    ConcurrencyMeter::OnRegion on_region) {
  SYNCLINE_ASSIGN(auto links, MessageLinks::Of(loaded));
  const auto members = MembersOf(loaded.traces);
  ConcurrencyMeter meter(loaded.traces.processes.size(), members, std::move(options),
                         std::move(on_region));
  SYNCLINE_TRY(MeterRun(loaded, set_aside, rule, links, meter).Run());
  auto measured = meter.Finish();
  return measured ? std::optional(std::move(*measured)) : std::nullopt;
}

Result<void> SetLateAside(LoadedTraces& loaded, const SolveOptions& options) {
  if (loaded.likely_messages.messages() == 0) return {};
  if (const auto solution = Solve(loaded, options)) {
    loaded.likely_messages.SetAside(solution->late);
    return {};
  }
  std::vector<Message> all;
  SYNCLINE_TRY(loaded.likely_messages.ForEach([&](const Message& m) { all.push_back(m); }));
  loaded.likely_messages.SetAside(all);
  return {};
}

Result<std::vector<CycleMessage>> SetCyclesAside(LoadedTraces& loaded,
                                                 const SolveOptions& options) {
  const auto solution = Solve(loaded, options);
  return SetCyclesAside(
      loaded, MakeRetiming(loaded, solution ? solution->group : Uncorrected(loaded.traces)));
}

}  // namespace syncline
