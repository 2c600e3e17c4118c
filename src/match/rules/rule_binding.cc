#include "match/rules/rule_binding.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/glob.h"

namespace syncline {
namespace {

// Of the named groups of a side's conditions, one after the other.
std::optional<size_t> GroupNumber(const RuleSide& side, std::string_view name) {
  size_t number = 0;
  for (const RuleCondition& condition : side.conditions) {
    if (!condition.pattern) continue;
    for (const std::string& group : condition.pattern->names()) {
      if (group == name) return number;
      ++number;
    }
  }
  return std::nullopt;
}

// Numbers of other formats as people write them.
std::string TextOf(const RuleValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : ShowValue(value);
}

bool FitsPattern(const Pattern& pattern, const RuleValue& value) {
  if (!IsPresent(value)) return false;
  std::vector<std::string_view> groups(pattern.names().size());
  return pattern.Find(TextOf(value), groups);
}

std::vector<std::string_view> FieldsOf(const RuleSide& side) {
  std::vector<std::string_view> fields;
  for (const std::string& key : side.keys) {
    if (!GroupNumber(side, key)) fields.push_back(key);
  }
  if (side.size) fields.push_back(*side.size);
  if (side.peer) fields.push_back(*side.peer);
  for (const RuleCondition& condition : side.conditions) fields.push_back(condition.field);
  return fields;
}

std::optional<std::string_view> MissingIn(const RuleSide& side,
                                          const std::function<bool(std::string_view)>& has_field) {
  const std::vector<std::string_view> fields = FieldsOf(side);
  const auto missing = std::ranges::find_if_not(fields, has_field);
  return missing == fields.end() ? std::nullopt : std::optional(*missing);
}

void CountMissing(const Rule& rule, const RuleSide& side, const MissingField& missing,
                  Diagnostics& diagnostics) {
  const bool is_pattern = side.event.find('*') != std::string::npos;
  diagnostics.Count("rule-field-missing", is_pattern ? Severity::kInfo : Severity::kWarning, 1,
                    fmt::format("{}: {}", rule.place, missing.text));
}

}  // namespace

bool RuleBinding::Fulfils(const BoundSide& side, std::span<const RuleValue> values) {
  return std::ranges::all_of(side.conditions, [&](const auto& bound) {
    if (bound.condition->pattern) {
      return FitsPattern(*bound.condition->pattern, values[bound.field]);
    }
    const bool equal = AreEqual(values[bound.field], Borrow(bound.condition->value));
    return equal == (bound.condition->comparison == RuleComparison::kEqual);
  });
}

std::vector<RuleValue> RuleBinding::WithGroups(const BoundSide& side,
                                               std::span<const RuleValue> values) {
  std::vector<RuleValue> all(values.begin(), values.end());
  for (const BoundSide::Condition& bound : side.conditions) {
    if (!bound.condition->pattern) continue;
    const Pattern& pattern = *bound.condition->pattern;
    std::vector<std::string_view> groups(pattern.names().size());
    // Keys are texts that stay; numbers of other formats have no groups that do.
    const auto* text = std::get_if<std::string_view>(&values[bound.field]);
    if (text == nullptr || !pattern.Find(*text, groups)) groups.assign(groups.size(), {});
    for (const std::string_view group : groups) {
      all.push_back(group.data() == nullptr ? RuleValue() : RuleValue(group));
    }
  }
  return all;
}

int64_t RuleBinding::LateNs(std::span<const RuleValue> values) const {
  int64_t late_ns = 0;
  for (const BoundSide& side : sides_) {
    if (side.late_ns > late_ns && Fulfils(side, values)) late_ns = side.late_ns;
  }
  return late_ns;
}

uint64_t RuleBinding::Size(std::span<const RuleValue> values) const {
  for (const BoundSide& side : sides_) {
    if (!side.size || !Fulfils(side, values)) continue;
    const RuleValue& value = values[*side.size];
    if (const auto* natural = std::get_if<uint64_t>(&value)) return *natural;
    if (const auto* whole = std::get_if<int64_t>(&value)) {
      return static_cast<uint64_t>(std::max(*whole, int64_t{0}));
    }
  }
  return 0;
}

size_t RuleBinding::PlaceOf(const std::string& field) {
  const auto found = std::ranges::find(fields_, field);
  if (found != fields_.end()) return static_cast<size_t>(found - fields_.begin());
  fields_.push_back(field);
  return fields_.size() - 1;
}

void RuleBinding::Take(uint32_t rule, RuleSideKind kind, const RuleSide& side) {
  BoundSide bound;
  bound.rule = rule;
  bound.side = kind;
  bound.late_ns = side.late_ns;
  for (const std::string& key : side.keys) {
    const auto group = GroupNumber(side, key);
    if (group) bound.group_keys.emplace_back(bound.keys.size(), *group);
    bound.keys.push_back(group ? 0 : PlaceOf(key));
  }
  if (side.size) bound.size = PlaceOf(*side.size);
  if (side.peer) bound.peer = PlaceOf(*side.peer);
  for (const RuleCondition& condition : side.conditions) {
    bound.conditions.push_back({PlaceOf(condition.field), &condition});
  }
  sides_.push_back(std::move(bound));
}

std::vector<std::string> FieldsOfRules(std::span<const Rule> rules) {
  std::set<std::string_view> fields;
  for (const Rule& rule : rules) {
    for (const RuleSideKind kind : {RuleSideKind::kSend, RuleSideKind::kReceive}) {
      const std::vector<std::string_view> of_side = FieldsOf(rule.side(kind));
      fields.insert(of_side.begin(), of_side.end());
    }
  }
  return {fields.begin(), fields.end()};
}

RuleBinding BindRules(std::span<const Rule> rules, std::string_view event,
                      const std::function<bool(std::string_view)>& has_field,
                      Diagnostics& diagnostics) {
  RuleBinding binding;
  for (uint32_t r = 0; r < rules.size(); ++r) {
    for (const RuleSideKind kind : {RuleSideKind::kSend, RuleSideKind::kReceive}) {
      const RuleSide& side = rules[r].side(kind);
      if (!MatchesGlob(side.event, event)) continue;
      if (const auto field = MissingIn(side, has_field)) {
        binding.missing_.push_back({r, kind, fmt::format("{} has no field '{}'", event, *field)});
        CountMissing(rules[r], side, binding.missing_.back(), diagnostics);
      } else {
        binding.Take(r, kind, side);
      }
    }
  }
  for (BoundSide& side : binding.sides_) {
    for (const auto& [key, group] : side.group_keys) {
      side.keys[key] = binding.fields_.size() + group;
    }
  }
  return binding;
}

}  // namespace syncline
