#include "match/rules/rule_value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "base/parse_number.h"

namespace syncline {
namespace {

enum class Form : uint64_t { kNone, kNatural, kNegative, kReal, kText };

// What is equal has equal forms.
struct Canonical {
  Form form = Form::kNone;
  uint64_t bits = 0;
  std::string_view text = {};
  friend bool operator==(const Canonical&, const Canonical&) = default;
};

Canonical Of(std::monostate) { return {}; }
Canonical Of(uint64_t v) { return {Form::kNatural, v}; }
Canonical Of(int64_t v) {
  return {v < 0 ? Form::kNegative : Form::kNatural, static_cast<uint64_t>(v)};
}

Canonical Of(double v) {
  constexpr double kTwo63 = 0x1p63;
  const bool is_whole = std::trunc(v) == v;
  if (is_whole && v >= -kTwo63 && v < 0) return Of(static_cast<int64_t>(v));
  if (is_whole && v >= 0 && v < 2 * kTwo63) return Of(static_cast<uint64_t>(v));
  return {Form::kReal, std::bit_cast<uint64_t>(v)};
}

// Numbers as anyone prints them: no sign but a minus, no leading zeros.
Canonical Of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const char* const end = text.data() + text.size();
  const bool leads_with_zero = digits.starts_with('0') && (digits.size() > 1 || negative);
  if (!digits.empty() && !leads_with_zero) {
    uint64_t natural = 0;
    int64_t whole = 0;
    const auto read = negative ? std::from_chars(text.data(), end, whole)
                               : std::from_chars(text.data(), end, natural);
    if (read.ec == std::errc() && read.ptr == end) return negative ? Of(whole) : Of(natural);
  }
  return {Form::kText, 0, text};
}

// Of a number that is whole, though written with a point or an exponent; empty where it is none.
std::string WholeDigits(std::string_view text) {
  constexpr int64_t kMostZeros = 20;
  const size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, exponent_at));
  int64_t zeros = 0;  // to be put behind the digits
  if (exponent_at < text.size()) {
    std::string_view exponent = text.substr(exponent_at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const auto number = ParseNumber<int32_t>(exponent);
    if (!number) return {};
    zeros = *number;
  }
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    zeros -= static_cast<int64_t>(digits.size() - point);
  }
  if (digits.find_first_not_of("0123456789") != std::string::npos) return {};
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return "0";
  for (; zeros < 0 && digits.ends_with('0'); ++zeros) digits.pop_back();
  if (zeros < 0 || zeros > kMostZeros) return {};
  return digits.append(static_cast<size_t>(zeros), '0');
}

Canonical CanonicalOf(const RuleValue& value) {
  return std::visit([](const auto& v) { return Of(v); }, value);
}

}  // namespace

RuleValue Borrow(const OwnedRuleValue& value) {
  return std::visit(
      [](const auto& v) -> RuleValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
          return std::string_view(v);
        } else {
          return v;
        }
      },
      value);
}

RuleValue ValueOfJsonNumber(std::string_view text) {
  if (text.find_first_of(".eE") == std::string_view::npos) return text;
  const bool is_negative = text.starts_with('-');
  const std::string digits = WholeDigits(text.substr(is_negative ? 1 : 0));
  const std::string whole = (is_negative && digits != "0" ? "-" : "") + digits;
  const Canonical number = Of(std::string_view(whole));
  if (number.form == Form::kNatural) return number.bits;
  if (number.form == Form::kNegative) return static_cast<int64_t>(number.bits);
  return text;
}

bool AreEqual(const RuleValue& x, const RuleValue& y) { return CanonicalOf(x) == CanonicalOf(y); }

void AddValue(KeyHash& hash, const RuleValue& value) {
  const Canonical canonical = CanonicalOf(value);
  hash.Add(static_cast<uint64_t>(canonical.form), canonical.bits);
  if (canonical.form == Form::kText) hash.AddBytes(std::as_bytes(std::span(canonical.text)));
}

std::string ShowValue(const RuleValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using Type = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<Type, std::monostate>) {
          return "nothing";
        } else if constexpr (std::is_same_v<Type, std::string_view>) {
          return fmt::format("\"{}\"", v);
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

}  // namespace syncline
