#include "pipeline/concurrency/meter_feeds.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "pipeline/concurrency/otf2_waits.h"
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

}  // namespace

MeterFeeds::MeterFeeds(const LoadedTraces& loaded, WaitRule rule, const MessageLinks& links,
                       ConcurrencyMeter& meter)
    : loaded_(loaded), meter_(meter) {
  for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
    const Clock& clock = loaded.traces.clocks[loaded.traces.processes[i].clock.index()];
    feeds_.emplace_back(ProcessId(i), clock, loaded.epochs.FirstEvents(ProcessId(i)), rule, links,
                        meter);
  }
}

void MeterFeeds::SetAside(std::span<const CycleMessage> messages) {
  for (const auto& [message, is_of_collective, delay_ns] : messages) {
    if (!is_of_collective) continue;
    feeds_[message.receive.process.index()].SetEndAside(message.receive.index);
  }
}

Result<void> MeterFeeds::Open(const std::vector<bool>& is_here) {
  SYNCLINE_TRY(AddWaits(is_here));
  SYNCLINE_ASSIGN(auto sources, OpenSources(loaded_, /*needs_roles=*/true));
  for (auto& source : sources) {
    const auto processes = source->processes();
    if (!processes.empty() && !is_here[processes[0].index()]) continue;
    sources_.push_back({std::move(source), false});
  }
  return {};
}

Result<void> MeterFeeds::AddWaits(const std::vector<bool>& is_here) {
  for (const LoadedInput& input : loaded_.inputs) {
    if (input.input.format == Format::kSpans) SetWaits(input, SpanWaitsOf(input));
    if (input.input.format != Format::kOtf2) continue;
    SYNCLINE_ASSIGN(auto waits, Otf2WaitsOf(input, is_here));
    SetWaits(input, std::move(waits));
  }
  return {};
}

void MeterFeeds::SetWaits(const LoadedInput& input, std::vector<std::vector<WaitSpan>> waits) {
  for (size_t i = 0; i < waits.size(); ++i) {
    feeds_[input.processes[i].index()].SetWaits(std::move(waits[i]));
  }
}

bool MeterFeeds::has_more() const {
  return std::ranges::any_of(sources_, [](const Source& source) { return !source.is_at_end; });
}

Result<uint64_t> MeterFeeds::Read(uint64_t at_least, const std::function<void()>& has_read) {
  uint64_t read = 0;
  for (Source& source : sources_) {
    SYNCLINE_ASSIGN(const uint64_t of_source, ReadSource(source, at_least));
    read += of_source;
    if (of_source > 0) has_read();
  }
  return read;
}

// The source of one process is read while that does not wait; others are read to their end.
bool MeterFeeds::GoesOn(const Source& source) const {
  const std::vector<ProcessId>& processes = source.events->processes();
  return processes.size() != 1 || !meter_.IsWaiting(processes[0]);
}

Result<uint64_t> MeterFeeds::ReadSource(Source& source, uint64_t at_least) {
  uint64_t read = 0;
  SourcedEvent next;
  for (; !source.is_at_end && (read < at_least || GoesOn(source)); ++read) {
    SYNCLINE_ASSIGN(auto has_next, source.events->Next(next));
    source.is_at_end = !has_next;
    if (has_next) feeds_[next.event.process.index()].Take(next);
  }
  if (!source.is_at_end || source.events == nullptr) return read;
  for (const ProcessId process : source.events->processes()) feeds_[process.index()].Finish();
  source.events.reset();
  return read;
}

}  // namespace syncline
