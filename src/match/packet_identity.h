// The identity of a packet: what no router, switch or network card on its way changes.
//
// The two keys together identify a packet (128 bits): addresses, protocol, IPv4 id or IPv6 flow
// label, length, ports, TCP numbers, flags and options, ICMP header, and payload. Not in them: hop
// limit, DSCP and ECN, checksums of IP, TCP and UDP (offload leaves them wrong at the sender), link
// header and VLAN tags.
// For TCP segments with data, network cards may merge or split segments; all that ends with the
// same byte share the key `loose`: addresses, ports, the sequence number after the last byte,
// acknowledgement, window, timestamps, flags without PSH and FIN.
// Cost: about 1 ns per 16 bytes hashed. Tested by: packet_identity_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "match/packet_decode.h"

namespace syncline {

struct PacketIdentity {
  uint64_t loose = 0;
  uint64_t strict = 0;
  uint32_t payload_length = 0;
  bool has_id = false;        // an IPv4 id other than 0
  bool is_mergeable = false;  // a TCP segment with data: `loose` alone has a meaning
};

// Requires a matchable packet. Bytes beyond `hashed_length` from the network header on are not
// looked at, unless they belong to headers.
PacketIdentity IdentifyPacket(std::span<const std::byte> bytes, const DecodedPacket& decoded,
                              uint32_t hashed_length);

}  // namespace syncline
