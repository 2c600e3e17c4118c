#include "read/spans/span_text.h"

#include "base/parse_number.h"

namespace syncline::span_text {
namespace {

using simdjson::ondemand::json_type;

std::optional<unsigned> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// FNV-1a with another start for each half.
uint64_t HashOf(std::string_view text, uint64_t hash) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return hash | 1;  // never invalid
}

}  // namespace

WideId ParseId(std::string_view text) {
  WideId id;
  if (text.size() > 32) return {HashOf(text, 14695981039346656037U), HashOf(text, 1099511628211U)};
  for (const char c : text) {
    const auto digit = HexDigit(c);
    if (!digit) return {HashOf(text, 14695981039346656037U), HashOf(text, 1099511628211U)};
    id.high = id.high << 4 | id.low >> 60;
    id.low = id.low << 4 | *digit;
  }
  return id;
}

Code ReadTime(Value value, const char* base, int64_t ns_per_unit, TimePlace& time) {
  json_type type = json_type::null;
  SYNCLINE_JSON_TRY(value.type().get(type));
  if (type == json_type::null) return simdjson::SUCCESS;
  const bool is_string = type == json_type::string;
  if (!is_string && type != json_type::number) return simdjson::INCORRECT_TYPE;
  std::string_view token = value.raw_json_token();
  // Up to the next token, spaces included.
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  if (is_string) {
    if (token.size() < 2 || token.back() != '"') return simdjson::STRING_ERROR;
    token = token.substr(1, token.size() - 2);
  }
  const auto units = ParseNumber<int64_t>(token);
  if (!units || *units < 0) return simdjson::NUMBER_ERROR;
  int64_t ns = 0;
  if (__builtin_mul_overflow(*units, ns_per_unit, &ns)) return simdjson::NUMBER_OUT_OF_RANGE;
  if (ns != 0) time = {static_cast<size_t>(token.data() - base), token.size(), ns};
  return simdjson::SUCCESS;
}

std::string_view TextOf(Value value) {
  json_type type = json_type::null;
  std::string_view text;
  if (value.type().get(type) != simdjson::SUCCESS || type != json_type::string) return {};
  return value.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<int64_t> IntegerOf(Value value) {
  json_type type = json_type::null;
  if (value.type().get(type) != simdjson::SUCCESS) return std::nullopt;
  if (type == json_type::string) return ParseNumber<int64_t>(TextOf(value));
  int64_t number = 0;
  if (type != json_type::number || value.get_int64().get(number) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return number;
}

void TakeId(std::string_view key, Value value, SpanKey& id) {
  const WideId wide = ParseId(TextOf(value));
  if (key.starts_with("span")) {
    id.span = wide.low;
  } else {
    id.trace_high = wide.high;
    id.trace_low = wide.low;
  }
}

Code Begin(simdjson::ondemand::parser& parser, const SpanPiece& piece,
           simdjson::ondemand::document& document) {
  return parser
      .iterate(piece.bytes.data(), piece.bytes.size(),
               piece.bytes.size() + simdjson::SIMDJSON_PADDING)
      .get(document);
}

}  // namespace syncline::span_text
