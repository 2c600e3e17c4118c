// The names of all scalar fields of an event class, for tests that read each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <babeltrace2/babeltrace.h>

#include "read/ctf/field_value.h"

namespace syncline {

inline void AddFieldNames(const bt_event_class* event, const bt_field_class* field,
                          const std::string& prefix, std::vector<std::string>& names) {
  const bt_field_class_type type = bt_field_class_get_type(field);
  if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
    for (uint64_t i = 0; i < bt_field_class_structure_get_member_count(field); ++i) {
      const auto* member = bt_field_class_structure_borrow_member_by_index_const(field, i);
      std::string_view name = bt_field_class_structure_member_get_name(member);
      name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
      AddFieldNames(event, bt_field_class_structure_member_borrow_field_class_const(member),
                    prefix + (prefix.empty() ? "" : ".") + std::string(name), names);
    }
  } else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
    for (uint64_t i = 0; i < bt_field_class_variant_get_option_count(field); ++i) {
      const auto* option = bt_field_class_variant_borrow_option_by_index_const(field, i);
      AddFieldNames(event, bt_field_class_variant_option_borrow_field_class_const(option), prefix,
                    names);
    }
  } else if (FieldPlace::Find(event, prefix)) {
    names.push_back(prefix);
  }
}

inline std::vector<std::string> FieldNames(const bt_event_class* event) {
  const bt_stream_class* stream = bt_event_class_borrow_stream_class_const(event);
  std::vector<std::string> names;
  for (const bt_field_class* scope :
       {bt_event_class_borrow_payload_field_class_const(event),
        bt_event_class_borrow_specific_context_field_class_const(event),
        bt_stream_class_borrow_event_common_context_field_class_const(stream),
        bt_stream_class_borrow_packet_context_field_class_const(stream)}) {
    if (scope != nullptr) AddFieldNames(event, scope, "", names);
  }
  return names;
}

}  // namespace syncline
