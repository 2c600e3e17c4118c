// Finds packets that libbabeltrace2 2.0.4 cannot take: those whose claimed size is 0 bits, where it
// looks for the next packet for ever, or 2^63 and more, where it aborts; and those that the end of
// their file cuts off.
//
// Of traces whose metadata packet_layout.h does not understand nothing is said. A file is taken to
// be cut off only where its last packet begins as packets do: with the magic number, or, in traces
// without one, behind a whole packet.
// Errors: those of ReadMetadataText(); kMalformed with file and byte. Cost: two small reads per
// packet. Tested by: ctf_bad_input_test.cc, ctf_cut_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syncline/result.h"

namespace syncline {

// A stream file whose last packet is incomplete.
struct CutFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t whole_bytes = 0;  // up to the end of the last whole packet
};

// The stream files in the trace's folder that are cut off, in order of their names; kMalformed for
// impossible sizes.
Result<std::vector<CutFile>> CheckPacketSizes(const std::string& folder);

}  // namespace syncline
