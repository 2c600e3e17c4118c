#include "match/rules/rule_value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <span>
#include <type_traits>

#include <fmt/format.h>

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
