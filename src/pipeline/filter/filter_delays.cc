#include "pipeline/filter/filter_delays.h"

#include <algorithm>

#include "base/int128.h"
#include "base/try.h"
#include "measure/logical_figures.h"
#include "pipeline/correct/logical_adapter.h"
#include "read/text/text_reader.h"

namespace syncline {
namespace {

// Matches the messages of a trace, and takes their delays as recorded.
class DelayMeter : public LogicalSink {
 public:
  DelayMeter() : filter_(Options(), delays_, *this), adapter_(filter_) {}

  Result<void> Run(TextReader& reader) {
    while (const TextLine* line = reader.NextLine()) {
      if (line->kind == TextLine::Kind::kEvent) {
        Take(reader);
      } else {
        Declare(reader.traces());
      }
    }
    if (reader.error()) return tl::unexpected(*reader.error());
    filter_.Finish();
    return {};
  }
  const LogicalFigures& figures() const { return figures_; }

  void OnEvent(const RetimedEvent& /*event*/) override {}
  void OnMessage(const RetimedMessage& message) override { figures_.OnMessage(message); }

 private:
  static LogicalOptions Options() {
    LogicalOptions options;
    options.clock = LogicalClockKind::kSimple;
    options.amortization = AmortizationKind::kNone;
    return options;
  }
  void Declare(const TraceSet& traces) {
    for (; processes_ < traces.processes.size(); ++processes_) {
      figures_.AddProcess(traces.processes[processes_].clock);
    }
    adapter_.Declare(traces);
  }
  void Take(const TextReader& reader) {
    const Event& event = reader.event();
    const TraceSet& traces = reader.traces();
    const Clock& clock = traces.clocks[traces.processes[event.process.index()].clock.index()];
    LogicalEvent adapted = adapter_.Adapt(event, GlobalTime{clock.NominalNs(event.time)},
                                          reader.index(), reader.names());
    adapted.takes_part = reader.takes_part();
    filter_.Push(adapted);
  }

  DelayModel delays_;
  LogicalFigures figures_;
  LogicalFilter filter_;
  LogicalAdapter adapter_;
  size_t processes_ = 0;
};

}  // namespace

MinimumDelayChoice AutomaticDelays(const MessageQuality& recorded, const TraceSet& traces) {
  MinimumDelayChoice choice;
  const auto& directions = recorded.directions();
  for (const auto& [direction, there] : directions) {
    const auto& [from, to] = direction;
    const auto back = directions.find({to, from});
    if (from >= to || back == directions.end()) continue;
    const Int128 round_trip =
        static_cast<Int128>(*there.delays.smallest()) + *back->second.delays.smallest();
    const int64_t ns = Saturate(round_trip * 2 / 5);
    if (ns < 1) continue;
    const MinimumDelay delay{std::min(ns, kLongestMinimumDelayNs), 0};
    const std::string& a = traces.clocks[from.index()].name;
    const std::string& b = traces.clocks[to.index()].name;
    choice.by_direction[{a, b}] = delay;
    choice.by_direction[{b, a}] = delay;
  }
  return choice;
}

Result<MinimumDelayChoice> MeasureMinimumDelays(const std::string& path) {
  SYNCLINE_ASSIGN(auto reader, TextReader::Open(path));
  DelayMeter meter;
  SYNCLINE_TRY(meter.Run(reader));
  return AutomaticDelays(meter.figures().before(), reader.traces());
}

FilterDelays::FilterDelays(MinimumDelayChoice choice, TimeDirection direction)
    : choice_(std::move(choice)), direction_(direction), model_({choice_.all_ns.value_or(1), 0}) {
  for (const Entry& entry : choice_.by_direction) {
    entries_of_[entry.first.first].push_back(&entry);
    entries_of_[entry.first.second].push_back(&entry);
  }
}

void FilterDelays::Declare(const TraceSet& traces) {
  while (clocks_.size() < traces.clocks.size()) {
    const auto id = ClockId(static_cast<uint32_t>(clocks_.size()));
    const std::string& name = traces.clocks[id.index()].name;
    clocks_.emplace(name, id);
    const auto entries = entries_of_.find(name);
    if (entries == entries_of_.end()) continue;
    for (const Entry* entry : entries->second) SetKnown(*entry);
  }
}

void FilterDelays::SetKnown(const Entry& entry) {
  const auto from = clocks_.find(entry.first.first);
  const auto to = clocks_.find(entry.first.second);
  if (from == clocks_.end() || to == clocks_.end()) return;
  if (direction_ == TimeDirection::kForward) {
    model_.Set(from->second, to->second, entry.second);
  } else {
    model_.Set(to->second, from->second, entry.second);
  }
}

void FilterDelays::CountFindings(Diagnostics& diagnostics) const {
  std::vector<std::string> unknown;
  for (const auto& [name, entries] : entries_of_) {
    if (!clocks_.contains(name)) unknown.push_back(name);
  }
  if (unknown.empty()) return;
  diagnostics.Count("unknown-delay-clock", Severity::kWarning, unknown.size(), unknown.front());
}

}  // namespace syncline
