#include "simulate/spec_scanner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/int128.h"

namespace syncline {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters of a unit, which for µ are two bytes.
bool IsUnitByte(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

Result<void> ExpectEnd(const SpecScanner& scan) {
  if (scan.AtEnd()) return {};
  return scan.Expected("the end");
}

}  // namespace

tl::unexpected<Error> SpecScanner::ExpectedAt(size_t where, std::string_view what) const {
  const std::string found =
      where < text_.size() ? fmt::format("'{}'", text_.substr(where)) : "the end";
  return Fail(ErrorCode::kUsage, fmt::format("'{}': at character {}: expected {}, found {}", text_,
                                             where + 1, what, found));
}

bool SpecScanner::Accept(char c) {
  if (AtEnd() || text_[at_] != c) return false;
  ++at_;
  return true;
}

Result<void> SpecScanner::Expect(char c) {
  if (Accept(c)) return {};
  return Expected(fmt::format("'{}'", c));
}

std::string_view SpecScanner::Word() {
  const size_t begin = at_;
  while (!AtEnd() && text_[at_] >= 'a' && text_[at_] <= 'z') ++at_;
  return text_.substr(begin, at_ - begin);
}

Result<uint64_t> SpecScanner::Number(uint64_t max) {
  const size_t begin = at_;
  UInt128 value = 0;
  while (!AtEnd() && IsDigit(text_[at_]) && value <= max) value = value * 10 + (text_[at_++] - '0');
  if (at_ == begin) return Expected("a number");
  if (value > max) return ExpectedAt(begin, fmt::format("a number up to {}", max));
  return static_cast<uint64_t>(value);
}

Result<int64_t> SpecScanner::Quantity(std::string_view what, std::string_view units_text,
                                      int64_t plain_scale, std::initializer_list<Unit> units) {
  const size_t begin = at_;
  const bool is_negative = Accept('-');
  if (!is_negative) Accept('+');
  Int128 digits = 0;
  Int128 divisor = 1;
  size_t seen = 0;
  bool in_fraction = false;
  for (; !AtEnd(); ++at_) {
    if (text_[at_] == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (!IsDigit(text_[at_])) break;
    if (++seen > 20) return ExpectedAt(begin, "a number of at most 20 digits");
    digits = digits * 10 + (text_[at_] - '0');
    if (in_fraction) divisor *= 10;
  }
  if (seen == 0) return ExpectedAt(begin, what);
  const size_t unit_begin = at_;
  while (!AtEnd() && IsUnitByte(text_[at_])) ++at_;
  const std::string_view name = text_.substr(unit_begin, at_ - unit_begin);
  const auto* unit = std::find_if(units.begin(), units.end(),
                                  [name](const Unit& candidate) { return candidate.name == name; });
  if (unit == units.end() && !name.empty()) return ExpectedAt(unit_begin, units_text);
  // Below 10^20 · 4·10^12: far from the end of 128 bits.
  const Int128 scaled = digits * (name.empty() ? plain_scale : unit->scale);
  if (scaled % divisor != 0) return ExpectedAt(begin, "a whole number of the smallest unit");
  if (scaled / divisor > kMaxDurationNs) {
    return ExpectedAt(begin, fmt::format("{} within ±2^61 of the smallest unit", what));
  }
  const auto value = static_cast<int64_t>(scaled / divisor);
  return is_negative ? -value : value;
}

Result<int64_t> SpecScanner::DurationNs() {
  return Quantity("a duration", "the unit ns, us, µs, ms, s, min or h", 1,
                  {{"ns", 1},
                   {"us", 1'000},
                   {"µs", 1'000},
                   {"ms", 1'000'000},
                   {"s", 1'000'000'000},
                   {"min", 60'000'000'000},
                   {"h", 3'600'000'000'000}});
}

Result<int64_t> SpecScanner::DriftPpt() {
  return Quantity("a drift", "the unit ppm or ppb", kPptPerPpm,
                  {{"ppm", kPptPerPpm}, {"ppb", kPptPerPpm / 1000}});
}

Result<int64_t> SpecScanner::SharePpb() {
  return Quantity("a share", "no unit", kPpb, {{"", kPpb}});
}

Result<int64_t> ParseDuration(std::string_view text) {
  SpecScanner scan(text);
  auto value = scan.DurationNs();
  if (!value) return value;
  if (*value < 0) return scan.ExpectedAt(0, "a duration of 0 or more");
  if (auto end = ExpectEnd(scan); !end) return tl::unexpected(end.error());
  return value;
}

Result<int64_t> ParseDrift(std::string_view text) {
  SpecScanner scan(text);
  auto value = scan.DriftPpt();
  if (!value) return value;
  if (auto end = ExpectEnd(scan); !end) return tl::unexpected(end.error());
  return value;
}

Result<int64_t> ParseShare(std::string_view text) {
  SpecScanner scan(text);
  auto value = scan.SharePpb();
  if (!value) return value;
  if (*value < 0 || *value > kPpb) return scan.ExpectedAt(0, "a share from 0 to 1");
  if (auto end = ExpectEnd(scan); !end) return tl::unexpected(end.error());
  return value;
}

Result<Range> ParseDurationRange(std::string_view text) {
  SpecScanner scan(text);
  const auto low = scan.DurationNs();
  if (!low) return tl::unexpected(low.error());
  if (*low < 0) return scan.ExpectedAt(0, "a duration of 0 or more");
  Range range{*low, *low};
  if (scan.Accept(':')) {
    const size_t where = scan.position();
    const auto high = scan.DurationNs();
    if (!high) return tl::unexpected(high.error());
    if (*high < *low) return scan.ExpectedAt(where, "an upper limit not below the lower one");
    range.high = *high;
  }
  if (auto end = ExpectEnd(scan); !end) return tl::unexpected(end.error());
  return range;
}

Result<Range> ParseCountRange(std::string_view text) {
  SpecScanner scan(text);
  const auto low = scan.Number(kMaxDurationNs);
  if (!low) return tl::unexpected(low.error());
  Range range{static_cast<int64_t>(*low), static_cast<int64_t>(*low)};
  if (scan.Accept(':')) {
    const size_t where = scan.position();
    const auto high = scan.Number(kMaxDurationNs);
    if (!high) return tl::unexpected(high.error());
    if (*high < *low) return scan.ExpectedAt(where, "an upper limit not below the lower one");
    range.high = static_cast<int64_t>(*high);
  }
  if (auto end = ExpectEnd(scan); !end) return tl::unexpected(end.error());
  return range;
}

}  // namespace syncline
