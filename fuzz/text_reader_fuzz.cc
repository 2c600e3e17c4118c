// Reads any bytes as a text trace, matches its messages, and holds reader and writers to:
// - what is read does not depend on the block size;
// - no message joins a process with itself, and there are at most as many as receives;
// - copying with nominal times, and writing anew, gives a trace that reads the same.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "match/named_matcher.h"
#include "read/text/text_reader.h"
#include "write/text/text_rewriter.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

struct Trace {
  std::vector<Event> events;
  std::vector<uint64_t> indices;
  TraceSet traces;
  std::vector<std::string> names;
  std::string error;  // empty: read to the end
};

Trace Read(std::string_view text, size_t block) {
  TextReader reader = TextReader::FromMemory(text, block);
  Trace trace;
  while (const Event* event = reader.Next()) {
    trace.events.push_back(*event);
    trace.indices.push_back(reader.index());
  }
  trace.traces = reader.traces();
  trace.names = reader.names();
  if (reader.error()) trace.error = reader.error()->ToString();
  SYNCLINE_CHECK(reader.bytes_read() <= text.size());
  SYNCLINE_CHECK(reader.error() || reader.bytes_read() == text.size());
  return trace;
}

auto WithoutTime(const Event& e) {
  return std::tuple(e.process, e.kind, e.is_root, e.peer, e.message, e.bytes, e.name, e.group);
}

bool HaveSameGroups(const TraceSet& a, const TraceSet& b) {
  return std::equal(
      a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(),
      [](const Group& x, const Group& y) { return x.name == y.name && x.members == y.members; });
}

void CheckEqual(const Trace& a, const Trace& b) {
  SYNCLINE_CHECK(a.error == b.error);
  SYNCLINE_CHECK(a.events.size() == b.events.size());
  SYNCLINE_CHECK(a.traces.clocks == b.traces.clocks);
  SYNCLINE_CHECK(a.names == b.names);
  SYNCLINE_CHECK(HaveSameGroups(a.traces, b.traces));
  for (size_t i = 0; i < a.events.size(); ++i) {
    SYNCLINE_CHECK(a.events[i].time == b.events[i].time);
    SYNCLINE_CHECK(WithoutTime(a.events[i]) == WithoutTime(b.events[i]));
  }
}

struct Sink : MessageSink {
  void OnMessage(const Message& message) override {
    SYNCLINE_CHECK(message.send.process != message.receive.process);
    ++messages;
  }
  void OnBroadcast(const Broadcast& broadcast) override {
    SYNCLINE_CHECK(broadcast.receives.size() >= 2);
  }
  uint64_t messages = 0;
};

void Match(const Trace& trace) {
  Sink sink;
  NamedMatcher matcher(sink);
  uint64_t receives = 0;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    matcher.Add(trace.events[i], trace.indices[i]);
    receives += trace.events[i].kind == EventKind::kReceive ? 1 : 0;
  }
  Diagnostics diagnostics;
  const NamedMatchCounts counts = matcher.Finish(diagnostics);
  SYNCLINE_CHECK(counts.matched == sink.messages);
  SYNCLINE_CHECK(counts.matched + counts.unmatched_receives <= receives);
}

ByteSink Into(std::string& text) {
  return ByteSink([&text](std::string_view bytes) {
    text += bytes;
    return Result<void>();
  });
}

int64_t NominalNs(const TraceSet& traces, ProcessId process, LocalTime time) {
  const ClockId clock = traces.processes[process.index()].clock;
  return traces.clocks[clock.index()].NominalNs(time);
}

void CheckRewriting(std::string_view text, const Trace& trace) {
  TextReader reader = TextReader::FromMemory(text);
  std::string copy;
  const auto done = RewriteText(reader, Into(copy), [&](ProcessId p, uint64_t, LocalTime t) {
    return GlobalTime{NominalNs(trace.traces, p, t)};
  });
  SYNCLINE_CHECK(done.has_value() == trace.error.empty());
  if (!done) return;
  const Trace again = Read(copy, kFileBlock);
  SYNCLINE_CHECK(again.error.empty());
  SYNCLINE_CHECK(again.events.size() == trace.events.size());
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& before = trace.events[i];
    const Event& after = again.events[i];
    SYNCLINE_CHECK(WithoutTime(before) == WithoutTime(after));
    const int64_t nominal_ns = NominalNs(trace.traces, before.process, before.time);
    SYNCLINE_CHECK(after.time.ticks == nominal_ns);
    SYNCLINE_CHECK(NominalNs(again.traces, after.process, after.time) == nominal_ns);
  }
}

void CheckWriting(const Trace& trace) {
  std::string copy;
  TextWriter writer(Into(copy));
  SYNCLINE_CHECK(writer.Declare(trace.traces).has_value());
  for (const Event& event : trace.events) {
    SYNCLINE_CHECK(writer.Write(event, trace.names).has_value());
  }
  SYNCLINE_CHECK(writer.Finish().has_value());
  Trace again = Read(copy, kFileBlock);
  // Events that came before an error use only the names that were read until then.
  again.error = trace.error;
  if (!trace.error.empty()) again.names = trace.names;
  CheckEqual(trace, again);
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const syncline::Trace trace = syncline::Read(text, syncline::kFileBlock);
  syncline::CheckEqual(trace, syncline::Read(text, 1 + size % 13));
  syncline::Match(trace);
  syncline::CheckRewriting(text, trace);
  syncline::CheckWriting(trace);
  return 0;
}
