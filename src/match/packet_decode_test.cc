#include "match/packet_decode.h"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "match/testing/packet_builder.h"

namespace syncline {
namespace {

// IPv6 extension header of `words` times 8 bytes, followed by `next`.
Bytes Extension(uint8_t next, uint8_t words) {
  Bytes e(words * size_t{8});
  e[0] = std::byte{next};
  e[1] = static_cast<std::byte>(words - 1);
  return e;
}

Bytes Joined(Bytes a, const Bytes& b) {
  PutAll(a, b);
  return a;
}

struct DecodeCase {
  std::string name;
  StoredPacket packet;
  DecodeStatus status = DecodeStatus::kMatchable;
  Protocol protocol = Protocol::kNone;
  uint32_t network_offset = 0;
  uint32_t payload_offset = 0;
};

void PrintTo(const DecodeCase& c, std::ostream* out) { *out << c.name; }

class Decode : public testing::TestWithParam<DecodeCase> {};

TEST_P(Decode, FindsProtocolAndOffsets) {
  const DecodeCase& c = GetParam();
  const DecodedPacket d = DecodePacket(c.packet.AsPacket(0));
  EXPECT_EQ(d.status, c.status);
  EXPECT_EQ(d.protocol, c.protocol);
  if (c.status != DecodeStatus::kMatchable) return;
  EXPECT_EQ(d.network_offset, c.network_offset);
  EXPECT_EQ(d.payload_offset, c.payload_offset);
}

// Whatever the snap length, decoding stays inside the bytes and never calls a cut header matchable.
TEST_P(Decode, EveryPrefixIsHandled) {
  const DecodeCase& c = GetParam();
  for (size_t length = 0; length < c.packet.bytes.size(); ++length) {
    const StoredPacket cut = Cut(c.packet, length);
    const DecodedPacket d = DecodePacket(cut.AsPacket(0));
    EXPECT_NE(d.status, DecodeStatus::kMalformed) << length;
    if (d.status == DecodeStatus::kMatchable) {
      EXPECT_LE(d.payload_offset, length);
      EXPECT_EQ(d.payload_offset, c.payload_offset);
    }
  }
}

const PacketSpec kTcp{.protocol = 6, .timestamp = 5, .payload = Text("data")};
const PacketSpec kUdp{.payload = Text("data")};
const PacketSpec kUdp6{.ipv6 = true, .payload = Text("data")};
const PacketSpec kExtended{
    .ipv6_extensions = Joined(Joined(Extension(43, 1), Extension(60, 3)), Extension(17, 2)),
    .ipv6_next = 0,
    .ipv6 = true};

INSTANTIATE_TEST_SUITE_P(
    Links, Decode,
    testing::Values(
        DecodeCase{"ethernet_udp", Ethernet(kUdp), DecodeStatus::kMatchable, Protocol::kUdp, 14,
                   14 + 20 + 8},
        DecodeCase{"ethernet_tcp", Ethernet(kTcp), DecodeStatus::kMatchable, Protocol::kTcp, 14,
                   14 + 20 + 32},
        DecodeCase{"icmp", Ethernet({.protocol = 1}), DecodeStatus::kMatchable, Protocol::kIcmp, 14,
                   14 + 20 + 8},
        DecodeCase{"icmp6", Ethernet({.ipv6 = true, .protocol = 58}), DecodeStatus::kMatchable,
                   Protocol::kIcmp6, 14, 14 + 40 + 8},
        DecodeCase{"arp", Arp(1, 2, 2), DecodeStatus::kMatchable, Protocol::kArp, 14, 14 + 28},
        DecodeCase{"vlan", Ethernet({.vlans = {7}}), DecodeStatus::kMatchable, Protocol::kUdp, 18,
                   18 + 20 + 8},
        DecodeCase{"two_vlans", Ethernet({.vlans = {7, 8}}), DecodeStatus::kMatchable,
                   Protocol::kUdp, 22, 22 + 28},
        DecodeCase{"cooked", Cooked(kUdp, 0), DecodeStatus::kMatchable, Protocol::kUdp, 16,
                   16 + 28},
        DecodeCase{"cooked_v2", CookedV2(kUdp, 0), DecodeStatus::kMatchable, Protocol::kUdp, 20,
                   20 + 28},
        DecodeCase{"raw_ipv4", RawIp(kUdp), DecodeStatus::kMatchable, Protocol::kUdp, 0, 28},
        DecodeCase{"raw_ipv6", RawIp(kUdp6), DecodeStatus::kMatchable, Protocol::kUdp, 0, 48},
        DecodeCase{"ipv6_extensions", Ethernet(kExtended), DecodeStatus::kMatchable, Protocol::kUdp,
                   14, 14 + 40 + 8 + 24 + 16 + 8}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Unusable, Decode,
    testing::Values(
        DecodeCase{"first_fragment", Ethernet({.fragment = 0x2000}), DecodeStatus::kFragment},
        DecodeCase{"last_fragment", Ethernet({.fragment = 0x0010}), DecodeStatus::kFragment},
        DecodeCase{"ipv6_fragment",
                   Ethernet({.ipv6_extensions = Extension(17, 1), .ipv6_next = 44, .ipv6 = true}),
                   DecodeStatus::kFragment},
        DecodeCase{"gre", Ethernet({.protocol = 47}), DecodeStatus::kUnsupported},
        DecodeCase{"lldp", {Frame({}, 0x88cc, Bytes(40)), 0, 0}, DecodeStatus::kUnsupported}),
    [](const auto& tested) { return tested.param.name; });

TEST(DecodePacket, DontFragmentIsNoFragment) {
  const auto packet = Ethernet({.fragment = 0x4000});
  EXPECT_EQ(DecodePacket(packet.AsPacket(0)).status, DecodeStatus::kMatchable);
}

TEST(DecodePacket, PaddingOfShortFramesIsNoPayload) {
  StoredPacket packet = Ethernet({.protocol = 6});
  packet.bytes.resize(60);
  const DecodedPacket d = DecodePacket(packet.AsPacket(0));
  EXPECT_EQ(d.network_length, 20 + 20);
  EXPECT_EQ(d.payload_length(), 0);
}

TEST(DecodePacket, LengthLeftToTheNetworkCardIsTakenFromTheFrame) {
  StoredPacket packet = Ethernet({.payload = Text("12345")});
  packet.bytes[14 + 2] = packet.bytes[14 + 3] = std::byte{0};
  EXPECT_EQ(DecodePacket(packet.AsPacket(0)).network_length, 20 + 8 + 5);
}

TEST(DecodePacket, ContradictingLengthsAreMalformed) {
  StoredPacket header_too_short = Ethernet(kUdp);
  header_too_short.bytes[14] = std::byte{0x44};
  StoredPacket total_too_short = Ethernet(kUdp);
  total_too_short.bytes[14 + 3] = std::byte{20 + 7};
  StoredPacket data_offset_too_short = Ethernet(kTcp);
  data_offset_too_short.bytes[14 + 20 + 12] = std::byte{0x40};
  StoredPacket ends_early = Ethernet(kUdp);
  ends_early.bytes.resize(14 + 20 + 4);
  for (const auto& p : {header_too_short, total_too_short, data_offset_too_short, ends_early}) {
    EXPECT_EQ(DecodePacket(p.AsPacket(0)).status, DecodeStatus::kMalformed);
  }
}

TEST(DecodePacket, RecorderGivesTheDirection) {
  const std::pair<uint16_t, CopyDirection> types[] = {{0, CopyDirection::kIn},
                                                      {1, CopyDirection::kIn},
                                                      {2, CopyDirection::kIn},
                                                      {3, CopyDirection::kOther},
                                                      {4, CopyDirection::kOut}};
  for (const auto& [type, direction] : types) {
    const auto v1 = Cooked(kUdp, type);
    const auto v2 = CookedV2(kUdp, static_cast<uint8_t>(type));
    EXPECT_EQ(DecodePacket(v1.AsPacket(0)).direction, direction);
    EXPECT_EQ(DecodePacket(v2.AsPacket(0)).direction, direction);
    EXPECT_EQ(DecodePacket(v1.AsPacket(0)).is_group, type == 1 || type == 2);
  }
  StoredPacket inbound = Ethernet(kUdp);
  inbound.direction = PacketDirection::kInbound;
  EXPECT_EQ(DecodePacket(inbound.AsPacket(0)).direction, CopyDirection::kIn);
}

TEST(DecodePacket, GroupDestinationsAreRecognised) {
  const auto is_group = [](const StoredPacket& p) { return DecodePacket(p.AsPacket(0)).is_group; };
  EXPECT_TRUE(is_group(Ethernet({.link_to = kBroadcastLink})));
  EXPECT_TRUE(is_group(Arp(1, 2, 1)));
  EXPECT_TRUE(is_group(RawIp({.ipv4_to = 0xe0000001})));
  EXPECT_TRUE(is_group(RawIp({.ipv4_to = 0xffffffff})));
  EXPECT_FALSE(is_group(RawIp({.ipv4_to = 0xdfffffff})));
  EXPECT_FALSE(is_group(Ethernet({})));
}

TEST(DecodePacket, LoopbackFamilyIsReadInBothByteOrders) {
  for (const uint32_t family : {0x00000002u, 0x02000000u}) {
    StoredPacket packet;
    Put32(packet.bytes, family);
    PutAll(packet.bytes, IpPacket(kUdp));
    packet.link = LinkType::kNull;
    const DecodedPacket d = DecodePacket(packet.AsPacket(0));
    EXPECT_EQ(d.status, DecodeStatus::kMatchable);
    EXPECT_EQ(d.network_offset, 4);
  }
}

}  // namespace
}  // namespace syncline
