#include "pipeline/convert/convert_times.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"
#include "logical/causal_cycles.h"
#include "pipeline/correct/correct.h"
#include "pipeline/summary/summarize.h"
#include "report/summary_file.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

// On the time of the reference, to which nothing relates other components.
ExportedBounds BoundsOfEvent(const ClockEstimate& clock, const ExportedEvent& event) {
  ExportedBounds known;
  if (clock.component > 0) return known;
  const TimeBounds& bounds = BoundsOf(clock, event.epoch);
  if (const auto lower = bounds.Lower(event.local)) known.lower_ns = lower->ns;
  if (const auto upper = bounds.Upper(event.local)) known.upper_ns = upper->ns;
  return known;
}

// The larger distance from an event's time to where it is known to lie between.
std::optional<int64_t> BoundOf(const ExportedBounds& bounds, const ExportedEvent& event) {
  if (!bounds.lower_ns || !bounds.upper_ns) return std::nullopt;
  const Int128 below = static_cast<Int128>(event.time.ns) - *bounds.lower_ns;
  const Int128 above = static_cast<Int128>(*bounds.upper_ns) - event.time.ns;
  return Saturate(std::max<Int128>({below, above, 0}));
}

// What a summary says of one clock of the inputs.
struct SummarizedClock {
  std::vector<Correction> corrections;  // by epoch
  std::optional<SummaryBound> bound;

  const Correction& At(uint32_t epoch) const {
    return corrections[std::min<size_t>(epoch, corrections.size() - 1)];
  }
  // Nothing is known of readings that the summary's trace did not have.
  bool IsBeyond(const ExportedEvent& event) const {
    if (event.epoch >= bound->traced.size()) return true;
    const ReadingSpan& traced = bound->traced[event.epoch];
    return event.local < traced.first || event.local > traced.last;
  }
  std::optional<int64_t> BoundNs(const ExportedEvent& event) const {
    return !bound || IsBeyond(event) ? std::nullopt : std::optional(bound->worst_ns);
  }
};

// Of a clock that the inputs read more coarsely than the summary's did. Rates differ by less than a
// hundredth.
int64_t LaterByNs(const Clock& clock, const SummaryBound& bound) {
  const Int128 more = static_cast<Int128>(clock.reading_ns) - bound.reading_ns;
  return more <= 0 ? 0 : Saturate(more + more / 100 + 1);
}

// Where the epochs of a process begin: as the summary says, which may have seen more of its clock,
// or, of processes that it does not name, as its events show.
std::vector<uint64_t> FirstEvents(const SummaryFile& summary, const LoadedTraces& loaded,
                                  ProcessId process) {
  const Process& of = loaded.traces.processes[process.index()];
  const auto epochs = summary.later_epochs.find(loaded.traces.clocks[of.clock.index()].name);
  if (epochs == summary.later_epochs.end()) return {};
  std::vector<uint64_t> first_event;
  bool is_named = false;
  for (const SummaryEpoch& epoch : epochs->second) {
    const auto first = epoch.events.find(of.name);
    is_named = is_named || first != epoch.events.end();
    first_event.push_back(first == epoch.events.end() ? UINT64_MAX : first->second);
  }
  // What no event reaches begins nowhere.
  while (!first_event.empty() && first_event.back() == UINT64_MAX) first_event.pop_back();
  if (is_named && std::ranges::is_sorted(first_event)) return first_event;
  const auto shown = loaded.epochs.FirstEvents(process);
  return {shown.begin(), shown.end()};
}

// Those of clocks whose corrections know them.
EpochTable KnownEpochs(const LoadedTraces& loaded, const GroupEstimate& group) {
  EpochTable epochs = loaded.epochs;
  for (uint32_t i = 0; i < epochs.first_event.size(); ++i) {
    const ClockId clock = loaded.traces.processes[i].clock;
    if (group.clocks[clock.index()].later_epochs.empty()) epochs.first_event[i].clear();
  }
  return epochs;
}

// What the summary says against its corrections, and how many suspects it does not name.
void CountStatedWeaknesses(const SummaryFile& summary, const LoadedTraces& loaded,
                           Diagnostics& found) {
  for (const auto& [name, weakness] : summary.weaknesses.all()) {
    if (loaded.diagnostics.count(name) > 0) continue;
    found.Count(name, weakness.severity, weakness.count, weakness.example);
  }
  if (summary.suspects_in_all > summary.suspects.size()) {
    found.Count("suspects-not-named", Severity::kWarning,
                summary.suspects_in_all - summary.suspects.size(), summary.path);
  }
}

// As estimation and the logical clock do it: of a collective a cycle takes out all that an end
// waits for.
Result<void> SetSuspectsAside(const SummaryFile& summary, LoadedTraces& loaded) {
  using End = Summary::Suspect::End;
  std::set<std::pair<End, End>> of_messages, of_collectives;
  std::set<End> ends;
  for (const Summary::Suspect& suspect : summary.suspects) {
    if (suspect.is_of_collective && suspect.why == Summary::Suspect::Why::kCycle) {
      ends.insert(suspect.receive);
    } else {
      (suspect.is_of_collective ? of_collectives : of_messages)
          .emplace(suspect.send, suspect.receive);
    }
  }
  const auto set_aside = [&loaded](MessageStore& store, const auto& named,
                                   const auto& key) -> Result<void> {
    if (named.empty()) return {};
    std::vector<Message> found;
    SYNCLINE_TRY(store.ForEach([&](const Message& m) {
      if (named.contains(key(loaded.traces, m))) found.push_back(m);
    }));
    store.SetAside(found);
    return {};
  };
  const auto both = [](const TraceSet& traces, const Message& m) {
    return std::pair(SuspectEnd(traces, m.send), SuspectEnd(traces, m.receive));
  };
  SYNCLINE_TRY(set_aside(loaded.messages, of_messages, both));
  SYNCLINE_TRY(set_aside(loaded.implied_messages, of_collectives, both));
  return set_aside(loaded.collective_messages, ends, [](const TraceSet& traces, const Message& m) {
    return SuspectEnd(traces, m.receive);
  });
}

int64_t DelayNs(const ExportedTrace& trace, const ExportedMessage& message) {
  return (trace.ReceiveOf(message).time - trace.SendOf(message).time).ns;
}

// The others move up.
void RemoveMessages(const std::vector<uint32_t>& numbers, ExportedTrace& trace) {
  constexpr uint64_t kRemoved = UINT64_MAX;
  std::vector<uint64_t> number_of(trace.messages.size(), 0);
  for (const uint32_t number : numbers) number_of[number] = kRemoved;
  std::vector<ExportedMessage> kept;
  kept.reserve(trace.messages.size() - numbers.size());
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    if (number_of[i] == kRemoved) continue;
    number_of[i] = kept.size();
    kept.push_back(trace.messages[i]);
  }
  trace.messages = std::move(kept);
  for (ExportedProcess& process : trace.processes) {
    std::erase_if(process.links,
                  [&](const ExportedLink& link) { return number_of[link.message] == kRemoved; });
    for (ExportedLink& link : process.links) link.message = number_of[link.message];
  }
}

}  // namespace

ConvertTimes RecordedTimes(const LoadedTraces& loaded) {
  const auto nominal = [&loaded](const EventRef& event) {
    const ClockId clock = loaded.ClockOf(event);
    return GlobalTime{loaded.traces.clocks[clock.index()].NominalNs(event.time)};
  };
  const auto unknown = [](ProcessId, const ExportedEvent&) { return std::optional<int64_t>(); };
  return {.time = nominal, .bound_ns = unknown, .bounds = {}, .is_beyond = {}, .epochs = {}};
}

Result<ConvertTimes> SummarizedTimes(const std::string& path, LoadedTraces& loaded,
                                     Diagnostics& diagnostics) {
  SYNCLINE_ASSIGN(auto summary, ReadSummaryFile(path));
  auto clocks = std::make_shared<std::vector<SummarizedClock>>();
  for (const Clock& clock : loaded.traces.clocks) {
    const auto found = summary.corrections.find(clock.name);
    if (found == summary.corrections.end()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("has no clock called \"{}\", which an input has", clock.name), path);
    }
    SummarizedClock& added = clocks->emplace_back();
    added.corrections.push_back(found->second);
    const auto epochs = summary.later_epochs.find(clock.name);
    if (epochs != summary.later_epochs.end()) {
      for (const SummaryEpoch& epoch : epochs->second)
        added.corrections.push_back(epoch.correction);
    }
    const auto bound = summary.bounds.find(clock.name);
    if (bound == summary.bounds.end()) continue;
    added.bound = bound->second;
    added.bound->worst_ns = SaturatedSum(added.bound->worst_ns, LaterByNs(clock, *added.bound));
  }
  EpochTable epochs;
  for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
    epochs.first_event.push_back(FirstEvents(summary, loaded, ProcessId(i)));
  }
  if (summary.events_moved > 0) {
    diagnostics.Count("summary-moved-events", Severity::kWarning, summary.events_moved, path);
  }
  CountStatedWeaknesses(summary, loaded, diagnostics);
  SYNCLINE_TRY(SetSuspectsAside(summary, loaded));
  const auto of = [clocks, &loaded](ProcessId process) -> const SummarizedClock& {
    return (*clocks)[loaded.traces.processes[process.index()].clock.index()];
  };
  const auto bounds = [of](ProcessId process, const ExportedEvent& event) {
    const std::optional<int64_t> bound = of(process).BoundNs(event);
    if (!bound) return ExportedBounds();
    const Int128 time = of(process).At(event.epoch)(event.local).ns;
    return ExportedBounds{Saturate(time - *bound), Saturate(time + *bound)};
  };
  return ConvertTimes{
      .is_corrected = true,
      .reference = summary.reference,
      .time = [of,
               epochs](const EventRef& e) { return of(e.process).At(epochs.EpochOf(e))(e.time); },
      .bound_ns = [of](ProcessId process,
                       const ExportedEvent& event) { return of(process).BoundNs(event); },
      .bounds = bounds,
      .is_beyond =
          [of](ProcessId process, const ExportedEvent& event) {
            return of(process).bound && of(process).IsBeyond(event);
          },
      .epochs = epochs};
}

Result<EstimatedTimes> EstimateTimes(LoadedTraces& loaded, const SolveOptions& solve,
                                     const std::optional<LogicalOptions>& logical,
                                     Progress& progress) {
  SYNCLINE_ASSIGN(auto done, CorrectTraces(loaded, solve,
                                           {.logical = logical, .in_nanoseconds = true}, progress));
  // Also those that messages imply.
  loaded.implied_messages.SetAside(done.solution.collective_suspects);
  EstimatedTimes estimated;
  estimated.summary = SummarizeCorrected(loaded, done, solve);
  auto corrected = std::make_shared<CorrectedTraces>(std::move(done));
  const auto bounds = [corrected, &loaded](ProcessId process, const ExportedEvent& event) {
    const ClockId clock = loaded.traces.processes[process.index()].clock;
    return BoundsOfEvent(corrected->solution.group.clocks[clock.index()], event);
  };
  estimated.times = {
      .is_corrected = true,
      .reference = estimated.summary.reference,
      .time = [corrected](const EventRef& event) { return corrected->retiming(event); },
      .bound_ns =
          [bounds](ProcessId process, const ExportedEvent& event) {
            return BoundOf(bounds(process, event), event);
          },
      .bounds = bounds,
      .is_beyond = {},
      .epochs = KnownEpochs(loaded, corrected->solution.group)};
  return estimated;
}

void CountBeyond(const ConvertTimes& times, const ExportedTrace& trace, Diagnostics& found) {
  if (!times.is_beyond) return;
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    const auto beyond = std::ranges::count_if(trace.processes[p].events, [&](const auto& event) {
      return times.is_beyond(ProcessId(p), event);
    });
    const ClockId clock = trace.traces.processes[p].clock;
    found.Count("beyond-summary", Severity::kWarning, static_cast<uint64_t>(beyond),
                "clock " + trace.traces.clocks[clock.index()].name);
  }
}

void TakeOutCycles(ExportedTrace& trace, Diagnostics& found) {
  std::vector<CausalLink> links;
  links.reserve(trace.messages.size());
  for (const ExportedMessage& m : trace.messages) {
    links.push_back({m.from, m.to, m.send, m.receive, DelayNs(trace, m)});
  }
  const std::vector<uint32_t> numbers = LinksToLeaveOut(trace.processes.size(), links);
  if (numbers.empty()) return;
  const ExportedMessage& first = trace.messages[numbers.front()];
  const auto name = [&](uint32_t process) { return trace.traces.processes[process].name; };
  found.Count("cycle-messages", Severity::kWarning, numbers.size(),
              DelayText(first.send, name(first.from), first.receive, name(first.to),
                        DelayNs(trace, first)));
  RemoveMessages(numbers, trace);
}

}  // namespace syncline
