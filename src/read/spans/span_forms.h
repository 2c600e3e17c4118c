// The forms of files of spans: OTLP's JSON and protobuf, and Jaeger's JSON.
//
// Tested by: otlp_json_test.cc, otlp_protobuf_test.cc, jaeger_json_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "read/spans/span_piece.h"

namespace syncline {

// OTLP's JSON form: one element of "resourceSpans". Accepts what producers write besides the
// specification: numbers for times, names for kinds, the older "instrumentationLibrarySpans".

// Of an ExportTraceServiceRequest; as Grafana Tempo calls it.
inline constexpr std::string_view kOtlpKeys[] = {"resourceSpans", "batches"};

// Fills in the resource and the spans. Requires: simdjson::SIMDJSON_PADDING bytes behind
// piece.bytes. `clock_by`: an attribute to be kept besides the usual ones; may be empty.
simdjson::error_code ParseOtlpJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                   SpanPiece& piece);

// Spans of OTLP's protobuf form: one ExportTraceServiceRequest.
//
// Only the fields that matter are looked at; unknown ones are skipped, as protobuf has it. Times
// are fixed64, so that others of any value take their place. Errors: the byte at which the message
// is not protobuf. Cost: one pass.
struct ProtobufError {
  size_t at = 0;  // in the bytes that were given
  std::string_view what;
};

// Fills in what `message`, a part of piece.bytes, holds. The error, if any.
std::optional<ProtobufError> ParseOtlpProtobuf(std::string_view message, std::string_view clock_by,
                                               SpanPiece& piece);

// Spans of Jaeger's JSON form, as its UI and API give them: one element of "data", a trace.
//
// Times are microseconds, and a span's end is its start and its duration.
inline constexpr std::string_view kJaegerKeys[] = {"data"};
inline constexpr int64_t kJaegerTickNs = 1000;

// As ParseOtlpJson. Span::end has the place of the duration, and the time of the end.
simdjson::error_code ParseJaegerJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                     SpanPiece& piece);

}  // namespace syncline
