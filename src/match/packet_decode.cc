#include "match/packet_decode.h"

#include "match/key_hash.h"

namespace syncline {
namespace {

constexpr uint16_t kTypeIpv4 = 0x0800;
constexpr uint16_t kTypeArp = 0x0806;
constexpr uint16_t kTypeIpv6 = 0x86dd;

uint8_t Byte(const std::byte* p) { return std::to_integer<uint8_t>(*p); }

uint64_t LinkAddress(const std::byte* p) {
  return static_cast<uint64_t>(LoadBig16(p)) << 32 | LoadBig32(p + 2);
}

uint64_t Ipv4Address(const std::byte* p) { return uint64_t{4} << 32 | LoadBig32(p); }

uint64_t Ipv6Address(const std::byte* p) {
  KeyHash hash;
  hash.AddBytes({p, 16});
  return hash.First() | 1;
}

// Reads one packet from the outside in; each step returns the status at which decoding ends.
class Decoder {
 public:
  // Fills in `out` in place: copying it whole, right after single fields were stored, stalls.
  Decoder(const Packet& packet, DecodedPacket& out)
      : packet_(packet), data_(packet.bytes.data()), out_(out) {}

  void Decode() {
    out_.status = Link();
    if (packet_.direction == PacketDirection::kInbound) out_.direction = CopyDirection::kIn;
    if (packet_.direction == PacketDirection::kOutbound) out_.direction = CopyDirection::kOut;
  }

 private:
  bool Has(size_t end) const { return end <= packet_.bytes.size(); }

  // Why bytes up to `end` are not there.
  DecodeStatus Missing(size_t end) const {
    return end <= packet_.original_length ? DecodeStatus::kHeaderCut : DecodeStatus::kMalformed;
  }

  DecodeStatus Link() {
    switch (packet_.link) {
      case LinkType::kEthernet: return Ethernet();
      case LinkType::kLinuxCooked: return Cooked();
      case LinkType::kLinuxCookedV2: return CookedV2();
      case LinkType::kNull:
      case LinkType::kLoop: return Loopback();
      case LinkType::kRawIp:
      case LinkType::kIpv4:
      case LinkType::kIpv6: return IpByVersion(0);
    }
    return DecodeStatus::kUnsupported;
  }

  DecodeStatus Ethernet() {
    if (!Has(14)) return Missing(14);
    out_.link_destination = LinkAddress(data_);
    out_.link_source = LinkAddress(data_ + 6);
    out_.is_group = (Byte(data_) & 1) != 0;
    return Network(LoadBig16(data_ + 12), 14);
  }

  DecodeStatus Cooked() {
    if (!Has(16)) return Missing(16);
    PacketType(LoadBig16(data_));
    return Network(LoadBig16(data_ + 14), 16);
  }

  DecodeStatus CookedV2() {
    if (!Has(20)) return Missing(20);
    PacketType(Byte(data_ + 10));
    return Network(LoadBig16(data_), 20);
  }

  // Linux's PACKET_* numbers: to us, broadcast, multicast, other host, outgoing.
  void PacketType(unsigned type) {
    if (type <= 2) out_.direction = CopyDirection::kIn;
    if (type == 1 || type == 2) out_.is_group = true;
    if (type == 3) out_.direction = CopyDirection::kOther;
    if (type == 4) out_.direction = CopyDirection::kOut;
  }

  // The address family is in either byte order; IPv6 has another number on each system.
  DecodeStatus Loopback() {
    if (!Has(4)) return Missing(4);
    const uint32_t big = LoadBig32(data_);
    const uint32_t family = big > 0xffff ? __builtin_bswap32(big) : big;
    const bool known = family == 2 || family == 10 || family == 24 || family == 28 || family == 30;
    return known ? IpByVersion(4) : DecodeStatus::kUnsupported;
  }

  DecodeStatus IpByVersion(size_t offset) {
    if (!Has(offset + 1)) return Missing(offset + 1);
    const unsigned version = Byte(data_ + offset) >> 4;
    if (version == 4 && packet_.link != LinkType::kIpv6) return Ipv4(offset);
    if (version == 6 && packet_.link != LinkType::kIpv4) return Ipv6(offset);
    return DecodeStatus::kMalformed;
  }

  DecodeStatus Network(uint16_t type, size_t offset) {
    while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
      if (!Has(offset + 4)) return Missing(offset + 4);
      type = LoadBig16(data_ + offset + 2);
      offset += 4;
    }
    if (type == kTypeIpv4) return Ipv4(offset);
    if (type == kTypeIpv6) return Ipv6(offset);
    if (type == kTypeArp) return Arp(offset);
    return DecodeStatus::kUnsupported;
  }

  DecodeStatus Arp(size_t offset) {
    constexpr uint32_t kEthernetIpv4Length = 28;
    if (!Has(offset + kEthernetIpv4Length)) return Missing(offset + kEthernetIpv4Length);
    const std::byte* p = data_ + offset;
    const bool ethernet_ipv4 =
        LoadBig16(p) == 1 && LoadBig16(p + 2) == kTypeIpv4 && Byte(p + 4) == 6 && Byte(p + 5) == 4;
    if (!ethernet_ipv4) return DecodeStatus::kUnsupported;
    out_.protocol = Protocol::kArp;
    out_.source = Ipv4Address(p + 14);
    out_.destination = Ipv4Address(p + 24);
    out_.network_offset = out_.transport_offset = static_cast<uint32_t>(offset);
    out_.payload_offset = static_cast<uint32_t>(offset) + kEthernetIpv4Length;
    out_.network_length = kEthernetIpv4Length;
    return DecodeStatus::kMatchable;
  }

  // A header that gives no length (left to the network card, or a jumbogram) means: to the end.
  uint32_t LengthToEnd(size_t offset) const {
    const size_t end = std::max<size_t>(packet_.original_length, packet_.bytes.size());
    return static_cast<uint32_t>(end - offset);
  }

  DecodeStatus Ipv4(size_t offset) {
    if (!Has(offset + 20)) return Missing(offset + 20);
    const std::byte* p = data_ + offset;
    const uint32_t header = (Byte(p) & 0xfu) * 4;
    const uint32_t total = LoadBig16(p + 2);
    if (Byte(p) >> 4 != 4 || header < 20 || (total != 0 && total < header)) {
      return DecodeStatus::kMalformed;
    }
    out_.ip_version = 4;
    out_.network_offset = static_cast<uint32_t>(offset);
    out_.network_length = total != 0 ? total : LengthToEnd(offset);
    out_.hop_limit = Byte(p + 8);
    out_.source = Ipv4Address(p + 12);
    out_.destination = Ipv4Address(p + 16);
    const uint32_t to = LoadBig32(p + 16);
    if (to >> 28 == 0xe || to == 0xffffffff) out_.is_group = true;
    if ((LoadBig16(p + 6) & 0x3fff) != 0) return DecodeStatus::kFragment;
    return Transport(Byte(p + 9), offset + header);
  }

  DecodeStatus Ipv6(size_t offset) {
    if (!Has(offset + 40)) return Missing(offset + 40);
    const std::byte* p = data_ + offset;
    if (Byte(p) >> 4 != 6) return DecodeStatus::kMalformed;
    const uint32_t length = LoadBig16(p + 4);
    out_.ip_version = 6;
    out_.network_offset = static_cast<uint32_t>(offset);
    out_.network_length = length != 0 ? length + 40 : LengthToEnd(offset);
    out_.hop_limit = Byte(p + 7);
    out_.source = Ipv6Address(p + 8);
    out_.destination = Ipv6Address(p + 24);
    if (Byte(p + 24) == 0xff) out_.is_group = true;
    return Ipv6Headers(Byte(p + 6), offset + 40);
  }

  DecodeStatus Ipv6Headers(uint8_t next, size_t offset) {
    for (;;) {
      if (next == 44) return DecodeStatus::kFragment;
      if (next != 0 && next != 43 && next != 60) return Transport(next, offset);
      if (!Has(offset + 2)) return Missing(offset + 2);
      next = Byte(data_ + offset);
      offset += (Byte(data_ + offset + 1) + size_t{1}) * 8;
    }
  }

  DecodeStatus Transport(uint8_t protocol, size_t offset) {
    switch (protocol) {
      case 6: return Tcp(offset);
      case 17: return Headers(Protocol::kUdp, offset, 8);
      case 1:
        return out_.ip_version == 4 ? Headers(Protocol::kIcmp, offset, 8)
                                    : DecodeStatus::kUnsupported;
      case 58:
        return out_.ip_version == 6 ? Headers(Protocol::kIcmp6, offset, 8)
                                    : DecodeStatus::kUnsupported;
      default: return DecodeStatus::kUnsupported;
    }
  }

  DecodeStatus Tcp(size_t offset) {
    if (!Has(offset + 20)) return Missing(offset + 20);
    const uint32_t header = (Byte(data_ + offset + 12) >> 4) * 4u;
    if (header < 20) return DecodeStatus::kMalformed;
    return Headers(Protocol::kTcp, offset, header);
  }

  DecodeStatus Headers(Protocol protocol, size_t offset, size_t length) {
    const size_t end = offset + length;
    if (end > size_t{out_.network_offset} + out_.network_length) return DecodeStatus::kMalformed;
    if (!Has(end)) return Missing(end);
    out_.protocol = protocol;
    out_.transport_offset = static_cast<uint32_t>(offset);
    out_.payload_offset = static_cast<uint32_t>(end);
    return DecodeStatus::kMatchable;
  }

  const Packet& packet_;
  const std::byte* data_;
  DecodedPacket& out_;
};

}  // namespace

DecodedPacket DecodePacket(const Packet& packet) {
  DecodedPacket decoded;
  Decoder(packet, decoded).Decode();
  return decoded;
}

}  // namespace syncline
