// Copies a file of spans with other times: every start, end and moment, all other bytes as they
// are.
//
// Numbers stay numbers and strings strings; Jaeger's durations become those between the new times.
// Errors: those of SpanReader and of the output; kUnsupported for times before 1970, which the
// formats cannot say. Memory: the reader's and one block. Tested by: span_rewriter_test.cc,
// fuzz/spans_fuzz.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/byte_sink.h"
#include "base/file.h"
#include "read/spans/span_reader.h"

namespace syncline {

// The new time of the time of this number, among all that are there, in the order of SpanReader.
using RetimeSpan = std::function<GlobalTime(uint64_t number, LocalTime time)>;

// Does not commit `output`.
Result<void> RewriteSpans(const std::string& input, OutputFile& output, const RetimeSpan& retime);
// The same from any reader, which must not have read a piece yet.
Result<void> RewriteSpans(SpanReader& reader, const std::string& name, ByteSink output,
                          const RetimeSpan& retime);

}  // namespace syncline
