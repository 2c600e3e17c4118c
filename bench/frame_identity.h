// What tells the messages of an Ethernet frame's flow from those of other flows, and changing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace syncline {

// Places are offsets from the frame's first byte; 0 where the frame has no such field.
struct FrameIdentity {
  std::string addresses;   // both IP addresses, the lower one first
  uint8_t protocol = 0;    // IP protocol number
  uint16_t low_port = 0;   // of the lower address; ICMP: the identifier
  uint16_t high_port = 0;  // of the higher address; ICMP: 0
  size_t ip_id_at = 0;
  size_t ip_checksum_at = 0;
  size_t id_at[2] = {0, 0};  // ports, or the ICMP identifier
  size_t checksum_at = 0;    // of TCP, UDP or ICMP
};

// Nothing for a frame without ports or ICMP echo identifier, or with fewer bytes than these need.
std::optional<FrameIdentity> IdentityOf(std::span<const std::byte> frame);

// Raises ports, IP identification and ICMP identifier by `step` (modulo 2^16) and adjusts the
// checksums (RFC 1624).
void MoveIdentity(std::span<std::byte> frame, const FrameIdentity& identity, uint16_t step);

}  // namespace syncline
