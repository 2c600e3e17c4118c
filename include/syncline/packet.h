// A captured packet as every packet source (capture file, kernel trace) hands it to matching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "syncline/time.h"

namespace syncline {

// What the first captured byte belongs to. Values are the LINKTYPE numbers of capture files.
enum class LinkType : uint16_t {
  kNull = 0,           // BSD loopback: 4-byte address family in the writer's byte order
  kEthernet = 1,       // with any stack of 802.1Q / 802.1ad tags
  kRawIp = 101,        // IPv4 or IPv6 without link header
  kLoop = 108,         // OpenBSD loopback: 4-byte address family, big-endian
  kLinuxCooked = 113,  // LINUX_SLL
  kIpv4 = 228,
  kIpv6 = 229,
  kLinuxCookedV2 = 276,  // LINUX_SLL2
};

// How the packet passed the capture point, where the recorder says so.
enum class PacketDirection : uint8_t { kUnknown, kInbound, kOutbound };

// Ownership: `bytes` points into the reader's buffer and is valid until the next packet is read.
struct Packet {
  uint64_t index = 0;                // number in its file, from 0
  LocalTime time;                    // nanoseconds since the epoch of the capturing host's clock
  std::span<const std::byte> bytes;  // captured bytes, from the link header on
  uint32_t original_length = 0;      // on the wire, ≥ bytes.size() in a sane file
  uint32_t interface = 0;            // number of the capture interface in its file, from 0
  LinkType link = LinkType::kEthernet;
  PacketDirection direction = PacketDirection::kUnknown;
};

}  // namespace syncline
