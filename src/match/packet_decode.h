// What matching needs to know of a captured packet: addresses, protocol, and where its headers end.
//
// Follows Ethernet, Linux cooked, BSD loopback and raw IP links, VLAN tags, IPv4, and IPv6 with
// hop-by-hop, routing and destination-options headers, to TCP, UDP, ICMP, ICMPv6 and ARP.
// Errors: none; what cannot be used has a status that says why. Every read is checked against the
// captured bytes, and a matchable packet has all its headers. Cost: some ten nanoseconds.
// Tested by: packet_decode_test.cc.
#pragma once

#include <cstdint>
#include <cstring>

#include "syncline/packet.h"

namespace syncline {

enum class DecodeStatus : uint8_t {
  kMatchable,    // one of Protocol, all headers captured
  kFragment,     // an IP fragment
  kUnsupported,  // another protocol
  kHeaderCut,    // the snap length ended inside the headers
  kMalformed,    // the headers contradict themselves or the packet's length
};

enum class Protocol : uint8_t { kNone, kTcp, kUdp, kIcmp, kIcmp6, kArp };

// How a copy of a packet passed the host that captured it.
enum class CopyDirection : uint8_t {
  kUnknown,
  kOut,
  kIn,
  kOther,  // between other hosts: flooded or mirrored
};

struct DecodedPacket {
  DecodeStatus status = DecodeStatus::kUnsupported;
  Protocol protocol = Protocol::kNone;
  CopyDirection direction = CopyDirection::kUnknown;  // as far as the recorder says it
  bool is_group = false;                              // broadcast or multicast, of link or of IP
  uint8_t ip_version = 0;                             // 4, 6, or 0
  uint8_t hop_limit = 0;                              // time to live; 0 for ARP
  // 48-bit link addresses and IP addresses as numbers; 0 is none. IPv4 (and ARP's) exact, IPv6 as
  // a 64-bit hash.
  uint64_t link_source = 0;
  uint64_t link_destination = 0;
  uint64_t source = 0;
  uint64_t destination = 0;
  // Positions in Packet::bytes, and the length on the wire from the network header on.
  uint32_t network_offset = 0;
  uint32_t transport_offset = 0;
  uint32_t payload_offset = 0;
  uint32_t network_length = 0;

  uint32_t payload_length() const { return network_offset + network_length - payload_offset; }
};

DecodedPacket DecodePacket(const Packet& packet);

// Numbers in network byte order at `p`.
inline uint16_t LoadBig16(const std::byte* p) {
  uint16_t v = 0;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}
inline uint32_t LoadBig32(const std::byte* p) {
  uint32_t v = 0;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

}  // namespace syncline
