// Where the packets of a CTF trace say how large they are, from the text of its metadata.
//
// Only the usual layout is understood: a header and contexts of integers, arrays of them and,
// behind the sizes, texts; of named types, as tracers write them, or of types on the spot, as
// Babeltrace does; the same in all streams. Tested by: packet_layout_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace syncline {

// A number that begins at a byte.
struct NumberPlace {
  size_t begin = 0;  // from the packet's
  size_t bytes = 0;  // at most 8
  size_t end() const { return begin + bytes; }
  friend bool operator==(const NumberPlace&, const NumberPlace&) = default;
};

struct PacketLayout {
  NumberPlace content_size;
  NumberPlace packet_size;
  bool is_big_endian = false;
  bool has_magic = false;  // every packet begins with the magic number
  friend bool operator==(const PacketLayout&, const PacketLayout&) = default;
};

// Nothing where the layout is not understood. `text`: TSDL.
std::optional<PacketLayout> FindPacketLayout(std::string_view text);

// Of at most 8 bytes.
uint64_t LoadNumber(std::string_view bytes, bool is_big_endian);

}  // namespace syncline
