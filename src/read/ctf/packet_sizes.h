// Finds packets whose claimed size libbabeltrace2 2.0.4 cannot take: with 0 bits it looks for the
// next packet there for ever, with 2^63 and more it aborts.
//
// Where a packet says its size is read from the metadata's text. Only the usual layout is
// understood: a header and contexts of plain integers and arrays of them, the same in all streams;
// of other traces nothing is said.
// Errors: kMalformed with file and byte. Cost: two small reads per packet.
// Tested by: ctf_bad_input_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "syncline/result.h"

namespace syncline {

// Of a 64-bit integer in every packet, from the packet's beginning.
struct PacketSizeLayout {
  size_t content_size = 0;  // bytes
  size_t packet_size = 0;
  bool is_big_endian = false;
};
// Nothing where the layout is not understood. `text`: TSDL.
std::optional<PacketSizeLayout> FindPacketSizes(std::string_view text);

// All stream files in the trace's folder.
Result<void> CheckPacketSizes(const std::string& folder);

}  // namespace syncline
