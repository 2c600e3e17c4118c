#include "write/ctf/message_copy.h"

namespace syncline::ctf_write {
namespace {

// Copies the fields of a Babeltrace event into another event of the same class.
//
// Requires: both are instances of one event class; the new one is not yet frozen.
// Cost: a walk over the fields, some 10 ns per scalar. Errors: false where memory is short.
[[nodiscard]] bool CopyField(const bt_field* from, bt_field* to);

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
    case BT_FIELD_CLASS_TYPE_STRING: return CopyString(from, to);
    case BT_FIELD_CLASS_TYPE_STRUCTURE: return CopyStructure(from, to);
    case BT_FIELD_CLASS_TYPE_STATIC_ARRAY: return CopyElements(from, to);
    case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITHOUT_LENGTH_FIELD:
    case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD: return CopyDynamicArray(from, to);
    case BT_FIELD_CLASS_TYPE_OPTION_WITHOUT_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_BOOL_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_UNSIGNED_INTEGER_SELECTOR_FIELD:
    case BT_FIELD_CLASS_TYPE_OPTION_WITH_SIGNED_INTEGER_SELECTOR_FIELD: return CopyOption(from, to);
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

// Common context, specific context and payload.
bool CopyEventFields(const bt_event* from, bt_event* to) {
  return CopyScope(bt_event_borrow_common_context_field_const(from),
                   bt_event_borrow_common_context_field(to)) &&
         CopyScope(bt_event_borrow_specific_context_field_const(from),
                   bt_event_borrow_specific_context_field(to)) &&
         CopyScope(bt_event_borrow_payload_field_const(from), bt_event_borrow_payload_field(to));
}

MessageTimes At(const bt_clock_snapshot* snapshot) {
  const uint64_t cycles = bt_clock_snapshot_get_value(snapshot);
  return {cycles, cycles};
}

// The beginning and the end of a stream, whose times may be unknown.
template <typename Borrow>
std::optional<MessageTimes> OfStream(Borrow borrow, const bt_message* message, bool has_clock) {
  const bt_clock_snapshot* snapshot = nullptr;
  if (!has_clock || borrow(message, &snapshot) != BT_MESSAGE_STREAM_CLOCK_SNAPSHOT_STATE_KNOWN) {
    return std::nullopt;
  }
  return At(snapshot);
}

const bt_message* CopyEvent(bt_self_message_iterator* maker, const bt_message* message,
                            const StreamShape& shape, uint64_t cycles) {
  const bt_event* event = bt_message_event_borrow_event_const(message);
  const bt_event_class* event_class = bt_event_borrow_class_const(event);
  bt_message* copy = shape.has_packets
                         ? bt_message_event_create_with_packet_and_default_clock_snapshot(
                               maker, event_class, bt_event_borrow_packet_const(event), cycles)
                         : bt_message_event_create_with_default_clock_snapshot(
                               maker, event_class, bt_event_borrow_stream_const(event), cycles);
  if (copy == nullptr || CopyEventFields(event, bt_message_event_borrow_event(copy))) return copy;
  bt_message_put_ref(copy);
  return nullptr;
}

const bt_message* CopyDiscardedEvents(bt_self_message_iterator* maker, const bt_message* message,
                                      MessageTimes times) {
  bt_message* copy = bt_message_discarded_events_create_with_default_clock_snapshots(
      maker, bt_message_discarded_events_borrow_stream_const(message), times.first, times.last);
  uint64_t count = 0;
  if (copy != nullptr && bt_message_discarded_events_get_count(message, &count) ==
                             BT_PROPERTY_AVAILABILITY_AVAILABLE) {
    bt_message_discarded_events_set_count(copy, count);
  }
  return copy;
}

const bt_message* CopyDiscardedPackets(bt_self_message_iterator* maker, const bt_message* message,
                                       MessageTimes times) {
  bt_message* copy = bt_message_discarded_packets_create_with_default_clock_snapshots(
      maker, bt_message_discarded_packets_borrow_stream_const(message), times.first, times.last);
  uint64_t count = 0;
  if (copy != nullptr && bt_message_discarded_packets_get_count(message, &count) ==
                             BT_PROPERTY_AVAILABILITY_AVAILABLE) {
    bt_message_discarded_packets_set_count(copy, count);
  }
  return copy;
}

const bt_message* CopyStreamBeginning(bt_self_message_iterator* maker, const bt_message* message,
                                      uint64_t cycles) {
  bt_message* copy = bt_message_stream_beginning_create(
      maker, bt_message_stream_beginning_borrow_stream_const(message));
  if (copy != nullptr) bt_message_stream_beginning_set_default_clock_snapshot(copy, cycles);
  return copy;
}

const bt_message* CopyStreamEnd(bt_self_message_iterator* maker, const bt_message* message,
                                uint64_t cycles) {
  bt_message* copy =
      bt_message_stream_end_create(maker, bt_message_stream_end_borrow_stream_const(message));
  if (copy != nullptr) bt_message_stream_end_set_default_clock_snapshot(copy, cycles);
  return copy;
}

}  // namespace

StreamShape ShapeOf(const bt_stream* stream) {
  const bt_stream_class* stream_class = bt_stream_borrow_class_const(stream);
  const auto is = [](bt_bool value) { return value == BT_TRUE; };
  return {
      .has_clock = bt_stream_class_borrow_default_clock_class_const(stream_class) != nullptr,
      .has_packets = is(bt_stream_class_supports_packets(stream_class)),
      .packet_beginnings =
          is(bt_stream_class_packets_have_beginning_default_clock_snapshot(stream_class)),
      .packet_ends = is(bt_stream_class_packets_have_end_default_clock_snapshot(stream_class)),
      .discarded_events =
          is(bt_stream_class_discarded_events_have_default_clock_snapshots(stream_class)),
      .discarded_packets =
          is(bt_stream_class_discarded_packets_have_default_clock_snapshots(stream_class)),
  };
}

const bt_stream* StreamOf(const bt_message* message) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
      return bt_event_borrow_stream_const(bt_message_event_borrow_event_const(message));
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
      return bt_message_stream_beginning_borrow_stream_const(message);
    case BT_MESSAGE_TYPE_STREAM_END: return bt_message_stream_end_borrow_stream_const(message);
    case BT_MESSAGE_TYPE_PACKET_BEGINNING:
      return bt_packet_borrow_stream_const(
          bt_message_packet_beginning_borrow_packet_const(message));
    case BT_MESSAGE_TYPE_PACKET_END:
      return bt_packet_borrow_stream_const(bt_message_packet_end_borrow_packet_const(message));
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      return bt_message_discarded_events_borrow_stream_const(message);
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      return bt_message_discarded_packets_borrow_stream_const(message);
    default: return nullptr;
  }
}

std::optional<MessageTimes> TimesOf(const bt_message* message, const StreamShape& shape) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
      if (!shape.has_clock) return std::nullopt;
      return At(bt_message_event_borrow_default_clock_snapshot_const(message));
    case BT_MESSAGE_TYPE_PACKET_BEGINNING:
      if (!shape.packet_beginnings) return std::nullopt;
      return At(bt_message_packet_beginning_borrow_default_clock_snapshot_const(message));
    case BT_MESSAGE_TYPE_PACKET_END:
      if (!shape.packet_ends) return std::nullopt;
      return At(bt_message_packet_end_borrow_default_clock_snapshot_const(message));
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      if (!shape.discarded_events) return std::nullopt;
      return MessageTimes{
          At(bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message))
              .first,
          At(bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message)).last};
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      if (!shape.discarded_packets) return std::nullopt;
      return MessageTimes{
          At(bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message))
              .first,
          At(bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message)).last};
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
      return OfStream(bt_message_stream_beginning_borrow_default_clock_snapshot_const, message,
                      shape.has_clock);
    case BT_MESSAGE_TYPE_STREAM_END:
      return OfStream(bt_message_stream_end_borrow_default_clock_snapshot_const, message,
                      shape.has_clock);
    default: return std::nullopt;
  }
}

const bt_message* CopyMessage(bt_self_message_iterator* maker, const bt_message* message,
                              const StreamShape& shape, MessageTimes times) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT: return CopyEvent(maker, message, shape, times.first);
    case BT_MESSAGE_TYPE_PACKET_BEGINNING:
      return bt_message_packet_beginning_create_with_default_clock_snapshot(
          maker, bt_message_packet_beginning_borrow_packet_const(message), times.first);
    case BT_MESSAGE_TYPE_PACKET_END:
      return bt_message_packet_end_create_with_default_clock_snapshot(
          maker, bt_message_packet_end_borrow_packet_const(message), times.first);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS: return CopyDiscardedEvents(maker, message, times);
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS: return CopyDiscardedPackets(maker, message, times);
    case BT_MESSAGE_TYPE_STREAM_BEGINNING: return CopyStreamBeginning(maker, message, times.first);
    case BT_MESSAGE_TYPE_STREAM_END: return CopyStreamEnd(maker, message, times.first);
    default: return nullptr;
  }
}

}  // namespace syncline::ctf_write
