#include "write/json_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Of the bytes from the second on; the second may be narrower.
bool Continues(std::string_view text, size_t length, uint8_t least, uint8_t most) {
  if (text.size() < length) return false;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < least || second > most) return false;
  return std::all_of(text.begin() + 2, text.begin() + static_cast<ptrdiff_t>(length),
                     [](char c) { return (static_cast<uint8_t>(c) & 0xC0U) == 0x80U; });
}

void AppendEscaped(char c, std::string& json) {
  switch (c) {
    case '"':
      json += "\\\"";
      return;
    case '\\':
      json += "\\\\";
      return;
    default:
      break;
  }
  const auto byte = static_cast<uint8_t>(c);
  if (byte < 0x20 || byte == 0x7F) {
    fmt::format_to(std::back_inserter(json), "\\u{:04x}", byte);
  } else {
    json += c;
  }
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return 1;
  const auto is = [&](size_t length, uint8_t least, uint8_t most) {
    return Continues(text, length, least, most) ? length : 0;
  };
  if (first >= 0xC2 && first <= 0xDF) return is(2, 0x80, 0xBF);
  if (first == 0xE0) return is(3, 0xA0, 0xBF);
  if (first == 0xED) return is(3, 0x80, 0x9F);
  if (first >= 0xE1 && first <= 0xEF) return is(3, 0x80, 0xBF);
  if (first == 0xF0) return is(4, 0x90, 0xBF);
  if (first >= 0xF1 && first <= 0xF3) return is(4, 0x80, 0xBF);
  if (first == 0xF4) return is(4, 0x80, 0x8F);
  return 0;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    valid += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

void AppendJsonString(std::string_view text, std::string& json) {
  json += '"';
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 1) {
      AppendEscaped(text[0], json);
    } else {
      json += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  json += '"';
}

void AppendMicroseconds(uint64_t ns, std::string& json) {
  fmt::format_to(std::back_inserter(json), "{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace syncline
