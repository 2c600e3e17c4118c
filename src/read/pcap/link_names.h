// The link types that packets are decoded for, and names for those that are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "syncline/packet.h"

namespace syncline {

// The link type that a LINKTYPE number of a capture file stands for; nullopt if unsupported.
std::optional<LinkType> SupportedLinkType(uint32_t number);

// "link type 105 (IEEE802_11)", or without a name where none is known.
std::string DescribeLinkType(uint32_t number);

}  // namespace syncline
