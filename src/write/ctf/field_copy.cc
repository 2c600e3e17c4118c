#include "write/ctf/field_copy.h"

#include <cstdint>

namespace syncline::ctf_write {
namespace {

bool CopyStructure(const bt_field* from, bt_field* to) {
  const uint64_t members =
      bt_field_class_structure_get_member_count(bt_field_borrow_class_const(from));
  for (uint64_t i = 0; i < members; ++i) {
    if (!CopyField(bt_field_structure_borrow_member_field_by_index_const(from, i),
                   bt_field_structure_borrow_member_field_by_index(to, i))) {
      return false;
    }
  }
  return true;
}

bool CopyElements(const bt_field* from, bt_field* to) {
  const uint64_t length = bt_field_array_get_length(from);
  for (uint64_t i = 0; i < length; ++i) {
    if (!CopyField(bt_field_array_borrow_element_field_by_index_const(from, i),
                   bt_field_array_borrow_element_field_by_index(to, i))) {
      return false;
    }
  }
  return true;
}

bool CopyDynamicArray(const bt_field* from, bt_field* to) {
  const auto status = bt_field_array_dynamic_set_length(to, bt_field_array_get_length(from));
  return status == BT_FIELD_DYNAMIC_ARRAY_SET_LENGTH_STATUS_OK && CopyElements(from, to);
}

bool CopyOption(const bt_field* from, bt_field* to) {
  const bt_field* content = bt_field_option_borrow_field_const(from);
  bt_field_option_set_has_field(to, content != nullptr ? BT_TRUE : BT_FALSE);
  return content == nullptr || CopyField(content, bt_field_option_borrow_field(to));
}

bool CopyVariant(const bt_field* from, bt_field* to) {
  const auto status =
      bt_field_variant_select_option_by_index(to, bt_field_variant_get_selected_option_index(from));
  return status == BT_FIELD_VARIANT_SELECT_OPTION_STATUS_OK &&
         CopyField(bt_field_variant_borrow_selected_option_field_const(from),
                   bt_field_variant_borrow_selected_option_field(to));
}

bool CopyString(const bt_field* from, bt_field* to) {
  bt_field_string_clear(to);
  return bt_field_string_append_with_length(to, bt_field_string_get_value(from),
                                            bt_field_string_get_length(from)) ==
         BT_FIELD_STRING_APPEND_STATUS_OK;
}

bool CopyScope(const bt_field* from, bt_field* to) {
  return from == nullptr || CopyField(from, to);
}

}  // namespace

bool CopyField(const bt_field* from, bt_field* to) {
  switch (bt_field_get_class_type(from)) {
    case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
    case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
      bt_field_integer_unsigned_set_value(to, bt_field_integer_unsigned_get_value(from));
      return true;
    case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
    case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
      bt_field_integer_signed_set_value(to, bt_field_integer_signed_get_value(from));
      return true;
    case BT_FIELD_CLASS_TYPE_STRING:
      return CopyString(from, to);
    case BT_FIELD_CLASS_TYPE_STRUCTURE:
      return CopyStructure(from, to);
    case BT_FIELD_CLASS_TYPE_STATIC_ARRAY:
      return CopyElements(from, to);
    case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITHOUT_LENGTH_FIELD:
    case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD:
      return CopyDynamicArray(from, to);
    case BT_FIELD_CLASS_TYPE_OPTION_WITHOUT_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_BOOL_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_UNSIGNED_INTEGER_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_SIGNED_INTEGER_SELECTOR_FIELD:
      return CopyOption(from, to);
    case BT_FIELD_CLASS_TYPE_VARIANT_WITHOUT_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_VARIANT_WITH_UNSIGNED_INTEGER_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_VARIANT_WITH_SIGNED_INTEGER_SELECTOR_FIELD:
      return CopyVariant(from, to);
    case BT_FIELD_CLASS_TYPE_BOOL:
      bt_field_bool_set_value(to, bt_field_bool_get_value(from));
      return true;
    case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
      bt_field_bit_array_set_value_as_integer(to, bt_field_bit_array_get_value_as_integer(from));
      return true;
    case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
      bt_field_real_single_precision_set_value(to, bt_field_real_single_precision_get_value(from));
      return true;
    case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
      bt_field_real_double_precision_set_value(to, bt_field_real_double_precision_get_value(from));
      return true;
    default:  // the abstract types, of which no field is
      return false;
  }
}

bool CopyEventFields(const bt_event* from, bt_event* to) {
  return CopyScope(bt_event_borrow_common_context_field_const(from),
                   bt_event_borrow_common_context_field(to)) &&
         CopyScope(bt_event_borrow_specific_context_field_const(from),
                   bt_event_borrow_specific_context_field(to)) &&
         CopyScope(bt_event_borrow_payload_field_const(from), bt_event_borrow_payload_field(to));
}

}  // namespace syncline::ctf_write
