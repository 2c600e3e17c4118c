#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace syncline {
namespace {

// Of the bytes from the second on; the second may be narrower.
bool Continues(std::string_view text, size_t length, uint8_t least, uint8_t most) {
  if (text.size() < length) return false;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < least || second > most) return false;
  return std::all_of(text.begin() + 2, text.begin() + static_cast<ptrdiff_t>(length),
                     [](char c) { return (static_cast<uint8_t>(c) & 0xC0U) == 0x80U; });
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

}  // namespace syncline
