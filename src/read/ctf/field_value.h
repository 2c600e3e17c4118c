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

#include <bit>
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

// Two whole words, which functions return in registers and compilers copy as such: what has gaps,
// or is larger, is copied in other pieces than it was stored in, for which processors wait.
class FieldValue {
 public:
  enum class Kind : uint8_t { kNone, kSigned, kUnsigned, kReal, kText };

  FieldValue() = default;
  static FieldValue Signed(int64_t number) {
    return {Kind::kSigned, std::bit_cast<uint64_t>(number)};
  }
  static FieldValue Unsigned(uint64_t number) { return {Kind::kUnsigned, number}; }
  static FieldValue Real(double number) { return {Kind::kReal, std::bit_cast<uint64_t>(number)}; }
  static FieldValue Text(std::string_view text) {
    return {Kind::kText, reinterpret_cast<uintptr_t>(text.data()), text.size()};
  }

  Kind kind() const { return static_cast<Kind>(kind_and_size_ & 0xFF); }
  // The one that the kind says; the others are 0.
  int64_t as_signed() const { return std::bit_cast<int64_t>(BitsOf(Kind::kSigned)); }
  uint64_t as_unsigned() const { return BitsOf(Kind::kUnsigned); }
  double as_real() const { return std::bit_cast<double>(BitsOf(Kind::kReal)); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(BitsOf(Kind::kText)), kind_and_size_ >> 8};
  }

 private:
  FieldValue(Kind kind, uint64_t bits, uint64_t size = 0)
      : bits_(bits), kind_and_size_(size << 8 | static_cast<uint64_t>(kind)) {}
  uint64_t BitsOf(Kind of) const { return kind() == of ? bits_ : 0; }

  uint64_t bits_ = 0;           // the number, or the place of the text
  uint64_t kind_and_size_ = 0;  // the size in bytes of the text, from bit 8 on
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

}  // namespace syncline
