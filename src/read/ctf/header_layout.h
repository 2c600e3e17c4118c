// Members of a structure field and the bits where they belong in a packet's header.
//
// A member is an integer, or an array of integers of equal width, the first one first; numbers are
// written in network byte order. Cost: a few nanoseconds per member. Tested by:
// kernel_network_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

struct bt_field;
struct bt_field_class;

namespace syncline {

struct HeaderField {
  std::string_view name;
  size_t first_bit = 0;  // from the most significant of the first byte
  size_t bits = 0;
};

struct PlacedMember {
  uint64_t member = 0;  // its number in the structure
  size_t first_bit = 0;
  size_t bits = 0;  // of one number
  size_t numbers = 1;
  bool is_array = false;
};

// Tracers put underscores before names.
std::string_view WithoutUnderscores(std::string_view name);
// The number of the member called so, with or without underscores. Requires a structure.
std::optional<uint64_t> MemberNamed(const bt_field_class* structure, std::string_view name);

// Nothing where the class is no structure, lacks a field, or has it of another kind.
std::optional<std::vector<PlacedMember>> PlaceMembers(const bt_field_class* structure,
                                                      std::span<const HeaderField> fields);

// Writes the members into `header`, whose bits there are zero. Requires a structure of the class
// for which they were placed, and room for all of them.
void PutMembers(const bt_field* structure, std::span<const PlacedMember> members,
                std::span<std::byte> header);

}  // namespace syncline
