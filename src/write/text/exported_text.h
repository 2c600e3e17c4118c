// Writes a trace of any format as Syncline's text, which reads back as the same trace.
//
// Times as recorded stay ticks of the clocks; corrected ones become nanoseconds. Messages keep the
// ids of text traces; others are called by the number of their first message, broadcasts by one
// name. An event that both receives and sends becomes two; one without partner, that names none, a
// mark. Comments of texts stand above or behind what they stood beside. Errors: those of TextWriter
// and the output. Cost: about 0.3 µs per event. Memory: one block. Tested by: exported_text_test.cc
// (by reading back), convert_command_test.cc.
#pragma once

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

Result<void> WriteExportedText(const ExportedTrace& trace, ByteSink output);

}  // namespace syncline
