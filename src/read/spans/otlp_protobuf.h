// Spans of OTLP's protobuf form: one ExportTraceServiceRequest.
//
// Only the fields that matter are looked at; unknown ones are skipped, as protobuf has it. Times
// are fixed64, so that others of any value take their place. Errors: the byte at which the message
// is not protobuf. Cost: one pass. Tested by: otlp_protobuf_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "read/spans/span_piece.h"

namespace syncline {

struct ProtobufError {
  size_t at = 0;  // in the bytes that were given
  std::string_view what;
};

// Fills in what `message`, a part of piece.bytes, holds. The error, if any.
std::optional<ProtobufError> ParseOtlpProtobuf(std::string_view message, std::string_view clock_by,
                                               SpanPiece& piece);

}  // namespace syncline
