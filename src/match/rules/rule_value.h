// The values of event fields as rules compare them.
//
// Two values are equal when they are the same number, however it is stored (signed, unsigned, real,
// or as decimal text), or the same text. An array of bytes may be given as text.
// Ownership: texts are borrowed. Tested by: rule_value_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "match/key_hash.h"

namespace syncline {

// std::monostate: the event has no such field.
using RuleValue = std::variant<std::monostate, int64_t, uint64_t, double, std::string_view>;
using OwnedRuleValue = std::variant<std::monostate, int64_t, uint64_t, double, std::string>;

inline bool IsPresent(const RuleValue& value) { return value.index() != 0; }
RuleValue Borrow(const OwnedRuleValue& value);

// What a number of JSON says: 7.0 and 70e-1 are 7. Numbers that are not whole are their text, as
// are those beyond 64 bits, and what is no number.
RuleValue ValueOfJsonNumber(std::string_view text);
bool AreEqual(const RuleValue& x, const RuleValue& y);
// Equal values add the same.
void AddValue(KeyHash& hash, const RuleValue& value);
// 7, -1, 2.5, "udp"; for people.
std::string ShowValue(const RuleValue& value);

}  // namespace syncline
