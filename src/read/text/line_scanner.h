// The fields of one line: what is between blanks, up to a comment or the line's end.
//
// Requires: a line ended by '\n' with LineBuffer::kPadding readable bytes behind.
// A field is a run of bytes above 0x20 that does not begin with '#'; so UTF-8 and any other bytes
// pass, and control characters end a field without being a blank or the line's end.
// Cost: one pass; digits eight at a time. Tested by: text_reader_test.cc.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace syncline {

// A run of decimal digits. `value` is meaningless when `overflow`: above 19 significant digits.
struct DigitRun {
  uint64_t value = 0;
  const char* end = nullptr;
  bool overflow = false;
};

class LineScanner {
 public:
  explicit LineScanner(const char* line) : p_(line) {}

  const char* position() const { return p_; }
  void GoTo(const char* p) { p_ = p; }
  void SkipBlanks() {
    while (*p_ == ' ' || *p_ == '\t') ++p_;
  }
  // At the line's end or a comment.
  bool AtEnd() const { return AtNewline() || *p_ == '#'; }
  bool AtNewline() const { return *p_ == '\n' || (*p_ == '\r' && p_[1] == '\n'); }
  // The next field; empty at the end and at a control character.
  std::string_view Field() {
    SkipBlanks();
    const char* begin = p_;
    if (*p_ == '#') return {};
    while (IsFieldByte(*p_)) ++p_;
    return {begin, p_};
  }

  static bool IsFieldByte(char c) { return static_cast<unsigned char>(c) > ' '; }
  static bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

  static DigitRun Digits(const char* p) {
    while (*p == '0') ++p;
    const char* first = p;
    uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) {
      while (p - first < 16) {
        uint64_t chunk = 0;
        std::memcpy(&chunk, p, sizeof chunk);
        if (!AreEightDigits(chunk)) break;
        value = value * 100'000'000 + EightDigits(chunk);
        p += 8;
      }
    }
    while (IsDigit(*p) && p - first < 19) value = value * 10 + static_cast<uint64_t>(*p++ - '0');
    if (!IsDigit(*p)) return {value, p, false};
    while (IsDigit(*p)) ++p;
    return {0, p, true};
  }

 private:
  // A byte is a digit when its high nibble is 3, and still is after adding 6.
  static bool AreEightDigits(uint64_t chunk) {
    constexpr uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
    constexpr uint64_t kThrees = 0x3030303030303030;
    return (chunk & kHigh) == kThrees && ((chunk + 0x0606060606060606) & kHigh) == kThrees;
  }
  // Adds neighbours pairwise: digits to pairs, pairs to fours, fours to eight.
  static uint64_t EightDigits(uint64_t chunk) {
    chunk -= 0x3030303030303030;
    chunk = (chunk * 10 + (chunk >> 8)) & 0x00FF00FF00FF00FF;
    chunk = (chunk * 100 + (chunk >> 16)) & 0x0000FFFF0000FFFF;
    return (chunk * 10000 + (chunk >> 32)) & 0xFFFFFFFF;
  }

  const char* p_;
};

}  // namespace syncline
