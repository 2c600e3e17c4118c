#include "write/chrome/chrome_writer.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "write/exported_order.h"
#include "write/json_text.h"
#include "write/nested_spans.h"

namespace syncline {
namespace {

class ChromeWriter {
 public:
  ChromeWriter(const ExportedTrace& trace, ByteSink output)
      : trace_(trace),
        output_(std::move(output)),
        origin_ns_(ExportedOrigin(trace)),
        has_begun_(trace.messages.size()) {
    for (const ExportedProcess& process : trace.processes) {
      is_bar_.push_back(FindNestedSpans(process));
    }
  }

  Result<void> Run() {
    WriteHead();
    ExportedOrder order(trace_, ExportOrder::kByTime);
    while (const std::optional<VisitedExport> visited = order.Next()) {
      WriteEvent(*visited);
      for (const ExportedLink& link : visited->links) WriteArrow(*visited, link);
      SYNCLINE_TRY(output_.Append(text_));
      text_.clear();
    }
    text_ += "\n]}\n";
    SYNCLINE_TRY(output_.Append(text_));
    return output_.Flush();
  }

 private:
  template <typename... Values>
  void Append(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void AppendString(std::string_view key, std::string_view value) {
    Append(",\"{}\":", key);
    AppendJsonString(value, text_);
  }

  void WriteHead() {
    Append("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"origin_ns\":{}", origin_ns_);
    AppendString("times", trace_.is_corrected ? "corrected" : "recorded");
    if (trace_.is_corrected) AppendString("reference", trace_.reference);
    text_ += "},\"traceEvents\":[\n";
    const char* separator = "";
    for (size_t i = 0; i < trace_.traces.clocks.size(); ++i) {
      Append("{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":",
             separator, i + 1);
      AppendJsonString(trace_.traces.clocks[i].name, text_);
      text_ += "}}";
      separator = ",\n";
    }
    for (size_t i = 0; i < trace_.traces.processes.size(); ++i) {
      const Process& process = trace_.traces.processes[i];
      Append("{}{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":",
             separator, process.clock.value + 1, i + 1);
      AppendJsonString(process.name, text_);
      if (!process.label.empty()) AppendString("label", process.label);
      text_ += "}}";
      separator = ",\n";
    }
  }

  // Up to the time, without the closing brace.
  void WriteBegin(std::string_view phase, const VisitedExport& visited) {
    const uint32_t clock = trace_.traces.processes[visited.process.index()].clock.value;
    Append(",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase, clock + 1,
           visited.process.value + 1);
    AppendMicroseconds(
        static_cast<uint64_t>(visited.event.time.ns) - static_cast<uint64_t>(origin_ns_), text_);
  }

  void WriteEvent(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    const bool is_bar = is_bar_[visited.process.index()][visited.index];
    const bool is_end = event.kind == EventKind::kLeave || event.kind == EventKind::kCollectiveEnd;
    WriteBegin(!is_bar ? "X" : is_end ? "E" : "B", visited);
    if (!is_bar) text_ += ",\"dur\":0";
    AppendString("cat", ExportedKind(event.kind));
    AppendString("name", ExportedName(trace_, event));
    // The arguments of a bar's begin and end become one list.
    WriteArguments(visited, is_bar && is_end ? "end_" : "");
    text_ += "}";
  }

  void WriteArguments(const VisitedExport& visited, std::string_view prefix) {
    const ExportedEvent& event = visited.event;
    Append(",\"args\":{{\"{}recorded_ns\":{}", prefix, trace_.RecordedNs(visited.process, event));
    if (trace_.is_corrected) {
      Append(",\"{}corrected_ns\":{}", prefix, event.time.ns);
      if (const auto bound = trace_.bound_ns(visited.process, event)) {
        Append(",\"{}bound_ns\":{}", prefix, *bound);
      }
    }
    if (prefix.empty()) WriteMessage(visited);
    text_ += "}";
  }

  void WriteMessage(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    const std::string_view peer = ExportedPeer(trace_, visited);
    if (!peer.empty()) AppendString("peer", peer);
    if (event.has_message) AppendString("message", ExportedMessageName(trace_, event));
    if (event.group > 0) AppendString("group", trace_.names[event.group]);
    if (event.bytes > 0) Append(",\"bytes\":{}", event.bytes);
  }

  void WriteArrow(const VisitedExport& visited, const ExportedLink& link) {
    const ExportedMessage& message = trace_.messages[link.message];
    const bool is_inverted = trace_.ReceiveOf(message).time < trace_.SendOf(message).time;
    const bool is_end = has_begun_[link.message];
    has_begun_[link.message] = true;
    WriteBegin(is_end ? "f" : "s", visited);
    // Viewers join ends of equal id, category and name.
    Append(",\"id\":{},\"cat\":\"{}\",\"name\":\"{}\"{}}}", link.message + 1,
           message.is_of_collective ? "collective" : "message",
           is_inverted ? "received before sent" : "message", is_end ? ",\"bp\":\"e\"" : "");
  }

  const ExportedTrace& trace_;
  ByteSink output_;
  int64_t origin_ns_;
  std::vector<std::vector<bool>> is_bar_;  // by process and event
  std::vector<bool> has_begun_;            // by message: its arrow
  std::string text_;
};

}  // namespace

Result<void> WriteChrome(const ExportedTrace& trace, ByteSink output) {
  return ChromeWriter(trace, std::move(output)).Run();
}

}  // namespace syncline
