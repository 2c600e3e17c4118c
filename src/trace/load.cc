#include "trace/load.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/try.h"
#include "trace/clock_epochs.h"
#include "trace/formats.h"
#include "trace/match_sink.h"

namespace syncline {

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
  const auto it = std::ranges::find(clocks, clock.name, &Clock::name);
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

void LoadedTraces::CountIfEmpty(const LoadedInput& input) {
  if (input.events == 0) diagnostics.Count("no-events", Severity::kWarning, 1, input.input.path);
}

void LoadedTraces::CountCoarseTimes(const LoadedInput& input, const DecimalCounts& times,
                                    std::string_view unit) {
  const int certain = times.Certain();
  if (certain == times.Most()) return;
  diagnostics.Count("coarser-times", Severity::kInfo, times.UpTo(certain),
                    fmt::format("{} instead of {} decimals of the {} in {}", certain, times.Most(),
                                unit, input.input.path));
}

void LoadedTraces::CountCoarseTimes(const CoarseTimes& times, int64_t tick_ns,
                                    std::string_view where) {
  const std::string unit = tick_ns == 1'000           ? "whole microseconds"
                           : tick_ns == 1'000'000     ? "whole milliseconds"
                           : tick_ns == 1'000'000'000 ? "whole seconds"
                                                      : "multiples of " + FormatDuration(tick_ns);
  diagnostics.Count("coarser-times", Severity::kInfo, times.MultiplesOf(tick_ns),
                    fmt::format("{} in {}", unit, where));
}

int64_t LoadedTraces::CountTick(const LoadedInput& input, const CoarseTimes& times, int64_t tick_ns,
                                int64_t written_ns) {
  if (tick_ns != written_ns) CountCoarseTimes(times, tick_ns, input.input.path);
  return tick_ns;
}

std::pair<LocalTime, ReadingRank> LoadedTraces::PlaceOf(const EventRef& event) const {
  const size_t process = event.process.index();
  std::pair place(event.time, ReadingRank::kAsItComes);
  if (process < first_of_reading.size() &&
      std::ranges::binary_search(first_of_reading[process], event.index)) {
    place.second = ReadingRank::kFirst;
  } else if (only_certain_order && process < computed_receives.size()) {
    const std::vector<ComputedReceive>& computed = computed_receives[process];
    const auto at = std::ranges::lower_bound(computed, event.index, {}, &ComputedReceive::event);
    if (at != computed.end() && at->event == event.index) {
      if (!at->is_before_own_end) return {at->latest, ReadingRank::kLast};
      place.first = at->latest;
    }
  }
  if (only_certain_order && process < uneven_ticks_ns.size() && uneven_ticks_ns[process] > 1) {
    const int64_t tick_ns = uneven_ticks_ns[process];
    place.first = {Saturate(FloorDiv(place.first.ticks, tick_ns) * tick_ns)};
  }
  return place;
}

std::span<const ClockSetBack> LoadedTraces::SetBacksOf(ClockId clock) const {
  if (clock.index() >= clock_set_backs.size()) return {};
  return clock_set_backs[clock.index()];
}

std::span<const ReadingSpan> LoadedTraces::EpochSpansOf(ClockId clock) const {
  if (clock.index() >= epoch_spans.size()) return {};
  return epoch_spans[clock.index()];
}

uint64_t BytesOf(std::span<LoadedInput* const> inputs) {
  uint64_t bytes = 0;
  for (const LoadedInput* input : inputs) bytes += input->input.bytes;
  return bytes;
}

namespace {

// All but the epochs.
Result<LoadedTraces> ReadTraces(const ResolvedInputs& asked, Progress& progress) {
  LoadedTraces loaded;
  loaded.has_events = asked.needs_events;
  for (const Input& input : asked.inputs) loaded.inputs.push_back({.input = input});
  loaded.states = InputStates(asked.inputs);
  loaded.diagnostics = asked.diagnostics;
  MatchSink messages(loaded, loaded.messages);
  MatchSink collective_messages(loaded, loaded.collective_messages);
  MatchSink implied_messages(loaded, loaded.implied_messages);
  const LoadRequest request{loaded,           messages, collective_messages,
                            implied_messages, asked,    progress};
  for (const TraceFormat* format : AllFormats()) {
    std::vector<LoadedInput*> inputs;
    for (LoadedInput& input : loaded.inputs) {
      if (input.input.format == format->format) inputs.push_back(&input);
    }
    if (inputs.empty()) continue;
    SYNCLINE_TRY(progress.CheckGoesOn());
    SYNCLINE_TRY(format->load(inputs, request));
  }
  return loaded;
}

}  // namespace

Result<LoadedTraces> LoadTraces(const ResolvedInputs& asked, Progress& progress) {
  SYNCLINE_ASSIGN(auto loaded, ReadTraces(asked, progress));
  SYNCLINE_ASSIGN(const EpochsAre epochs, AssignEpochs(loaded));
  if (epochs == EpochsAre::kAssigned) return loaded;
  loaded = {};  // what was kept of it, before as much is kept again
  ResolvedInputs with_events = asked;
  with_events.needs_events = true;
  return LoadTraces(with_events, progress);
}

}  // namespace syncline
