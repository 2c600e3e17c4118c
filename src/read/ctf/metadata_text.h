// The text of a trace's metadata, taken out of its packets where it has some.
//
// Errors: kUnreadable; kMalformed where the file ends inside a packet, for more of which
// libbabeltrace2 2.0.4 would wait for ever. Tested by: ctf_bad_input_test.cc, ctf_damage_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline {

// `folder` holds the file `metadata`. What follows a packet that is none is left out.
Result<std::string> ReadMetadataText(const std::string& folder);

}  // namespace syncline
