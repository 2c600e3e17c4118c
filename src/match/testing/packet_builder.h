// For tests of matching: builds packets field by field, checksums left at zero.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "match/match_test_util.h"

namespace syncline {

using Bytes = std::vector<std::byte>;

inline void Put8(Bytes& to, uint64_t v) { to.push_back(static_cast<std::byte>(v & 0xff)); }
inline void Put16(Bytes& to, uint64_t v) {
  Put8(to, v >> 8);
  Put8(to, v);
}
inline void Put32(Bytes& to, uint64_t v) {
  Put16(to, v >> 16);
  Put16(to, v);
}
inline void Put48(Bytes& to, uint64_t v) {
  Put16(to, v >> 32);
  Put32(to, v);
}
inline void PutAll(Bytes& to, const Bytes& from) { to.insert(to.end(), from.begin(), from.end()); }

constexpr uint64_t kBroadcastLink = 0xffffffffffff;

// Host n: link address 02:00:00:00:00:n, IPv4 address 10.0.0.n, IPv6 address fd00::n.
constexpr uint64_t LinkOf(uint32_t host) { return 0x020000000000 | host; }
constexpr uint32_t Ipv4Of(uint32_t host) { return 0x0a000000 | host; }

struct PacketSpec {
  uint32_t from = 1;
  uint32_t to = 2;
  uint64_t link_from = 0;  // 0: that of the host
  uint64_t link_to = 0;
  std::vector<uint16_t> vlans = {};
  uint8_t hop_limit = 64;
  uint8_t traffic_class = 0;
  uint16_t ip_id = 0;
  uint16_t fragment = 0;       // IPv4 flags and offset
  uint32_t ipv4_to = 0;        // 0: that of the host
  Bytes ipv6_extensions = {};  // each with its next header; the first's number in ipv6_next
  uint8_t ipv6_next = 0;
  uint32_t flow_label = 0;
  bool ipv6 = false;
  uint8_t protocol = 17;
  uint16_t port_from = 1000;
  uint16_t port_to = 2000;
  uint32_t seq = 0;
  uint32_t ack = 0;
  uint8_t flags = 0x10;
  uint16_t window = 500;
  uint32_t timestamp = 0;  // 0: no TCP timestamps
  uint8_t icmp_type = 8;
  Bytes payload = {};
};

inline Bytes Text(std::string_view text) {
  Bytes bytes;
  for (const char c : text) Put8(bytes, static_cast<unsigned char>(c));
  return bytes;
}

inline Bytes TransportHeader(const PacketSpec& s) {
  Bytes h;
  if (s.protocol == 6) {
    Put16(h, s.port_from);
    Put16(h, s.port_to);
    Put32(h, s.seq);
    Put32(h, s.ack);
    Put8(h, s.timestamp != 0 ? 0x80 : 0x50);
    Put8(h, s.flags);
    Put16(h, s.window);
    Put32(h, 0);
    if (s.timestamp != 0) {
      Put32(h, 0x0101080a);
      Put32(h, s.timestamp);
      Put32(h, 77);
    }
  } else if (s.protocol == 17) {
    Put16(h, s.port_from);
    Put16(h, s.port_to);
    Put16(h, 8 + s.payload.size());
    Put16(h, 0);
  } else {
    Put8(h, s.icmp_type);
    Put8(h, 0);
    Put16(h, 0);
    Put32(h, s.seq);
  }
  return h;
}

inline Bytes IpPacket(const PacketSpec& s) {
  Bytes transport = TransportHeader(s);
  PutAll(transport, s.payload);
  Bytes p;
  if (s.ipv6) {
    Put32(p, 0x60000000u | uint32_t{s.traffic_class} << 20 | s.flow_label);
    Put16(p, s.ipv6_extensions.size() + transport.size());
    Put8(p, s.ipv6_extensions.empty() ? s.protocol : s.ipv6_next);
    Put8(p, s.hop_limit);
    for (const uint32_t host : {s.from, s.to}) {
      Put32(p, 0xfd000000);
      Put48(p, 0);
      Put48(p, host);
    }
    PutAll(p, s.ipv6_extensions);
  } else {
    Put8(p, 0x45);
    Put8(p, s.traffic_class);
    Put16(p, 20 + transport.size());
    Put16(p, s.ip_id);
    Put16(p, s.fragment);
    Put8(p, s.hop_limit);
    Put8(p, s.protocol);
    Put16(p, 0);
    Put32(p, Ipv4Of(s.from));
    Put32(p, s.ipv4_to != 0 ? s.ipv4_to : Ipv4Of(s.to));
  }
  PutAll(p, transport);
  return p;
}

inline Bytes Frame(const PacketSpec& s, uint16_t type, const Bytes& network) {
  Bytes f;
  Put48(f, s.link_to != 0 ? s.link_to : LinkOf(s.to));
  Put48(f, s.link_from != 0 ? s.link_from : LinkOf(s.from));
  for (const uint16_t vlan : s.vlans) {
    Put16(f, 0x8100);
    Put16(f, vlan);
  }
  Put16(f, type);
  PutAll(f, network);
  return f;
}

inline uint16_t EtherType(const PacketSpec& s) { return s.ipv6 ? 0x86dd : 0x0800; }

inline StoredPacket Ethernet(const PacketSpec& s, int64_t time = 0) {
  return {Frame(s, EtherType(s), IpPacket(s)), 0, time};
}

inline StoredPacket RawIp(const PacketSpec& s, int64_t time = 0) {
  return {IpPacket(s), 0, time, LinkType::kRawIp};
}

// Packet type: 0 to us, 1 broadcast, 2 multicast, 3 other host, 4 outgoing.
inline StoredPacket Cooked(const PacketSpec& s, uint16_t packet_type, int64_t time = 0) {
  Bytes f;
  Put16(f, packet_type);
  Put16(f, 1);
  Put16(f, 6);
  Put48(f, LinkOf(s.from));
  Put16(f, 0);
  Put16(f, EtherType(s));
  PutAll(f, IpPacket(s));
  return {f, 0, time, LinkType::kLinuxCooked};
}

inline StoredPacket CookedV2(const PacketSpec& s, uint8_t packet_type, int64_t time = 0) {
  Bytes f;
  Put16(f, EtherType(s));
  Put16(f, 0);
  Put32(f, 3);
  Put16(f, 1);
  Put8(f, packet_type);
  Put8(f, 6);
  Put48(f, LinkOf(s.from));
  Put16(f, 0);
  PutAll(f, IpPacket(s));
  return {f, 0, time, LinkType::kLinuxCookedV2};
}

inline StoredPacket Arp(uint32_t from, uint32_t to, uint16_t opcode, int64_t time = 0) {
  Bytes a;
  Put32(a, 0x00010800);
  Put16(a, 0x0604);
  Put16(a, opcode);
  Put48(a, LinkOf(from));
  Put32(a, Ipv4Of(from));
  Put48(a, opcode == 1 ? 0 : LinkOf(to));
  Put32(a, Ipv4Of(to));
  PacketSpec s{.from = from, .to = to};
  if (opcode == 1) s.link_to = kBroadcastLink;
  return {Frame(s, 0x0806, a), 0, time};
}

inline StoredPacket Cut(StoredPacket packet, size_t snap_length) {
  packet.original_length = static_cast<uint32_t>(packet.bytes.size());
  if (packet.bytes.size() > snap_length) packet.bytes.resize(snap_length);
  return packet;
}

}  // namespace syncline
