// Writes a trace as Chrome JSON (Trace Event Format), with an arrow for each message.
//
// One track per process: its thread in the process of its clock. Regions and collectives that nest
// are bars ("B", "E"), all other events slices without length ("X"), because arrows bind to slices.
// Arrows ("s", "f") follow the slices they bind to; the one of a message received before it was
// sent leads from the receive to the send, which is what viewers can draw, and is called so.
// Units: "ts" in microseconds since the earliest event, with three decimals written from integers;
// arguments in nanoseconds. Events come in order of time. Errors: those of the output.
// Cost: about 1 µs and 250 bytes per event, 250 bytes per message. Memory: one block, one bit per
// event and message. Method: "Trace Event Format", Google; flows as Perfetto's importer binds them.
// Tested by: chrome_writer_test.cc, convert_command_test.cc (read by Python).
#pragma once

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

Result<void> WriteChrome(const ExportedTrace& trace, ByteSink output);

}  // namespace syncline
