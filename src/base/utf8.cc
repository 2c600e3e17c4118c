#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

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

namespace {

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsSecondOfControl(char c) {
  return static_cast<unsigned char>(c) >= 0x80 && static_cast<unsigned char>(c) < 0xa0;
}

std::string Spelled(std::string_view name, bool spells_others) {
  // Most are.
  const bool is_plain = std::ranges::all_of(name, [](char c) { return c >= ' ' && c < '\x7f'; });
  if (is_plain) return std::string(name);
  std::string printable;
  printable.reserve(name.size());
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    // U+0080 to U+009F are c2 80 to c2 9f.
    const bool is_control = c < 0x20 || c == 0x7f ||
                            (c == 0xc2 && i + 1 < name.size() && IsSecondOfControl(name[i + 1])) ||
                            (i > 0 && name[i - 1] == '\xc2' && IsSecondOfControl(name[i]));
    if (is_control || (c >= 0x80 && spells_others)) {
      printable += fmt::format("%{:02x}", c);
    } else {
      printable += name[i];
    }
  }
  return printable;
}

}  // namespace

std::string WithoutControls(std::string_view name) { return Spelled(name, false); }

std::string PrintableName(std::string_view name) { return Spelled(name, !IsUtf8(name)); }

void MaskForJson(std::span<char> text) {
  while (!text.empty()) {
    const size_t length = Utf8Length({text.data(), text.size()});
    if (length == 0) text[0] = '?';
    if (static_cast<unsigned char>(text[0]) < 0x20) text[0] = ' ';
    text = text.subspan(std::max<size_t>(length, 1));
  }
}

}  // namespace syncline
