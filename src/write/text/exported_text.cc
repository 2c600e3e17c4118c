#include "write/text/exported_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "base/try.h"
#include "write/exported_order.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

class ExportedText {
 public:
  ExportedText(const ExportedTrace& trace, ByteSink output)
      : trace_(trace), names_(trace.names), writer_(std::move(output)) {
    writer_.SetMessageNames(&trace.message_names);
    writer_.SetComments(&trace.comments.declarations);
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

  // Of corrected times. Rates differ by less than a hundredth; both ends are rounded.
  static int64_t CorrectedReadingNs(int64_t reading_ns) {
    return reading_ns == 0 ? 0 : Saturate(static_cast<Int128>(reading_ns) + reading_ns / 100 + 2);
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
      receive.message = trace_.SendOf(message).message;
      SYNCLINE_TRY(writer_.Write(receive, names_));
    }
    const auto sends = std::ranges::count_if(visited.links, [&](const ExportedLink& link) {
      return !is_receive(link) && !trace_.messages[link.message].is_of_collective;
    });
    const bool is_alone = visited.links.empty();
    if (sends == 0 && !is_alone) return {};
    line.peer = ProcessId(visited.event.peer);
    if (sends > 1) line.kind = EventKind::kBroadcast;
    return writer_.Write(line, names_);
  }

  uint32_t NameOfKind(EventKind kind) const {
    return static_cast<uint32_t>(trace_.names.size()) + static_cast<uint32_t>(kind);
  }

  const ExportedTrace& trace_;
  std::vector<std::string> names_;
  TextWriter writer_;
};

}  // namespace

Result<void> WriteExportedText(const ExportedTrace& trace, ByteSink output) {
  return ExportedText(trace, std::move(output)).Run();
}

}  // namespace syncline
