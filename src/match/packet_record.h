// What is kept of a packet between the passes over the captures and the join.
#pragma once

#include <cstdint>
#include <type_traits>

#include "match/packet_decode.h"

namespace syncline {

struct PacketRecord {
  uint64_t loose = 0;   // PacketIdentity
  uint64_t strict = 0;  // PacketIdentity
  int64_t time = 0;     // ticks of the capture's clock
  uint32_t index_low = 0;
  uint16_t capture = 0;
  uint8_t index_high = 0;  // 40 bits of packet number suffice for files of petabytes
  uint8_t hop_limit = 0;
  uint32_t payload_length : 26 = 0;
  uint32_t direction_bits : 2 = 0;
  uint32_t is_group : 1 = 0;
  uint32_t is_mergeable : 1 = 0;
  uint32_t has_id : 1 = 0;         // an IPv4 id tells a segment sent again from the first
  uint32_t concerns_host : 1 = 0;  // direction unknown, but surely from or to the capturing host
  // Numbers of the IP addresses where the direction is unknown; 0 elsewhere, and for addresses
  // beyond the first 65 535.
  uint16_t source = 0;
  uint16_t destination = 0;

  uint64_t index() const { return uint64_t{index_high} << 32 | index_low; }
  CopyDirection direction() const { return static_cast<CopyDirection>(direction_bits); }
};
static_assert(sizeof(PacketRecord) == 40);
static_assert(std::is_trivially_copyable_v<PacketRecord>);

inline constexpr size_t kMaxCaptures = size_t{1} << 16;
inline constexpr uint32_t kMaxPayloadLength = (uint32_t{1} << 26) - 1;
inline constexpr uint64_t kMaxPacketIndex = (uint64_t{1} << 40) - 1;

}  // namespace syncline
