#include "base/text_scanner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/int128.h"

namespace syncline {
namespace {

// Letters of a unit, which for µ are two bytes.
bool IsUnitByte(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

void TextScanner::RefuseAt(size_t where, std::string_view expected) {
  if (error_) return;
  const std::string found =
      where < text_.size() ? fmt::format("'{}'", text_.substr(where)) : "the end";
  error_ = Error{ErrorCode::kUsage, fmt::format("'{}': at character {}: expected {}, found {}",
                                                text_, where + 1, expected, found)};
  at_ = text_.size();
}

bool TextScanner::Accept(char c) {
  if (AtEnd() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void TextScanner::Expect(char c) {
  if (!Accept(c)) RefuseAt(at_, fmt::format("'{}'", c));
}

std::string_view TextScanner::Word() {
  const size_t begin = at_;
  while (!AtEnd() && text_[at_] >= 'a' && text_[at_] <= 'z') ++at_;
  return text_.substr(begin, at_ - begin);
}

uint64_t TextScanner::Number(uint64_t most) {
  const size_t begin = at_;
  UInt128 value = 0;
  while (IsAtDigit() && value <= most) value = value * 10 + (text_[at_++] - '0');
  RefuseIf(at_ == begin, begin, "a number");
  if (value > most) RefuseAt(begin, fmt::format("a number up to {}", most));
  return error_ ? 0 : static_cast<uint64_t>(value);
}

int64_t TextScanner::Quantity(std::string_view what, std::string_view units_text,
                              int64_t plain_scale, std::initializer_list<Unit> units) {
  const size_t begin = at_;
  const bool is_negative = Accept('-');
  if (!is_negative) Accept('+');
  Int128 digits = 0;
  Int128 divisor = 1;
  size_t seen = 0;
  bool in_fraction = false;
  for (; !AtEnd() && seen <= 20; ++at_) {
    if (text_[at_] == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (!IsAtDigit()) break;
    ++seen;
    digits = digits * 10 + (text_[at_] - '0');
    if (in_fraction) divisor *= 10;
  }
  RefuseIf(seen > 20, begin, "a number of at most 20 digits");
  RefuseIf(seen == 0, begin, what);
  const size_t unit_begin = at_;
  while (!AtEnd() && IsUnitByte(text_[at_])) ++at_;
  const std::string_view name = text_.substr(unit_begin, at_ - unit_begin);
  const auto* unit = std::ranges::find(units, name, &Unit::name);
  RefuseIf(unit == units.end() && !name.empty(), unit_begin, units_text);
  if (error_) return 0;
  // Below 10^20 · 4·10^12: far from the end of 128 bits.
  const Int128 scaled = digits * (name.empty() ? plain_scale : unit->scale);
  RefuseIf(scaled % divisor != 0, begin, "a whole number of the smallest unit");
  RefuseIf(scaled / divisor > kMaxDurationNs, begin,
           fmt::format("{} within ±2^61 of the smallest unit", what));
  if (error_) return 0;
  const auto value = static_cast<int64_t>(scaled / divisor);
  return is_negative ? -value : value;
}

int64_t TextScanner::DurationNs(int64_t plain_ns) {
  return Quantity("a duration", "the unit ns, us, µs, ms, s, min or h", plain_ns,
                  {{"ns", 1},
                   {"us", 1'000},
                   {"µs", 1'000},
                   {"ms", 1'000'000},
                   {"s", 1'000'000'000},
                   {"min", 60'000'000'000},
                   {"h", 3'600'000'000'000}});
}

int64_t TextScanner::DriftPpt() {
  return Quantity("a drift", "the unit ppm or ppb", kPptPerPpm,
                  {{"ppm", kPptPerPpm}, {"ppb", kPptPerPpm / 1000}});
}

int64_t TextScanner::SharePpb() { return Quantity("a share", "no unit", kPpb, {{"", kPpb}}); }

}  // namespace syncline
