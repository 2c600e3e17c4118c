#include "write/perfetto/perfetto_writer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "write/exported_order.h"
#include "write/json_text.h"
#include "write/nested_spans.h"
#include "write/perfetto/wire.h"

namespace syncline {
namespace {

// The numbers of the fields of Perfetto's trace format that are written here, by message: from its
// documented definitions (protos/perfetto/trace), whose numbers never change meaning.
// testdata/trace.proto repeats them.
constexpr uint32_t kPacket = 1;  // of the trace

namespace packet {
constexpr uint32_t kClockSnapshot = 6;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequence = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kInternedData = 12;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1;  // of kSequenceFlags
constexpr uint64_t kNeedsState = 2;
}  // namespace packet

namespace clock_snapshot {
constexpr uint32_t kClock = 1;
constexpr uint32_t kClockId = 1;  // of a clock
constexpr uint32_t kClockTimestamp = 2;
constexpr uint64_t kRealtime = 1;  // of kClockId
constexpr uint64_t kBoottime = 6;
}  // namespace clock_snapshot

namespace track {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kParent = 5;
}  // namespace track

namespace event {
constexpr uint32_t kCategory = 3;  // interned
constexpr uint32_t kAnnotation = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kName = 10;  // interned
constexpr uint32_t kTrack = 11;
constexpr uint32_t kFlow = 47;
constexpr uint64_t kSliceBegin = 1;  // of kType
constexpr uint64_t kSliceEnd = 2;
constexpr uint64_t kInstant = 3;
}  // namespace event

namespace annotation {
constexpr uint32_t kName = 1;  // interned
constexpr uint32_t kSigned = 4;
constexpr uint32_t kText = 6;
}  // namespace annotation

namespace interned {
constexpr uint32_t kCategories = 1;
constexpr uint32_t kEventNames = 2;
constexpr uint32_t kAnnotationNames = 3;
constexpr uint32_t kId = 1;  // of an entry of any of them
constexpr uint32_t kName = 2;
}  // namespace interned

constexpr uint64_t kOnlySequence = 1;

// Interned by their place here, from 1.
enum class Argument : uint64_t {
  kRecorded = 1,
  kCorrected,
  kBound,
  kPeer,
  kMessage,
  kGroup,
  kBytes
};
constexpr const char* kArgumentNames[] = {"recorded_ns", "corrected_ns", "bound_ns", "peer",
                                          "message",     "group",        "bytes"};
constexpr int kKinds = static_cast<int>(EventKind::kCollectiveEnd) + 1;

uint64_t CategoryOf(EventKind kind) { return static_cast<uint64_t>(kind) + 1; }

class PerfettoWriter {
 public:
  PerfettoWriter(const ExportedTrace& trace, ByteSink output)
      : trace_(trace),
        output_(std::move(output)),
        origin_ns_(ExportedOrigin(trace)),
        is_known_(trace.names.size()) {
    for (const ExportedProcess& process : trace.processes) {
      is_bar_.push_back(FindNestedSpans(process));
    }
  }

  Result<void> Run() {
    SYNCLINE_TRY(WriteHead());
    ExportedOrder order(trace_, ExportOrder::kByTime);
    while (const std::optional<VisitedExport> visited = order.Next()) {
      SYNCLINE_TRY(WriteEvent(*visited));
    }
    return output_.Flush();
  }

 private:
  Result<void> Write(const WireMessage& packet) {
    file_.Clear();
    file_.AddMessage(kPacket, packet);
    return output_.Append(file_.bytes());
  }

  Result<void> WriteHead() {
    if (origin_ns_ >= 0) SYNCLINE_TRY(WriteSnapshot());
    const size_t clocks = trace_.traces.clocks.size();
    for (size_t i = 0; i < clocks; ++i) {
      const std::string name = fmt::format("clock {}", trace_.traces.clocks[i].name);
      SYNCLINE_TRY(WriteTrack(i + 1, 0, name));
    }
    for (size_t i = 0; i < trace_.traces.processes.size(); ++i) {
      const Process& process = trace_.traces.processes[i];
      const bool is_labelled = !process.label.empty() && process.label != process.name;
      const std::string name =
          is_labelled ? fmt::format("{} {}", process.name, process.label) : process.name;
      SYNCLINE_TRY(WriteTrack(clocks + i + 1, process.clock.value + 1, name));
    }
    return WriteFixedNames();
  }

  // Timestamp 0 is the earliest event.
  Result<void> WriteSnapshot() {
    WireMessage snapshot;
    for (const auto& [clock, time] :
         {std::pair(clock_snapshot::kBoottime, uint64_t{0}),
          std::pair(clock_snapshot::kRealtime, static_cast<uint64_t>(origin_ns_))}) {
      WireMessage entry;
      entry.AddVarint(clock_snapshot::kClockId, clock);
      entry.AddVarint(clock_snapshot::kClockTimestamp, time);
      snapshot.AddMessage(clock_snapshot::kClock, entry);
    }
    WireMessage packet;
    packet.AddMessage(packet::kClockSnapshot, snapshot);
    packet.AddVarint(packet::kSequence, kOnlySequence);
    return Write(packet);
  }

  Result<void> WriteTrack(uint64_t uuid, uint64_t parent, const std::string& name) {
    WireMessage descriptor;
    descriptor.AddVarint(track::kUuid, uuid);
    descriptor.AddBytes(track::kName, ValidUtf8(name));
    if (parent > 0) descriptor.AddVarint(track::kParent, parent);
    WireMessage packet;
    packet.AddMessage(packet::kTrackDescriptor, descriptor);
    packet.AddVarint(packet::kSequence, kOnlySequence);
    return Write(packet);
  }

  static WireMessage Entry(uint64_t id, std::string_view name) {
    WireMessage entry;
    entry.AddVarint(interned::kId, id);
    entry.AddBytes(interned::kName, ValidUtf8(name));
    return entry;
  }

  // Kinds and arguments; what events are called comes with the first of them.
  Result<void> WriteFixedNames() {
    WireMessage data;
    for (int i = 0; i < kKinds; ++i) {
      const auto kind = static_cast<EventKind>(i);
      data.AddMessage(interned::kCategories, Entry(CategoryOf(kind), ExportedKind(kind)));
      // Events without a name are called like their kind, by numbers after those of names.
      data.AddMessage(interned::kEventNames, Entry(NameOfKind(kind), ExportedKind(kind)));
    }
    uint64_t number = 0;
    for (const char* name : kArgumentNames) {
      data.AddMessage(interned::kAnnotationNames, Entry(++number, name));
    }
    WireMessage packet;
    packet.AddMessage(packet::kInternedData, data);
    packet.AddVarint(packet::kSequence, kOnlySequence);
    packet.AddVarint(packet::kSequenceFlags, packet::kStateCleared);
    return Write(packet);
  }

  uint64_t NameOfKind(EventKind kind) const { return trace_.names.size() + CategoryOf(kind); }

  Result<void> WriteEvent(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    WireMessage body;
    body.AddVarint(event::kTrack, trace_.traces.clocks.size() + visited.process.value + 1);
    const uint64_t type = TypeOf(visited);
    body.AddVarint(event::kType, type);
    WireMessage packet;
    if (type != event::kSliceEnd) {
      body.AddVarint(event::kCategory, CategoryOf(event.kind));
      body.AddVarint(event::kName, event.name > 0 ? event.name : NameOfKind(event.kind));
      AddNameOnce(event.name, packet);
    }
    AddArguments(visited, body);
    for (const ExportedLink& link : visited.links) body.AddFixed64(event::kFlow, link.message + 1);
    packet.AddVarint(packet::kTimestamp,
                     static_cast<uint64_t>(event.time.ns) - static_cast<uint64_t>(origin_ns_));
    packet.AddMessage(packet::kTrackEvent, body);
    packet.AddVarint(packet::kSequence, kOnlySequence);
    packet.AddVarint(packet::kSequenceFlags, packet::kNeedsState);
    return Write(packet);
  }

  uint64_t TypeOf(const VisitedExport& visited) const {
    if (!is_bar_[visited.process.index()][visited.index]) return event::kInstant;
    const EventKind kind = visited.event.kind;
    const bool is_end = kind == EventKind::kLeave || kind == EventKind::kCollectiveEnd;
    return is_end ? event::kSliceEnd : event::kSliceBegin;
  }

  void AddNameOnce(uint32_t name, WireMessage& packet) {
    if (name == 0 || is_known_[name]) return;
    is_known_[name] = true;
    WireMessage data;
    data.AddMessage(interned::kEventNames, Entry(name, trace_.names[name]));
    packet.AddMessage(packet::kInternedData, data);
  }

  static WireMessage Annotation(Argument argument) {
    WireMessage annotation;
    annotation.AddVarint(annotation::kName, static_cast<uint64_t>(argument));
    return annotation;
  }
  static void AddNumber(Argument argument, int64_t value, WireMessage& body) {
    WireMessage annotation = Annotation(argument);
    annotation.AddSigned(annotation::kSigned, value);
    body.AddMessage(event::kAnnotation, annotation);
  }
  static void AddText(Argument argument, std::string_view value, WireMessage& body) {
    WireMessage annotation = Annotation(argument);
    annotation.AddBytes(annotation::kText, ValidUtf8(value));
    body.AddMessage(event::kAnnotation, annotation);
  }

  void AddArguments(const VisitedExport& visited, WireMessage& body) const {
    const ExportedEvent& event = visited.event;
    AddNumber(Argument::kRecorded, trace_.RecordedNs(visited.process, event), body);
    if (trace_.is_corrected) {
      AddNumber(Argument::kCorrected, event.time.ns, body);
      const auto bound = trace_.bound_ns(visited.process, event);
      if (bound) AddNumber(Argument::kBound, *bound, body);
    }
    const std::string_view peer = ExportedPeer(trace_, visited);
    if (!peer.empty()) AddText(Argument::kPeer, peer, body);
    if (event.has_message) AddText(Argument::kMessage, ExportedMessageName(trace_, event), body);
    if (event.group > 0) AddText(Argument::kGroup, trace_.names[event.group], body);
    if (event.bytes > 0) AddNumber(Argument::kBytes, static_cast<int64_t>(event.bytes), body);
  }

  const ExportedTrace& trace_;
  ByteSink output_;
  int64_t origin_ns_;
  std::vector<std::vector<bool>> is_bar_;  // by process and event
  std::vector<bool> is_known_;             // by name: it was written
  WireMessage file_;                       // one packet of it
};

}  // namespace

Result<void> WritePerfetto(const ExportedTrace& trace, ByteSink output) {
  return PerfettoWriter(trace, std::move(output)).Run();
}

}  // namespace syncline
