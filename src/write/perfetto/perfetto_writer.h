// Writes a trace in Perfetto's own format, with a flow for each message.
//
// One track per process, below one of its clock. Regions and collectives that nest are slices, all
// other events instants. Both ends of a message carry its flow; viewers let it lead from the
// earlier to the later.
// Units: timestamps in nanoseconds since the earliest event; a clock snapshot says when that was,
// where it is not before 1970. Annotations in nanoseconds. Events come in order of time. Names are
// written once. Errors: those of the output. Cost: about 0.6 µs and 70 bytes per event. Memory: one
// block, one bit per event, one number per name. Method: Perfetto's "Writing synthetic traces" and
// its definitions. Tested by: perfetto_writer_test.cc (decoded by protoc).
#pragma once

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

Result<void> WritePerfetto(const ExportedTrace& trace, ByteSink output);

}  // namespace syncline
