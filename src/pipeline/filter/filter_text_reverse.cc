#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/event.h"
#include "syncline/time.h"

#include "base/try.h"
#include "pipeline/filter/filter_run.h"

namespace syncline {
namespace {

constexpr size_t kBlock = size_t{1} << 22;

// The opposite time. INT64_MIN has none but its neighbour's.
constexpr int64_t Opposite(int64_t ns) { return ns == INT64_MIN ? INT64_MAX : -ns; }

EventKind OppositeKind(EventKind kind) {
  switch (kind) {
    case EventKind::kSend: return EventKind::kReceive;
    case EventKind::kReceive: return EventKind::kSend;
    case EventKind::kCollectiveBegin: return EventKind::kCollectiveEnd;
    case EventKind::kCollectiveEnd: return EventKind::kCollectiveBegin;
    case EventKind::kBroadcast:
    case EventKind::kBlock:
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kMark: return EventKind::kMark;
  }
  return EventKind::kMark;
}

CollectiveFlow OppositeFlow(CollectiveFlow flow) {
  if (flow == CollectiveFlow::kOneToAll) return CollectiveFlow::kAllToOne;
  if (flow == CollectiveFlow::kAllToOne) return CollectiveFlow::kOneToAll;
  return flow;
}

// Only scans look at the order of ranks.
TraceSet WithOppositeRanks(TraceSet traces) {
  for (Group& group : traces.groups) std::ranges::reverse(group.members);
  return traces;
}

class ReverseTextFilter : public FilterRun {
 public:
  ReverseTextFilter(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
                    Progress& progress)
      : FilterRun(options, delays, std::move(output), progress) {}

  Result<FilterOutcome> Run(TextReader& reader) {
    ReadAll(reader);
    if (reader.error()) return tl::unexpected(*reader.error());
    Declare(reader.traces());
    lanes_.resize(reader.traces().processes.size());
    adapter_.Declare(WithOppositeRanks(reader.traces()));
    FindReceivers();
    while (const auto process = filter_.Starving()) {
      const Lane& lane = lanes_[process->index()];
      if (lane.pushed == lane.events.size()) {
        filter_.End(*process);
      } else {
        Push(*process, reader.names());
      }
      if (output_.error()) return tl::unexpected(*output_.error());
    }
    SYNCLINE_TRY(Finish());
    return MakeReverseOutcome(reader);
  }

  void OnEvent(const RetimedEvent& event) override {
    Lane& lane = lanes_[event.process.index()];
    Stored& stored = lane.events.back();
    if (--stored.pending > 0) return;  // the last part of a broadcast is the one furthest back
    ProcessReport& report = lane.report;
    const int64_t advance = SaturatedDifference(event.after.ns, event.before.ns);
    if (report.events > 0) {
      const int64_t interval = SaturatedDifference(event.before.ns, lane.last_before_ns);
      report.least_interval_ns = std::min(report.least_interval_ns.value_or(INT64_MAX), interval);
    }
    lane.last_before_ns = event.before.ns;
    ++report.events;
    report.moved += advance != 0 ? 1 : 0;
    report.last_advance_ns = -advance;
    report.largest_advance_ns = std::max(report.largest_advance_ns, advance);
    Note(event);
    output_.WriteEvent(LineOf(stored), GlobalTime{stored.event.time.ticks},
                       GlobalTime{Opposite(event.after.ns)});
    lane.events.pop_back();
    --lane.pushed;
  }

  void OnMessage(const RetimedMessage& message) override {
    RetimedMessage forward = message;
    std::swap(forward.sender, forward.receiver);
    figures_.OnMessage(forward);
  }

 private:
  struct Stored {
    Event event;           // its time: nominal nanoseconds
    uint32_t block = 0;    // of the lines
    uint32_t offset = 0;   // in the block
    uint32_t before = 0;   // bytes before the line's time
    uint32_t after = 0;    // and behind it
    uint32_t pending = 0;  // parts of it that the logical clock has not put out
    bool takes_part = true;
  };
  struct Lane {
    std::deque<Stored> events;  // in program order, without those that came out
    size_t pushed = 0;          // of them, the last ones
    uint64_t numbered = 0;
    int64_t last_before_ns = 0;
    ProcessReport report;  // of what came out
  };

  void ReadAll(TextReader& reader) {
    while (const TextLine* line = reader.NextLine()) {
      progress_->Advance(line->text.size());
      if (line->kind == TextLine::Kind::kEvent) {
        Store(reader, *line);
      } else {
        output_.WriteLine(*line, reader.traces());
      }
    }
  }

  void Store(const TextReader& reader, const TextLine& line) {
    const TraceSet& traces = reader.traces();
    Stored stored{.event = reader.event(), .takes_part = reader.takes_part()};
    const Process& process = traces.processes[stored.event.process.index()];
    stored.event.time.ticks = traces.clocks[process.clock.index()].NominalNs(stored.event.time);
    if (options_->start_ns && stored.event.time.ticks > *options_->start_ns) {
      ++left_out_;
      return;
    }
    const LineParts parts = PartsOf(line);
    if (lines_.empty() || lines_.back().size() + line.text.size() > kBlock) {
      lines_.emplace_back().reserve(kBlock);
    }
    stored.block = static_cast<uint32_t>(lines_.size() - 1);
    stored.offset = static_cast<uint32_t>(lines_.back().size());
    stored.before = static_cast<uint32_t>(parts.before.size());
    stored.after = static_cast<uint32_t>(parts.after.size());
    lines_.back().append(parts.before).append(parts.after);
    lanes_.resize(traces.processes.size());
    lanes_[stored.event.process.index()].events.push_back(stored);
    ++stored_;
  }

  void FindReceivers() {
    for (const Lane& lane : lanes_) {
      for (const Stored& stored : lane.events) {
        const Event& event = stored.event;
        if (event.kind == EventKind::kBroadcast) receivers_[{event.process, event.message}];
      }
    }
    if (receivers_.empty()) return;
    for (const Lane& lane : lanes_) {
      for (const Stored& stored : lane.events) {
        const Event& event = stored.event;
        if (event.kind != EventKind::kReceive || event.peer == event.process) continue;
        const auto broadcast = receivers_.find({event.peer, event.message});
        if (broadcast == receivers_.end()) continue;
        std::vector<ProcessId>& receivers = broadcast->second;
        if (receivers.empty() || receivers.back() != event.process) {
          receivers.push_back(event.process);
        }
      }
    }
  }

  // The latest event of the process that was not pushed yet.
  void Push(ProcessId process, std::span<const std::string> names) {
    Lane& lane = lanes_[process.index()];
    Stored& stored = lane.events[lane.events.size() - 1 - lane.pushed];
    ++lane.pushed;
    Event event = stored.event;
    event.kind = OppositeKind(event.kind);
    const uint64_t number = lane.numbered++;
    stored.pending = 1;
    if (stored.event.kind == EventKind::kBroadcast) {
      const auto& receivers = receivers_[{process, event.message}];
      stored.pending = std::max<uint32_t>(1, static_cast<uint32_t>(receivers.size()));
      event.kind = receivers.empty() ? EventKind::kMark : EventKind::kReceive;
      for (const ProcessId receiver : receivers) {
        event.peer = receiver;
        filter_.Push(Adapted(event, number, names));
      }
      if (!receivers.empty()) return;
    }
    LogicalEvent adapted = Adapted(event, number, names);
    adapted.takes_part = stored.takes_part;
    filter_.Push(adapted);
  }

  LogicalEvent Adapted(const Event& event, uint64_t number, std::span<const std::string> names) {
    const GlobalTime time{Opposite(event.time.ticks)};
    LogicalEvent opposite = adapter_.Adapt(event, time, number, names);
    opposite.flow = OppositeFlow(opposite.flow);
    return opposite;
  }

  LineParts LineOf(const Stored& stored) const {
    const std::string_view line(lines_[stored.block]);
    return {line.substr(stored.offset, stored.before),
            line.substr(stored.offset + stored.before, stored.after)};
  }

  FilterOutcome MakeReverseOutcome(const TextReader& reader) {
    FilterOutcome outcome = MakeOutcome(reader);
    if (outcome.timeline) outcome.timeline = Mirrored(*std::move(outcome.timeline));
    LogicalReport& report = outcome.report;
    for (size_t i = 0; i < lanes_.size(); ++i) report.processes[i] = lanes_[i].report;
    std::swap(report.unmatched_sends, report.unmatched_receives);
    report.peak_buffered = stored_;
    if (auto& first = report.cycles.first) {
      std::swap(first->sender, first->receiver);
      std::swap(first->send_tag, first->receive_tag);
    }
    CountFindings(outcome);
    return outcome;
  }

  std::vector<std::string> lines_;  // in blocks, so that nothing is copied as they grow
  std::vector<Lane> lanes_;         // by process
  // Of each broadcast, by its sender and message.
  absl::flat_hash_map<std::pair<ProcessId, uint64_t>, std::vector<ProcessId>> receivers_;
  uint64_t stored_ = 0;
};

}  // namespace

Result<FilterOutcome> FilterReverse(const TextFilterOptions& options, FilterDelays& delays,
                                    FilterOutput output, Progress& progress, InputFile input) {
  TextReader reader = TextReader::FromFile(std::move(input));
  return ReverseTextFilter(options, delays, std::move(output), progress).Run(reader);
}

}  // namespace syncline
