// What one event class has to do with the rules, found out once and used for each of its events.
//
// A reader binds each event class, reads RuleBinding::fields() of each event whose binding is not
// empty, and hands the values to the RuleMatcher; events that no rule names cost nothing.
// Lifetime: bindings point into the rules. Tested by: rule_binding_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"

#include "match/rules/rule.h"

namespace syncline {

// One side of one rule, with its fields by their place in RuleBinding::fields().
struct BoundSide {
  struct Condition {
    size_t field = 0;
    const RuleCondition* condition = nullptr;
  };
  uint32_t rule = 0;
  RuleSideKind side = RuleSideKind::kSend;
  std::vector<size_t> keys;
  std::optional<size_t> size;
  std::optional<size_t> peer;
  std::vector<Condition> conditions;
  int64_t late_ns = 0;
  // Of keys, the place and the number among the named groups of all conditions; such a key stands
  // behind the fields.
  std::vector<std::pair<size_t, size_t>> group_keys;
};

// A side of a rule that has the event's name but takes no part.
struct MissingField {
  uint32_t rule = 0;
  RuleSideKind side = RuleSideKind::kSend;
  std::string text;  // "EVENT has no field 'FIELD'"
};

class RuleBinding {
 public:
  // No rule names this event class.
  bool empty() const { return sides_.empty(); }
  // The fields whose values are wanted, each once.
  std::span<const std::string> fields() const { return fields_; }
  std::span<const BoundSide> sides() const { return sides_; }
  std::span<const MissingField> missing() const { return missing_; }

  // Requires one value per element of fields(), here and below.
  static bool Fulfils(const BoundSide& side, std::span<const RuleValue> values);
  // `values`, and what the side's patterns found in them. Requires that the side is fulfilled.
  static std::vector<RuleValue> WithGroups(const BoundSide& side,
                                           std::span<const RuleValue> values);
  // How long before its stamp the event may have sent a message.
  int64_t LateNs(std::span<const RuleValue> values) const;
  // The size that a rule names for this event; 0 where none does, or it is no natural number.
  uint64_t Size(std::span<const RuleValue> values) const;

 private:
  friend RuleBinding BindRules(std::span<const Rule> rules, std::string_view event,
                               const std::function<bool(std::string_view)>& has_field,
                               Diagnostics& diagnostics);
  size_t PlaceOf(const std::string& field);
  void Take(uint32_t rule, RuleSideKind kind, const RuleSide& side);

  std::vector<std::string> fields_;
  std::vector<BoundSide> sides_;
  std::vector<MissingField> missing_;
};

// All fields that rules name, each once.
std::vector<std::string> FieldsOfRules(std::span<const Rule> rules);

// `has_field` says whether the event class has a field of that name. Where one is missing, the side
// takes no part, and "rule-field-missing" is counted (a warning; info where the rule's event name
// has a *). Rules must outlive the binding.
RuleBinding BindRules(std::span<const Rule> rules, std::string_view event,
                      const std::function<bool(std::string_view)>& has_field,
                      Diagnostics& diagnostics);

}  // namespace syncline
