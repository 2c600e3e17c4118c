#include "read/chrome/decimal_time.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/parse_number.h"

namespace syncline {
namespace {

constexpr Int128 kMostMantissa = Int128{1} << 120;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Digits of a number without sign or exponent; `point` of them behind the decimal point.
struct Mantissa {
  Int128 value = 0;
  int point = 0;
  bool is_cut = false;  // digits that fit no more, behind the point, were left out
};

std::optional<Mantissa> ParseMantissa(std::string_view text) {
  Mantissa mantissa;
  bool has_point = false;
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.') {
      if (has_point || !has_digit) return std::nullopt;
      has_point = true;
      has_digit = false;
      continue;
    }
    if (!IsDigit(c)) return std::nullopt;
    has_digit = true;
    if (mantissa.value >= kMostMantissa) {
      if (!has_point) return std::nullopt;
      mantissa.is_cut = mantissa.is_cut || c != '0';
      continue;
    }
    mantissa.value = mantissa.value * 10 + (c - '0');
    mantissa.point += has_point ? 1 : 0;
  }
  if (!has_digit) return std::nullopt;
  return mantissa;
}

// As ParseDecimals(), of what nearly all times are: none where this is another.
std::optional<DecimalTime> ParseShort(std::string_view text, int decimals) {
  constexpr size_t kMostCharacters = 18;
  if (text.empty() || text.size() > kMostCharacters) return std::nullopt;
  const size_t point = std::min(text.find('.'), text.size());
  const size_t behind = point < text.size() ? text.size() - point - 1 : 0;
  if (point == 0 || point + 1 == text.size() || behind > static_cast<size_t>(decimals)) {
    return std::nullopt;
  }
  int64_t value = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (!IsDigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  Int128 ns = value;
  for (size_t i = behind; i < static_cast<size_t>(decimals); ++i) ns *= 10;
  if (ns >= kMostNs) return std::nullopt;
  return DecimalTime{.ns = static_cast<int64_t>(ns), .decimals = static_cast<uint8_t>(behind)};
}

// Of units with so many decimals down to the nanosecond.
std::optional<DecimalTime> ParseDecimals(std::string_view text, int decimals) {
  if (const auto parsed = ParseShort(text, decimals)) return parsed;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const size_t e = text.find_first_of("eE");
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto parsed = ParseNumber<int32_t>(digits);
    if (!parsed) return std::nullopt;
    exponent = *parsed;
  }
  const auto mantissa = ParseMantissa(text.substr(0, e));
  if (!mantissa) return std::nullopt;
  Int128 ns = mantissa->value;
  DecimalTime time{.is_finer = mantissa->is_cut};
  for (int64_t power = exponent + decimals - mantissa->point; power != 0 && ns != 0;) {
    if (power > 0) {
      if (ns >= kMostNs) return std::nullopt;
      ns *= 10;
      --power;
    } else {
      time.is_finer = time.is_finer || ns % 10 != 0;
      ns /= 10;
      ++power;
    }
  }
  if (ns >= kMostNs) return std::nullopt;
  time.ns = static_cast<int64_t>(ns);
  if (is_negative) time.ns = -time.ns - (time.is_finer ? 1 : 0);
  time.decimals = static_cast<uint8_t>(std::clamp(mantissa->point, 0, decimals));
  // What an exponent has hidden.
  const bool is_whole = time.ns % 1000 == 0 && !time.is_finer;
  if (exponent != 0) time.decimals = static_cast<uint8_t>(is_whole ? 0 : decimals);
  return time;
}

}  // namespace

std::optional<DecimalTime> ParseMicroseconds(std::string_view text) {
  return ParseDecimals(text, 3);
}

std::optional<DecimalTime> ParseNanoseconds(std::string_view text) {
  return ParseDecimals(text, 0);
}

void AppendMicroseconds(int64_t ns, int decimals, std::string& text) {
  uint64_t rest = ns < 0 ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  if (ns < 0) text += '-';
  fmt::format_to(std::back_inserter(text), "{}", rest / 1000);
  if (decimals == 0) return;
  const std::string fraction = fmt::format("{:03}", rest % 1000);
  text += '.';
  text.append(fraction, 0, static_cast<size_t>(decimals));
}

}  // namespace syncline
