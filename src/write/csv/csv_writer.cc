#include "write/csv/csv_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/terminal_text.h"
#include "write/exported_order.h"
#include "write/json_text.h"

namespace syncline {
namespace {

// What terminals obey, but for line ends, is spelled out; NUL becomes U+FFFD.
std::string Unobeyed(std::string_view text) {
  constexpr std::string_view kOthers("\r\0", 2);
  std::string shown;
  for (;;) {
    const size_t end = text.find_first_of(kOthers);
    shown += ForTerminal(text.substr(0, end));
    if (end == std::string_view::npos) return shown;
    shown += text[end] == '\0' ? "\xEF\xBF\xBD" : "\r";
    text.remove_prefix(end + 1);
  }
}

class Row {
 public:
  void Add(std::string_view field) {
    Separate();
    text_ += field;
  }
  void Add(int64_t number) { Add(std::string_view(fmt::format_int(number).c_str())); }
  void Add(uint64_t number) { Add(std::string_view(fmt::format_int(number).c_str())); }
  // Any bytes.
  void AddText(std::string_view field) {
    const bool is_plain = std::ranges::all_of(
        field, [](char c) { return c >= ' ' && c < 0x7F && c != ',' && c != '"'; });
    is_plain ? Add(field) : AddQuoted(field);
  }
  std::string_view Finish() {
    text_ += "\r\n";
    is_first_ = true;
    return text_;
  }
  void Clear() { text_.clear(); }

 private:
  void Separate() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
  }
  void AddQuoted(std::string_view field) {
    Separate();
    text_ += '"';
    for (const char c : Unobeyed(ValidUtf8(field))) {
      if (c == '"') text_ += '"';
      text_ += c;
    }
    text_ += '"';
  }

  std::string text_;
  bool is_first_ = true;
};

void AddOptional(std::optional<int64_t> number, Row& row) {
  number ? row.Add(*number) : row.Add(std::string_view());
}

void AddEvent(const ExportedTrace& trace, const VisitedExport& visited, Row& row) {
  const ExportedEvent& event = visited.event;
  const Process& process = trace.traces.processes[visited.process.index()];
  row.Add(event.time.ns);
  row.Add(trace.RecordedNs(visited.process, event));
  const auto bound = trace.is_corrected ? trace.bound_ns(visited.process, event) : std::nullopt;
  AddOptional(bound, row);
  row.AddText(trace.traces.clocks[process.clock.index()].name);
  row.AddText(process.name);
  row.Add(visited.index);
  row.Add(ExportedKind(event.kind));
  row.AddText(trace.names[event.name]);
  row.AddText(ExportedPeer(trace, visited));
  row.AddText(ExportedMessageName(trace, event));
  row.AddText(trace.names[event.group]);
  event.bytes > 0 || event.moves_nothing ? row.Add(event.bytes) : row.Add(std::string_view());
  const bool has_bounds = trace.is_corrected && trace.bounds;
  const ExportedBounds bounds =
      has_bounds ? trace.bounds(visited.process, event) : ExportedBounds();
  AddOptional(bounds.lower_ns, row);
  AddOptional(bounds.upper_ns, row);
}

int64_t Difference(int64_t later, int64_t earlier) {
  return Saturate(static_cast<Int128>(later) - earlier);
}

void AddMessage(const ExportedTrace& trace, const ExportedMessage& message, Row& row) {
  const ExportedEvent& send = trace.SendOf(message);
  const ExportedEvent& receive = trace.ReceiveOf(message);
  const int64_t sent_ns = trace.RecordedNs(ProcessId(message.from), send);
  const int64_t received_ns = trace.RecordedNs(ProcessId(message.to), receive);
  row.AddText(trace.traces.processes[message.from].name);
  row.AddText(trace.traces.processes[message.to].name);
  row.Add(message.is_of_collective ? std::string_view("collective") : "message");
  row.AddText(ExportedMessageName(trace, send));
  row.Add(message.send);
  row.Add(message.receive);
  row.Add(send.time.ns);
  row.Add(receive.time.ns);
  row.Add(Difference(receive.time.ns, send.time.ns));
  row.Add(sent_ns);
  row.Add(received_ns);
  row.Add(Difference(received_ns, sent_ns));
  const uint64_t bytes = std::max(send.bytes, receive.bytes);
  bytes > 0 && !message.is_of_collective ? row.Add(bytes) : row.Add(std::string_view());
}

}  // namespace

void QuoteFormula(std::string& name) {
  constexpr std::string_view kBegins = "=+-@\t\r\n";
  if (!name.empty() && kBegins.find(name[0]) != std::string_view::npos) name.insert(0, 1, '\'');
}

void QuoteFormulas(ExportedTrace& trace) {
  for (Clock& clock : trace.traces.clocks) QuoteFormula(clock.name);
  for (Process& process : trace.traces.processes) QuoteFormula(process.name);
  for (Group& group : trace.traces.groups) QuoteFormula(group.name);
  for (std::string& name : trace.names) QuoteFormula(name);
  for (auto& [message, name] : trace.message_names) QuoteFormula(name);
}

Result<void> WriteCsv(const ExportedTrace& trace, ByteSink output) {
  auto done = output.Append(
      "time_ns,recorded_ns,bound_ns,clock,process,event,kind,name,peer,message,group,bytes,lower_"
      "ns,upper_ns\r\n");
  Row row;
  ExportedOrder order(trace, ExportOrder::kByTime);
  while (const std::optional<VisitedExport> visited = order.Next()) {
    if (!done) return done;
    AddEvent(trace, *visited, row);
    done = output.Append(row.Finish());
    row.Clear();
  }
  return done ? output.Flush() : done;
}

Result<void> WriteCsvMessages(const ExportedTrace& trace, ByteSink output) {
  auto done = output.Append(
      "from,to,kind,message,send_event,receive_event,sent_ns,received_ns,delay_ns,sent_recorded_ns,"
      "received_recorded_ns,delay_recorded_ns,bytes\r\n");
  Row row;
  for (uint32_t i = 0; i < trace.processes.size(); ++i) {
    for (const ExportedLink& link : trace.processes[i].links) {
      if (trace.IsReceive(ProcessId(i), link)) continue;
      if (!done) return done;
      AddMessage(trace, trace.messages[link.message], row);
      done = output.Append(row.Finish());
      row.Clear();
    }
  }
  return done ? output.Flush() : done;
}

}  // namespace syncline
