// Spans of Jaeger's JSON form, as its UI and API give them: one element of "data", a trace.
//
// Times are microseconds, and a span's end is its start and its duration. Tested by:
// jaeger_json_test.cc.
#pragma once

#include <string_view>

#include <simdjson.h>

#include "read/spans/span_piece.h"

namespace syncline {

inline constexpr std::string_view kJaegerKeys[] = {"data"};
inline constexpr int64_t kJaegerTickNs = 1000;

// As ParseOtlpJson. Span::end has the place of the duration, and the time of the end.
simdjson::error_code ParseJaegerJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                     SpanPiece& piece);

}  // namespace syncline
