#include "pipeline/filter/filter_text.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "pipeline/filter/event_lines.h"
#include "pipeline/filter/filter_run.h"
#include "read/text/text_reader.h"

namespace syncline {
namespace {

int64_t MonotonicNs() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

class TextFilter : public FilterRun {
 public:
  TextFilter(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
             Progress& progress)
      : FilterRun(options, delays, std::move(output), progress) {}

  Result<FilterOutcome> Run(InputFile input) {
    TextReader reader = ReadAsItComes(std::move(input));
    if (IsOnline()) Tick();
    TakeLines(reader);
    SYNCLINE_TRY(Finish());
    if (reader.error()) return tl::unexpected(*reader.error());
    FilterOutcome outcome = MakeOutcome(reader);
    CountFindings(outcome);
    return outcome;
  }

  void OnEvent(const RetimedEvent& event) override {
    EventLines& lines = lanes_[event.process.index()].lines;
    const EventLines::Line line = lines.front();
    lines.Pop();
    Note(event);
    output_.WriteEvent(line.parts, event.before, event.after);
  }

  void OnMessage(const RetimedMessage& message) override { figures_.OnMessage(message); }

 private:
  struct Lane {
    EventLines lines;
    uint64_t numbered = 0;  // events so far
  };

  // Files in blocks, pipes and devices as bytes come.
  TextReader ReadAsItComes(InputFile file) {
    if (file.is_regular()) return TextReader::FromFile(std::move(file));
    const std::string name = file.path();
    auto shared = std::make_shared<InputFile>(std::move(file));
    return TextReader::FromStream(
        [this, shared](std::span<std::byte> to) { return ReadPausing(*shared, to); }, name);
  }

  Result<size_t> ReadPausing(InputFile& file, std::span<std::byte> to) {
    auto ready = file.WaitForBytes(0);
    while (ready && !*ready) {
      SYNCLINE_ASSIGN(const auto at_most_ms, PutOutBeforeWait());
      ready = file.WaitForBytes(at_most_ms);
    }
    if (!ready) return tl::unexpected(ready.error());
    auto bytes = file.ReadSome(to);
    if (IsOnline()) Tick();
    return bytes;
  }

  // Returns how long the next read may wait before this is called again, in ms; negative: as long
  // as it takes.
  Result<int64_t> PutOutBeforeWait() {
    if (IsOnline()) Tick();
    output_.Flush();
    if (output_.error()) return tl::unexpected(*output_.error());
    return IsOnline() ? MsToNextRelease() : -1;
  }

  void TakeLines(TextReader& reader) {
    while (!output_.error()) {
      const TextLine* line = reader.NextLine();
      if (line == nullptr) return;
      progress_->Advance(line->text.size());
      if (line->kind == TextLine::Kind::kEvent) {
        TakeEvent(reader, *line);
        continue;
      }
      output_.WriteLine(*line, reader.traces());
      if (line->kind != TextLine::Kind::kEmpty) DeclareAll(reader.traces());
    }
  }

  void DeclareAll(const TraceSet& traces) {
    Declare(traces);
    lanes_.resize(traces.processes.size());
    adapter_.Declare(traces);
  }

  void TakeEvent(const TextReader& reader, const TextLine& line) {
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

  bool IsOnline() const { return options_->logical.max_wait_ns >= 0; }

  void Tick() {
    now_ns_ = MonotonicNs();
    filter_.Tick(now_ns_);
  }

  // Rounded up, so that the wait is over when it ends.
  int64_t MsToNextRelease() const {
    constexpr int64_t kMs = 1'000'000;
    int64_t oldest = INT64_MAX;
    for (const Lane& lane : lanes_) {
      if (!lane.lines.empty()) oldest = std::min(oldest, lane.lines.front().arrival_ns);
    }
    if (oldest == INT64_MAX) return -1;
    return std::max<int64_t>(0, oldest + options_->logical.max_wait_ns - now_ns_) / kMs + 1;
  }

  std::vector<Lane> lanes_;  // by process
  int64_t now_ns_ = 0;       // online: the latest Tick()
};

}  // namespace

Result<FilterOutcome> FilterText(const TextFilterOptions& options, FilterDelays& delays,
                                 FilterOutput output, Progress& progress, InputFile input) {
  return TextFilter(options, delays, std::move(output), progress).Run(std::move(input));
}

}  // namespace syncline
