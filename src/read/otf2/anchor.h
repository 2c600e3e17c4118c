// A check of the anchor file (.otf2) for what libotf2 3.0.2 trusts without looking: it allocates
// and reads as many properties as the file claims, 1.5 billion for one wrong byte.
//
// Layout, numbers in the byte order that byte 1 tells ('B' little, '#' big): type and byte order,
// "OTF2", 6 bytes of versions, 8 bytes chunk size for events and for definitions, substrate and
// compression, 8 bytes number of locations and of definitions; machine, description and creator,
// each ended by a zero byte; 4 bytes number of properties; per property name and value, each ended
// by a zero byte.
// Errors: more properties than the file has room for. Anything else is left to libotf2.
// Tested by: bad_input_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline {

Result<void> CheckAnchor(const std::string& path);

}  // namespace syncline
