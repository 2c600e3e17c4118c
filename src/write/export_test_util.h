// Traces to be exported, as tests make them.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

// Processes of one clock each, called alike, of nanoseconds. Times as recorded are 100 ns less than
// corrected ones; every ± is 7 ns.
class ExportBuilder {
 public:
  explicit ExportBuilder(const std::vector<std::string>& processes) {
    for (const std::string& name : processes) {
      const ClockId clock(static_cast<uint32_t>(trace_.traces.clocks.size()));
      trace_.traces.clocks.push_back({.name = name});
      trace_.traces.processes.push_back({.name = name, .clock = clock});
    }
    trace_.processes.resize(processes.size());
    trace_.is_corrected = true;
    trace_.reference = processes.front();
    trace_.bound_ns = [](ProcessId, const ExportedEvent&) { return std::optional<int64_t>(7); };
  }

  // Returns the event's number.
  uint64_t Add(uint32_t process, int64_t ns, EventKind kind, const std::string& name = "") {
    uint32_t number = 0;
    while (number < trace_.names.size() && trace_.names[number] != name) ++number;
    if (number == trace_.names.size()) trace_.names.push_back(name);
    auto& events = trace_.processes[process].events;
    events.push_back(
        {.local = {ns - 100}, .time = {ns}, .name = number, .peer = kNoPeer, .kind = kind});
    return events.size() - 1;
  }
  // Between the latest event of `from` and that of `to`, of this number.
  void Link(uint32_t from, uint32_t to, uint64_t number) {
    Link({.from = from,
          .to = to,
          .send = trace_.processes[from].events.size() - 1,
          .receive = trace_.processes[to].events.size() - 1},
         number);
  }
  void Link(const ExportedMessage& message, uint64_t number) {
    const uint64_t link = trace_.messages.size();
    trace_.messages.push_back(message);
    Name(message.from, message.send, message.to, number);
    Name(message.to, message.receive, message.from, number);
    trace_.processes[message.from].links.push_back({message.send, link});
    trace_.processes[message.to].links.push_back({message.receive, link});
  }
  void Message(uint32_t from, int64_t sent_ns, uint32_t to, int64_t received_ns, uint64_t number) {
    Add(from, sent_ns, EventKind::kSend);
    Add(to, received_ns, EventKind::kReceive);
    Link(from, to, number);
  }
  ExportedTrace& trace() { return trace_; }

 private:
  void Name(uint32_t process, uint64_t event, uint32_t peer, uint64_t number) {
    ExportedEvent& named = trace_.processes[process].events[event];
    named.peer = peer;
    named.message = number;
    named.has_message = true;
  }

  ExportedTrace trace_;
};

template <typename Write>
std::string Written(const ExportedTrace& trace, Write write) {
  std::string text;
  auto done = write(trace, ByteSink([&](std::string_view bytes) {
                      text += bytes;
                      return Result<void>();
                    }));
  EXPECT_TRUE(done.has_value());
  return text;
}

}  // namespace syncline
