#include "write/json_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace syncline {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void AppendEscaped(char c, std::string& json) {
  switch (c) {
    case '"': json += "\\\""; return;
    case '\\': json += "\\\\"; return;
    default: break;
  }
  const auto byte = static_cast<uint8_t>(c);
  if (byte < 0x20 || byte == 0x7F) {
    fmt::format_to(std::back_inserter(json), "\\u{:04x}", byte);
  } else {
    json += c;
  }
}

}  // namespace

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
    } else if (length == 2 && text[0] == '\xC2' && static_cast<uint8_t>(text[1]) < 0xA0) {
      // U+0080 to U+009F, which terminals obey as well
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<uint8_t>(text[1]));
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
