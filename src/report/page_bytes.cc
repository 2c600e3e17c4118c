#include "report/page_bytes.h"

namespace syncline {
namespace {

// 1: some events of the process were advanced by the logical clock; 2: some have names.
uint8_t FieldsOf(const ReportTrace::Process& process) {
  uint8_t fields = 0;
  for (const ReportTrace::Event& event : process.events) {
    if (event.advance_ns != 0) fields |= 1;
    if (event.name != 0) fields |= 2;
  }
  return fields;
}

void WriteProcess(const ReportTrace& trace, const ReportTrace::Process& process,
                  ByteWriter& writer) {
  const uint8_t fields = FieldsOf(process);
  writer.Byte(fields);
  int64_t recorded = trace.clocks[process.clock].first_recorded_ns;
  int64_t corrected = trace.extent.from_ns;
  uint64_t index = 0;
  for (const ReportTrace::Event& event : process.events) {
    // Times of one clock go on together: what differs is little.
    const auto step = static_cast<int64_t>(static_cast<uint64_t>(event.recorded_ns) -
                                           static_cast<uint64_t>(recorded));
    const auto corrected_step = static_cast<int64_t>(static_cast<uint64_t>(event.corrected_ns) -
                                                     static_cast<uint64_t>(corrected));
    writer.Signed(step);
    writer.Difference(corrected_step, step);
    writer.Difference(static_cast<int64_t>(event.index), static_cast<int64_t>(index));
    writer.Byte(static_cast<uint8_t>(event.kind));
    if (fields & 1) writer.Signed(event.advance_ns);
    if (fields & 2) writer.Unsigned(event.name);
    recorded = event.recorded_ns;
    corrected = event.corrected_ns;
    index = event.index;
  }
}

}  // namespace

void ByteWriter::Unsigned(uint64_t value) {
  while (value >= 0x80) {
    Byte(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  Byte(static_cast<uint8_t>(value));
}

std::string EncodeTrace(const ReportTrace& trace) {
  ByteWriter writer;
  for (const ReportTrace::Process& process : trace.processes) {
    WriteProcess(trace, process, writer);
  }
  std::vector<int64_t> last(trace.processes.size());  // the event of the latest message at each
  for (const ReportTrace::Message& message : trace.messages) {
    writer.Unsigned(message.from * 2ULL + (message.is_of_collective ? 1 : 0));
    writer.Unsigned(message.to);
    writer.Difference(message.send, last[message.from]);
    last[message.from] = message.send;
    writer.Difference(message.receive, last[message.to]);
    last[message.to] = message.receive;
  }
  return writer.Take();
}

}  // namespace syncline
