// What attributes of spans and resources say, whatever the form of their file.
//
// Tested by: otlp_json_test.cc, otlp_protobuf_test.cc, jaeger_json_test.cc,
// span_reader_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "read/spans/span_piece.h"

namespace syncline {

// Where a resource keeps an attribute that tells where it runs.
std::optional<SpanResource::Attribute> ResourceAttributeOf(std::string_view key);

// An attribute of a span that says of what kind it is.
enum class SpanAttribute {
  kNone,
  kHttpStatus,
  kGrpcStatus,
  kRpcStatus,
  kRpcSystem,
  kMessagingOperation,
};
SpanAttribute SpanAttributeOf(std::string_view key);
// What an operation on messages is called that fetches them.
bool IsReception(std::string_view operation);

// `value` has text(), empty where it is none, and integer(), an optional; asked at most once.
template <typename Value>
void TakeResourceAttribute(std::string_view key, Value value, std::string_view clock_by,
                           SpanResource& resource) {
  const auto known = ResourceAttributeOf(key);
  const bool is_asked_for = !clock_by.empty() && key == clock_by;
  if (!clock_by.empty()) resource.names.push_back(PrintableName(key));
  if (!known && !is_asked_for) return;
  const std::string text = PrintableName(value.text());
  if (known) resource.attributes[*known] = text;
  if (is_asked_for) resource.attributes[SpanResource::kClockBy] = text;
}

template <typename Value>
void TakeSpanAttribute(std::string_view key, Value value, Span& span) {
  constexpr int64_t kUnknownStatus = 2;
  switch (SpanAttributeOf(key)) {
    case SpanAttribute::kNone: break;
    case SpanAttribute::kHttpStatus: span.http_status = value.integer().value_or(0); break;
    case SpanAttribute::kGrpcStatus:
      span.grpc_status = value.integer().value_or(-1);
      span.is_grpc = true;
      break;
    case SpanAttribute::kRpcStatus:
      span.grpc_status = value.text() == "OK" ? 0 : kUnknownStatus;
      break;
    case SpanAttribute::kRpcSystem:
      span.is_rpc = true;
      span.is_grpc = span.is_grpc || value.text() == "grpc";
      break;
    case SpanAttribute::kMessagingOperation:
      span.is_reception = span.is_reception || IsReception(value.text());
      break;
  }
}

}  // namespace syncline
