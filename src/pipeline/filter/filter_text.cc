#include "pipeline/filter/filter_text.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/try.h"
#include "pipeline/summary/protocol.h"

namespace syncline {
namespace {

int64_t MonotonicNs() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

Result<size_t> ReadPausing(InputFile& file, StreamListener& listener, std::span<std::byte> to) {
  auto ready = file.WaitForBytes(0);
  while (ready && !*ready) {
    SYNCLINE_ASSIGN(const auto at_most_ms, listener.OnPause());
    ready = file.WaitForBytes(at_most_ms);
  }
  if (!ready) return tl::unexpected(ready.error());
  auto bytes = file.ReadSome(to);
  listener.OnBytes();
  return bytes;
}

}  // namespace

TextFilter::TextFilter(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
                       Progress& progress)
    : options_(&options),
      delays_(&delays),
      output_(std::move(output)),
      progress_(&progress),
      filter_(options.logical, delays.model(), *this),
      adapter_(filter_) {}

Result<FilterOutcome> TextFilter::Run(TextReader& reader) {
  if (IsOnline()) Tick();
  TakeLines(reader);
  filter_.Finish();
  output_.Flush();
  if (output_.error()) return tl::unexpected(*output_.error());
  if (reader.error()) return tl::unexpected(*reader.error());
  return MakeOutcome(reader);
}

void TextFilter::TakeLines(TextReader& reader) {
  while (!output_.error()) {
    const TextLine* line = reader.NextLine();
    if (line == nullptr) return;
    progress_->Advance(line->text.size());
    if (line->kind == TextLine::Kind::kEvent) {
      TakeEvent(reader, *line);
      continue;
    }
    output_.WriteLine(*line);
    if (line->kind != TextLine::Kind::kEmpty) Declare(reader.traces());
  }
}

void TextFilter::Declare(const TraceSet& traces) {
  delays_->Declare(traces);
  for (size_t i = lanes_.size(); i < traces.processes.size(); ++i) {
    figures_.AddProcess(traces.processes[i].clock);
    lanes_.emplace_back();
  }
  adapter_.Declare(traces);
}

void TextFilter::TakeEvent(const TextReader& reader, const TextLine& line) {
  const Event& event = reader.event();
  const TraceSet& traces = reader.traces();
  const Clock& clock = traces.clocks[traces.processes[event.process.index()].clock.index()];
  const GlobalTime time{clock.NominalNs(event.time)};
  if (options_->start_ns && time.ns < *options_->start_ns) {
    ++left_out_;
    return;
  }
  Lane& lane = lanes_[event.process.index()];
  lane.lines.Push(PartsOf(line), now_ns_);
  LogicalEvent adapted = adapter_.Adapt(event, time, lane.numbered++, reader.names());
  adapted.takes_part = reader.takes_part();
  filter_.Push(adapted);
}

void TextFilter::OnEvent(const RetimedEvent& event) {
  EventLines& lines = lanes_[event.process.index()].lines;
  const EventLines::Line line = lines.front();
  lines.Pop();
  figures_.AddEvent(event.process, event.before.ns, event.after);
  if (options_->logical.keeps_gamma_over_time) {
    changes_.Add(event.process, event.tag, event.before.ns, event.after.ns);
  }
  output_.WriteEvent(line.parts, event.before, event.after);
}

void TextFilter::OnBytes() {
  if (IsOnline()) Tick();
}

Result<int64_t> TextFilter::OnPause() {
  if (IsOnline()) Tick();
  output_.Flush();
  if (output_.error()) return tl::unexpected(*output_.error());
  return IsOnline() ? MsToNextRelease() : -1;
}

void TextFilter::Tick() {
  now_ns_ = MonotonicNs();
  filter_.Tick(now_ns_);
}

// Rounded up, so that the wait is over when it ends.
int64_t TextFilter::MsToNextRelease() const {
  constexpr int64_t kMs = 1'000'000;
  int64_t oldest = INT64_MAX;
  for (const Lane& lane : lanes_) {
    if (!lane.lines.empty()) oldest = std::min(oldest, lane.lines.front().arrival_ns);
  }
  if (oldest == INT64_MAX) return -1;
  return std::max<int64_t>(0, oldest + options_->logical.max_wait_ns - now_ns_) / kMs + 1;
}

FilterOutcome TextFilter::MakeOutcome(const TextReader& reader) {
  FilterOutcome outcome{.report = filter_.report(),
                        .figures = std::move(figures_),
                        .traces = reader.traces(),
                        .diagnostics = reader.diagnostics()};
  if (options_->logical.keeps_gamma_over_time) {
    outcome.timeline = MakeTimeline(outcome.report.gamma, changes_, outcome.traces);
  }
  CountFindings(outcome.report, outcome.diagnostics);
  CountCycles(outcome.report.cycles, outcome.traces, outcome.diagnostics);
  adapter_.CountFindings(outcome.diagnostics);
  delays_->CountFindings(outcome.diagnostics);
  if (left_out_ > 0) outcome.diagnostics.Count("event-beyond-start", Severity::kInfo, left_out_);
  return outcome;
}

TextReader ReadAsItComes(InputFile file, StreamListener& listener) {
  if (file.is_regular()) return TextReader::FromFile(std::move(file));
  const std::string name = file.path();
  auto shared = std::make_shared<InputFile>(std::move(file));
  const auto read = [shared, &listener](std::span<std::byte> to) {
    return ReadPausing(*shared, listener, to);
  };
  return TextReader::FromStream(read, name);
}

}  // namespace syncline
