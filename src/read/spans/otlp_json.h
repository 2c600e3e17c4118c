// Spans of OTLP's JSON form: one element of "resourceSpans".
//
// Accepts what producers write besides the specification: numbers for times, names for kinds, the
// older "instrumentationLibrarySpans". Tested by: otlp_json_test.cc.
#pragma once

#include <string_view>

#include <simdjson.h>

#include "read/spans/span_piece.h"

namespace syncline {

// Of an ExportTraceServiceRequest; as Grafana Tempo calls it.
inline constexpr std::string_view kOtlpKeys[] = {"resourceSpans", "batches"};

// Fills in the resource and the spans. Requires: simdjson::SIMDJSON_PADDING bytes behind
// piece.bytes. `clock_by`: an attribute to be kept besides the usual ones; may be empty.
simdjson::error_code ParseOtlpJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                   SpanPiece& piece);

}  // namespace syncline
