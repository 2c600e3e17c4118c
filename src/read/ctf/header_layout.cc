#include "read/ctf/header_layout.h"

#include <algorithm>

#include "read/ctf/library.h"

namespace syncline {
namespace {

bool IsInteger(const bt_field_class* field_class) {
  return IsA(field_class, BT_FIELD_CLASS_TYPE_INTEGER);
}

std::optional<PlacedMember> Place(const bt_field_class* structure, const HeaderField& field) {
  const auto member = MemberNamed(structure, field.name);
  if (!member) return std::nullopt;
  PlacedMember placed = {*member, field.first_bit, field.bits};
  const bt_field_class* const field_class = ClassOfMember(structure, *member);
  if (IsInteger(field_class)) return field.bits <= 64 ? std::optional(placed) : std::nullopt;
  if (!IsA(field_class, BT_FIELD_CLASS_TYPE_STATIC_ARRAY)) return std::nullopt;
  if (!IsInteger(bt_field_class_array_borrow_element_field_class_const(field_class))) {
    return std::nullopt;
  }
  placed.is_array = true;
  placed.numbers = bt_field_class_array_static_get_length(field_class);
  if (placed.numbers == 0 || field.bits % placed.numbers != 0) return std::nullopt;
  placed.bits = field.bits / placed.numbers;
  return placed.bits <= 64 ? std::optional(placed) : std::nullopt;
}

uint64_t NumberIn(const bt_field* field) {
  const bool is_unsigned = bt_field_class_type_is(bt_field_get_class_type(field),
                                                  BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) == BT_TRUE;
  return is_unsigned ? bt_field_integer_unsigned_get_value(field)
                     : static_cast<uint64_t>(bt_field_integer_signed_get_value(field));
}

// From the least significant bit on, a byte at a time.
void PutBits(std::span<std::byte> header, size_t first_bit, size_t bits, uint64_t number) {
  size_t end = first_bit + bits;
  while (end > first_bit) {
    const size_t byte = (end - 1) / 8;
    const size_t begin = std::max(first_bit, byte * 8);
    const size_t width = end - begin;
    const uint64_t part = number & ((1u << width) - 1);
    header[byte] |= static_cast<std::byte>(part << (byte * 8 + 8 - end));
    number >>= width;
    end = begin;
  }
}

}  // namespace

std::string_view WithoutUnderscores(std::string_view name) {
  const size_t begin = name.find_first_not_of('_');
  return begin == std::string_view::npos ? std::string_view() : name.substr(begin);
}

std::optional<uint64_t> MemberNamed(const bt_field_class* structure, std::string_view name) {
  const uint64_t members = bt_field_class_structure_get_member_count(structure);
  for (uint64_t i = 0; i < members; ++i) {
    const auto* const member = bt_field_class_structure_borrow_member_by_index_const(structure, i);
    if (WithoutUnderscores(bt_field_class_structure_member_get_name(member)) == name) return i;
  }
  return std::nullopt;
}

std::optional<std::vector<PlacedMember>> PlaceMembers(const bt_field_class* structure,
                                                      std::span<const HeaderField> fields) {
  if (!IsA(structure, BT_FIELD_CLASS_TYPE_STRUCTURE)) return std::nullopt;
  std::vector<PlacedMember> placed;
  for (const HeaderField& field : fields) {
    const auto member = Place(structure, field);
    if (!member) return std::nullopt;
    placed.push_back(*member);
  }
  return placed;
}

void PutMembers(const bt_field* structure, std::span<const PlacedMember> members,
                std::span<std::byte> header) {
  for (const PlacedMember& member : members) {
    const bt_field* const field =
        bt_field_structure_borrow_member_field_by_index_const(structure, member.member);
    if (!member.is_array) {
      PutBits(header, member.first_bit, member.bits, NumberIn(field));
      continue;
    }
    for (uint64_t i = 0; i < member.numbers; ++i) {
      const bt_field* const element = bt_field_array_borrow_element_field_by_index_const(field, i);
      PutBits(header, member.first_bit + i * member.bits, member.bits, NumberIn(element));
    }
  }
}

}  // namespace syncline
