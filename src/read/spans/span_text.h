// What the JSON forms of spans have in common: numbers, ids and attributes as they write them.
//
// Errors: simdjson's, and kIncorrectType where a value is of a kind that the format does not have.
// Tested by: otlp_json_test.cc, jaeger_json_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "read/spans/span_piece.h"

namespace syncline::span_text {

using Value = simdjson::ondemand::value;
using Object = simdjson::ondemand::object;
using Array = simdjson::ondemand::array;
using Code = simdjson::error_code;

// Hands on a simdjson error.
#define SYNCLINE_JSON_TRY(...)                                        \
  do {                                                                \
    if (const auto code = (__VA_ARGS__); code != simdjson::SUCCESS) { \
      return code;                                                    \
    }                                                                 \
  } while (false)

// Up to 128 bits; of other text than hexadecimal digits a hash.
struct WideId {
  uint64_t high = 0;
  uint64_t low = 0;
};
WideId ParseId(std::string_view text);
// The id of a span or of its trace, whichever the key says: "spanId", "traceID" and the like.
void TakeId(std::string_view key, Value value, SpanKey& id);

// The piece's bytes as a document. Requires: simdjson::SIMDJSON_PADDING bytes behind them.
Code Begin(simdjson::ondemand::parser& parser, const SpanPiece& piece,
           simdjson::ondemand::document& document);

// An integer, as a number or as a string; `base` is where the piece's bytes begin. `ns_per_unit`
// scales what stands there. No place where it is 0.
Code ReadTime(Value value, const char* base, int64_t ns_per_unit, TimePlace& time);

// A string's text, of other values nothing.
std::string_view TextOf(Value value);
// An integer, also one in a string.
std::optional<int64_t> IntegerOf(Value value);

// Calls visit(key, value) for every member; visit returns a Code.
template <typename Visit>
Code ForEachMember(Object object, const Visit& visit) {
  for (auto field : object) {
    std::string_view key;
    Value value;
    SYNCLINE_JSON_TRY(field.unescaped_key().get(key));
    SYNCLINE_JSON_TRY(field.value().get(value));
    SYNCLINE_JSON_TRY(visit(key, value));
  }
  return simdjson::SUCCESS;
}
// Calls visit(element) for every element; null is as good as an empty array.
template <typename Visit>
Code ForEachElement(Value value, const Visit& visit) {
  bool is_null = false;
  SYNCLINE_JSON_TRY(value.is_null().get(is_null));
  if (is_null) return simdjson::SUCCESS;
  Array array;
  SYNCLINE_JSON_TRY(value.get_array().get(array));
  for (auto element : array) {
    Value item;
    SYNCLINE_JSON_TRY(element.get(item));
    SYNCLINE_JSON_TRY(visit(item));
  }
  return simdjson::SUCCESS;
}
template <typename Visit>
Code ForEachMemberOf(Value value, const Visit& visit) {
  Object object;
  SYNCLINE_JSON_TRY(value.get_object().get(object));
  return ForEachMember(object, visit);
}

// Calls visit(key, value) for elements {"key": …, "value": …}, whose members come in any order.
template <typename Visit>
Code ForEachNamedValue(Value array, const Visit& visit) {
  return ForEachElement(array, [&](Value element) {
    Object object;
    Value key, value;
    SYNCLINE_JSON_TRY(element.get_object().get(object));
    const Code has_key = object.find_field_unordered("key").get(key);
    if (has_key == Code::NO_SUCH_FIELD) return Code::SUCCESS;
    SYNCLINE_JSON_TRY(has_key);
    const std::string name(TextOf(key));
    const Code has_value = object.find_field_unordered("value").get(value);
    if (has_value == Code::NO_SUCH_FIELD) return Code::SUCCESS;
    SYNCLINE_JSON_TRY(has_value);
    return visit(std::string_view(name), value);
  });
}

// The value of an attribute, as span_attributes.h asks for it.
struct AttributeValue {
  Value value;
  std::string_view text() const { return TextOf(value); }
  std::optional<int64_t> integer() const { return IntegerOf(value); }
};

}  // namespace syncline::span_text
