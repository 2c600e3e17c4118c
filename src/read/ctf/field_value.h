// Scalar fields of CTF events by name: looked up once per event class, then read per event.
//
// Names are those of the trace with or without the leading underscores that tracers put before
// them; members of structures are joined by dots, as in `network_header.saddr`. A variant stands
// for its selected option, so that its name is left out. Looked in are the payload, then the
// specific, then the common event context, then the packet's context.
// Requires: a field is read from events of the class for which it was found.
// Ownership: text points into the event. Cost: a few pointer steps per read.
// Tested by: field_value_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct bt_event;
struct bt_event_class;
struct bt_field;
struct bt_field_class;

namespace syncline {

struct FieldValue {
  enum class Kind : uint8_t { kNone, kSigned, kUnsigned, kReal, kText };
  Kind kind = Kind::kNone;
  // The one that the kind says; the others are 0.
  int64_t as_signed = 0;
  uint64_t as_unsigned = 0;
  double as_real = 0;
  std::string_view text;
};

// Where a field lies in all events of one class.
class FieldPlace {
 public:
  // Nothing where the class has no such field, or where it is no scalar.
  static std::optional<FieldPlace> Find(const bt_event_class* event_class, std::string_view name);
  // Of kind kNone where this event lacks the field: an option that is not selected.
  FieldValue Read(const bt_event* event) const;

 private:
  enum class Scope : uint8_t { kPayload, kSpecificContext, kCommonContext, kPacketContext };
  FieldPlace(Scope scope, std::vector<std::string> names, std::vector<uint32_t> members)
      : scope_(scope), names_(std::move(names)), members_(std::move(members)) {}

  Scope scope_;
  std::vector<std::string> names_;  // only where a variant lies on the way
  std::vector<uint32_t> members_;   // else: the members' numbers, from the outermost on
};

// A scalar as it is; other kinds of fields are kNone.
FieldValue ScalarOf(const bt_field* field);

// The names of all scalar fields, for messages to people.
std::vector<std::string> FieldNames(const bt_event_class* event_class);

}  // namespace syncline
