#include "write/text/exported_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "write/exported_order.h"
#include "write/text/line_parts.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

class ExportedText {
 public:
  ExportedText(const ExportedTrace& trace, ByteSink output)
      : trace_(trace), names_(trace.names), writer_(std::move(output)) {
    writer_.SetMessageNames(&trace.message_names);
    writer_.SetComments(&trace.comments.declarations);
    FindRepeats();
    // What an event without a partner and a name is called.
    for (int i = 0; i <= static_cast<int>(EventKind::kCollectiveEnd); ++i) {
      names_.emplace_back(ExportedKind(static_cast<EventKind>(i)));
    }
  }

  Result<void> Run() {
    SYNCLINE_TRY(writer_.Declare(Definitions()));
    ExportedOrder order(trace_, ExportOrder::kByTime);
    while (const std::optional<VisitedExport> visited = order.Next()) {
      const auto* comment = trace_.comments.Find(visited->process, visited->index);
      if (comment != nullptr) SYNCLINE_TRY(writer_.Comment(*comment));
      SYNCLINE_TRY(WriteEvent(*visited));
    }
    SYNCLINE_TRY(writer_.Comment({.above = trace_.comments.end}));
    return writer_.Finish();
  }

 private:
  TraceSet Definitions() const {
    TraceSet traces = trace_.traces;
    if (!trace_.is_corrected) return traces;
    for (Clock& clock : traces.clocks) {
      clock = {.name = clock.name, .reading_ns = CorrectedReadingNs(clock.reading_ns)};
    }
    return traces;
  }

  Result<void> WriteEvent(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    Event line{.time = trace_.is_corrected ? LocalTime{event.time.ns} : event.local,
               .process = visited.process,
               .kind = event.kind,
               .is_root = event.is_root,
               .message = event.message,
               .bytes = event.bytes,
               .name = event.name,
               .group = event.group};
    switch (event.kind) {
      case EventKind::kSend:
      case EventKind::kReceive: return WriteTransfers(visited, line);
      case EventKind::kCollectiveBegin:
      case EventKind::kCollectiveEnd:
        if (!event.has_message) return WriteMark(line);
        return event.bytes > 0 || event.moves_nothing ? writer_.WriteSized(line, names_)
                                                      : writer_.Write(line, names_);
      case EventKind::kMark: return WriteMark(line);
      default: return writer_.Write(line, names_);
    }
  }

  Result<void> WriteMark(Event line) {
    if (line.name == 0) line.name = NameOfKind(line.kind);
    line.kind = EventKind::kMark;
    return writer_.Write(line, names_);
  }

  // Of messages of one event to one process, all but the first: equal ids would be ambiguous.
  void FindRepeats() {
    repeats_.resize(trace_.messages.size());
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) {
      std::set<std::pair<uint64_t, uint32_t>> receivers;  // by event
      for (const ExportedLink& link : trace_.processes[i].links) {
        const ExportedMessage& message = trace_.messages[link.message];
        if (trace_.IsReceive(ProcessId(i), link) || message.is_of_collective) continue;
        if (!receivers.empty() && receivers.begin()->first != link.event) receivers.clear();
        repeats_[link.message] = !receivers.insert({link.event, message.to}).second;
      }
    }
  }

  uint64_t IdOf(uint64_t message) const {
    constexpr uint64_t kFirstRepeat = uint64_t{1} << 62;  // above what formats and messages count
    return repeats_[message] ? kFirstRepeat + message
                             : trace_.SendOf(trace_.messages[message]).message;
  }

  // A text's own sends and receives name their peer, with a partner or without.
  Result<void> WriteTransfers(const VisitedExport& visited, Event line) {
    if (visited.event.peer == kNoPeer) return WriteMark(line);
    const auto is_receive = [&](const ExportedLink& link) {
      return trace_.IsReceive(visited.process, link);
    };
    for (const ExportedLink& link : visited.links) {
      const ExportedMessage& message = trace_.messages[link.message];
      if (!is_receive(link) || message.is_of_collective) continue;
      Event receive = line;
      receive.kind = EventKind::kReceive;
      receive.peer = ProcessId(message.from);
      receive.message = IdOf(link.message);
      SYNCLINE_TRY(writer_.Write(receive, names_));
    }
    const auto sends = std::ranges::count_if(visited.links, [&](const ExportedLink& link) {
      return !is_receive(link) && !trace_.messages[link.message].is_of_collective &&
             !repeats_[link.message];
    });
    const bool is_alone = visited.links.empty();
    if (sends == 0 && !is_alone) return {};
    line.peer = ProcessId(visited.event.peer);
    Event first = line;
    if (sends > 1) first.kind = EventKind::kBroadcast;
    SYNCLINE_TRY(writer_.Write(first, names_));
    for (const ExportedLink& link : visited.links) {
      if (is_receive(link) || !repeats_[link.message]) continue;
      line.peer = ProcessId(trace_.messages[link.message].to);
      line.message = IdOf(link.message);
      SYNCLINE_TRY(writer_.Write(line, names_));
    }
    return {};
  }

  uint32_t NameOfKind(EventKind kind) const {
    return static_cast<uint32_t>(trace_.names.size()) + static_cast<uint32_t>(kind);
  }

  const ExportedTrace& trace_;
  std::vector<std::string> names_;
  std::vector<bool> repeats_;  // by message
  TextWriter writer_;
};

}  // namespace

Result<void> WriteExportedText(const ExportedTrace& trace, ByteSink output) {
  return ExportedText(trace, std::move(output)).Run();
}

}  // namespace syncline
