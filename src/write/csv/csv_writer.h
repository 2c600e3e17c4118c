// Writes a trace as tables: one of its events, one of its messages (RFC 4180).
//
// A head line names the columns; lines end in CR LF; a field is quoted where it holds a comma, a
// quote or a line end. Units: nanoseconds; what is not known is empty. Events come in order of
// time, messages in that of their sends within each sender. Bytes that are no UTF-8 and NUL become
// U+FFFD, other control characters but line ends and tabs what ForTerminal() makes of them. Errors:
// those of the output. Cost: about 0.5 µs and 100 bytes per event. Memory: one block. Tested by:
// csv_writer_test.cc, convert_command_test.cc (read by Python).
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

Result<void> WriteCsv(const ExportedTrace& trace, ByteSink output);
// Puts ' before a name that spreadsheets would take for a formula (OWASP, "CSV Injection").
void QuoteFormula(std::string& name);
// The same of all names of the trace.
void QuoteFormulas(ExportedTrace& trace);
Result<void> WriteCsvMessages(const ExportedTrace& trace, ByteSink output);

}  // namespace syncline
