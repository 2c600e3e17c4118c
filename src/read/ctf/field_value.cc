#include "read/ctf/field_value.h"

#include <array>
#include <span>
#include <utility>

#include "read/ctf/library.h"

namespace syncline {
namespace {

using Names = std::span<const std::string>;

std::vector<std::string> SplitAtDots(std::string_view name) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t dot = name.find('.');
    parts.emplace_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

std::string_view WithoutUnderscores(std::string_view name) {
  const size_t start = name.find_first_not_of('_');
  return start == std::string_view::npos ? name : name.substr(start);
}

// The number of the member of this name, an exact one first.
std::optional<uint32_t> MemberOf(const bt_field_class* structure, std::string_view name) {
  std::optional<uint32_t> alike;
  const uint64_t count = bt_field_class_structure_get_member_count(structure);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string_view member = bt_field_class_structure_member_get_name(
        bt_field_class_structure_borrow_member_by_index_const(structure, i));
    if (member == name) return i;
    if (!alike && WithoutUnderscores(member) == WithoutUnderscores(name)) alike = i;
  }
  return alike;
}

bool IsScalar(const bt_field_class* field_class) {
  constexpr std::array kScalars = {BT_FIELD_CLASS_TYPE_BOOL, BT_FIELD_CLASS_TYPE_BIT_ARRAY,
                                   BT_FIELD_CLASS_TYPE_INTEGER, BT_FIELD_CLASS_TYPE_REAL,
                                   BT_FIELD_CLASS_TYPE_STRING};
  for (const bt_field_class_type type : kScalars) {
    if (IsA(field_class, type)) return true;
  }
  return false;
}

struct Found {
  std::vector<uint32_t> members;
  bool has_choice = false;  // a variant or an option on the way
};

std::optional<Found> Locate(const bt_field_class* field_class, Names names);

std::optional<Found> LocateInVariant(const bt_field_class* variant, Names names) {
  const uint64_t count = bt_field_class_variant_get_option_count(variant);
  for (uint64_t i = 0; i < count; ++i) {
    const bt_field_class_variant_option* option =
        bt_field_class_variant_borrow_option_by_index_const(variant, i);
    if (Locate(bt_field_class_variant_option_borrow_field_class_const(option), names)) {
      return Found{{}, true};
    }
  }
  return std::nullopt;
}

std::optional<Found> Locate(const bt_field_class* field_class, Names names) {
  if (IsA(field_class, BT_FIELD_CLASS_TYPE_VARIANT)) return LocateInVariant(field_class, names);
  if (IsA(field_class, BT_FIELD_CLASS_TYPE_OPTION)) {
    auto found = Locate(bt_field_class_option_borrow_field_class_const(field_class), names);
    if (found) found->has_choice = true;
    return found;
  }
  if (names.empty()) return IsScalar(field_class) ? std::optional(Found{}) : std::nullopt;
  if (!IsA(field_class, BT_FIELD_CLASS_TYPE_STRUCTURE)) return std::nullopt;
  const std::optional<uint32_t> member = MemberOf(field_class, names[0]);
  if (!member) return std::nullopt;
  auto found = Locate(ClassOfMember(field_class, *member), names.subspan(1));
  if (found) found->members.insert(found->members.begin(), *member);
  return found;
}

// Through the options that this event has selected.
const bt_field* Follow(const bt_field* field, Names names) {
  while (field != nullptr) {
    const bt_field_class* field_class = bt_field_borrow_class_const(field);
    if (IsA(field_class, BT_FIELD_CLASS_TYPE_VARIANT)) {
      field = bt_field_variant_borrow_selected_option_field_const(field);
    } else if (IsA(field_class, BT_FIELD_CLASS_TYPE_OPTION)) {
      field = bt_field_option_borrow_field_const(field);
    } else if (names.empty()) {
      return field;
    } else if (!IsA(field_class, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
      return nullptr;
    } else {
      const std::optional<uint32_t> member = MemberOf(field_class, names[0]);
      if (!member) return nullptr;
      field = bt_field_structure_borrow_member_field_by_index_const(field, *member);
      names = names.subspan(1);
    }
  }
  return nullptr;
}

// By FieldPlace::Scope.
std::array<const bt_field_class*, 4> ScopesOf(const bt_event_class* event_class) {
  const bt_stream_class* stream_class = bt_event_class_borrow_stream_class_const(event_class);
  return {bt_event_class_borrow_payload_field_class_const(event_class),
          bt_event_class_borrow_specific_context_field_class_const(event_class),
          bt_stream_class_borrow_event_common_context_field_class_const(stream_class),
          bt_stream_class_borrow_packet_context_field_class_const(stream_class)};
}

}  // namespace

std::optional<FieldPlace> FieldPlace::Find(const bt_event_class* event_class,
                                           std::string_view name) {
  std::vector<std::string> names = SplitAtDots(name);
  const auto scopes = ScopesOf(event_class);
  for (size_t scope = 0; scope < scopes.size(); ++scope) {
    if (scopes[scope] == nullptr) continue;
    auto found = Locate(scopes[scope], names);
    if (!found) continue;
    if (!found->has_choice) names.clear();
    return FieldPlace(static_cast<Scope>(scope), std::move(names), std::move(found->members));
  }
  return std::nullopt;
}

FieldValue FieldPlace::Read(const bt_event* event) const {
  const bt_field* field = nullptr;
  switch (scope_) {
    case Scope::kPayload: field = bt_event_borrow_payload_field_const(event); break;
    case Scope::kSpecificContext:
      field = bt_event_borrow_specific_context_field_const(event);
      break;
    case Scope::kCommonContext: field = bt_event_borrow_common_context_field_const(event); break;
    case Scope::kPacketContext:
      field = bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event));
      break;
  }
  if (!names_.empty()) {
    field = Follow(field, names_);
  } else if (field != nullptr) {
    for (const uint32_t member : members_) {
      field = bt_field_structure_borrow_member_field_by_index_const(field, member);
    }
  }
  return field == nullptr ? FieldValue() : ScalarOf(field);
}

FieldValue ScalarOf(const bt_field* field) {
  const bt_field_class_type type = bt_field_get_class_type(field);
  const auto is = [type](bt_field_class_type wanted) {
    return bt_field_class_type_is(type, wanted) == BT_TRUE;
  };
  if (is(BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
    return FieldValue::Unsigned(bt_field_integer_unsigned_get_value(field));
  }
  if (is(BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
    return FieldValue::Signed(bt_field_integer_signed_get_value(field));
  }
  if (is(BT_FIELD_CLASS_TYPE_STRING)) {
    return FieldValue::Text({bt_field_string_get_value(field), bt_field_string_get_length(field)});
  }
  if (is(BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)) {
    return FieldValue::Real(bt_field_real_double_precision_get_value(field));
  }
  if (is(BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)) {
    return FieldValue::Real(static_cast<double>(bt_field_real_single_precision_get_value(field)));
  }
  if (is(BT_FIELD_CLASS_TYPE_BOOL)) {
    return FieldValue::Unsigned(bt_field_bool_get_value(field) == BT_TRUE ? 1U : 0U);
  }
  if (is(BT_FIELD_CLASS_TYPE_BIT_ARRAY)) {
    return FieldValue::Unsigned(bt_field_bit_array_get_value_as_integer(field));
  }
  return {};
}

}  // namespace syncline
