#include "match/packet_identity.h"

#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "match/testing/packet_builder.h"

namespace syncline {
namespace {

constexpr uint32_t kAll = std::numeric_limits<uint32_t>::max();

PacketIdentity Identify(const StoredPacket& packet, uint32_t hashed_length = kAll) {
  const Packet p = packet.AsPacket(0);
  const DecodedPacket d = DecodePacket(p);
  EXPECT_EQ(d.status, DecodeStatus::kMatchable);
  return IdentifyPacket(p.bytes, d, hashed_length);
}

bool SameKeys(const PacketIdentity& x, const PacketIdentity& y) {
  return x.strict == y.strict && x.loose == y.loose;
}

const PacketSpec kTcpSegment{.ip_id = 7,
                             .protocol = 6,
                             .seq = 1000,
                             .ack = 5,
                             .timestamp = 9,
                             .payload = Text("0123456789")};

struct Change {
  std::string name;
  std::function<void(PacketSpec&)> apply;
};

TEST(IdentifyPacket, WhatANetworkChangesIsNotPartOfIt) {
  const Change changes[] = {
      {"hop limit", [](PacketSpec& s) { s.hop_limit = 60; }},
      {"traffic class", [](PacketSpec& s) { s.traffic_class = 3; }},
      {"link", [](PacketSpec& s) { s.link_from = 5; }},
      {"vlan", [](PacketSpec& s) { s.vlans = {3}; }},
      {"congestion flags", [](PacketSpec& s) { s.flags |= 0xc0; }},
  };
  for (const bool ipv6 : {false, true}) {
    for (const Change& change : changes) {
      PacketSpec original = kTcpSegment;
      original.ipv6 = ipv6;
      PacketSpec changed = original;
      change.apply(changed);
      EXPECT_TRUE(SameKeys(Identify(Ethernet(original)), Identify(Ethernet(changed))))
          << change.name;
    }
  }
}

TEST(IdentifyPacket, ChecksumsAreNotPartOfIt) {
  const StoredPacket original = Ethernet(kTcpSegment);
  StoredPacket changed = original;
  for (const size_t at : {14 + 10, 14 + 11, 14 + 20 + 16, 14 + 20 + 17}) {
    changed.bytes[at] = std::byte{0x5a};
  }
  EXPECT_TRUE(SameKeys(Identify(original), Identify(changed)));
}

TEST(IdentifyPacket, LinkTypeIsNotPartOfIt) {
  const PacketIdentity ethernet = Identify(Ethernet(kTcpSegment));
  EXPECT_TRUE(SameKeys(ethernet, Identify(RawIp(kTcpSegment))));
  EXPECT_TRUE(SameKeys(ethernet, Identify(Cooked(kTcpSegment, 4))));
  EXPECT_TRUE(SameKeys(ethernet, Identify(CookedV2(kTcpSegment, 0))));
}

TEST(IdentifyPacket, EverythingElseIsPartOfIt) {
  const Change changes[] = {
      {"source", [](PacketSpec& s) { s.from = 9; }},
      {"destination", [](PacketSpec& s) { s.to = 9; }},
      {"id", [](PacketSpec& s) { s.ip_id = 8; }},
      {"port", [](PacketSpec& s) { s.port_from = 1; }},
      {"other port", [](PacketSpec& s) { s.port_to = 1; }},
      {"sequence number", [](PacketSpec& s) { s.seq += 1; }},
      {"acknowledgement", [](PacketSpec& s) { s.ack += 1; }},
      {"flags", [](PacketSpec& s) { s.flags |= 0x01; }},
      {"window", [](PacketSpec& s) { s.window += 1; }},
      {"timestamp", [](PacketSpec& s) { s.timestamp += 1; }},
      {"payload", [](PacketSpec& s) { s.payload[9] = std::byte{'x'}; }},
      {"length", [](PacketSpec& s) { s.payload.push_back(std::byte{0}); }},
  };
  for (const Change& change : changes) {
    PacketSpec changed = kTcpSegment;
    change.apply(changed);
    EXPECT_NE(Identify(Ethernet(kTcpSegment)).strict, Identify(Ethernet(changed)).strict)
        << change.name;
  }
}

TEST(IdentifyPacket, FlowLabelStandsForTheIdOfIpv6) {
  const PacketSpec one{.flow_label = 1, .ipv6 = true};
  const PacketSpec two{.flow_label = 2, .ipv6 = true};
  EXPECT_FALSE(SameKeys(Identify(Ethernet(one)), Identify(Ethernet(two))));
}

TEST(IdentifyPacket, PayloadBeyondTheHashedLengthDoesNotCount) {
  const PacketSpec one{.payload = Text("same, other")};
  const PacketSpec two{.payload = Text("same, OTHER")};
  constexpr uint32_t kHashed = 20 + 8 + 6;
  EXPECT_TRUE(SameKeys(Identify(Ethernet(one), kHashed), Identify(Ethernet(two), kHashed)));
  EXPECT_FALSE(
      SameKeys(Identify(Ethernet(one), kHashed + 1), Identify(Ethernet(two), kHashed + 1)));
  const auto cut = Cut(Ethernet(one), 14 + kHashed);
  EXPECT_TRUE(SameKeys(Identify(Ethernet(two), kHashed), Identify(cut, kHashed)));
}

TEST(IdentifyPacket, EveryBytePositionOfALongPayloadCounts) {
  PacketSpec spec{.payload = Bytes(200)};
  const PacketIdentity original = Identify(Ethernet(spec));
  for (size_t i = 0; i < spec.payload.size(); ++i) {
    PacketSpec changed = spec;
    changed.payload[i] = std::byte{1};
    const PacketIdentity other = Identify(Ethernet(changed));
    EXPECT_NE(original.strict, other.strict) << i;
    EXPECT_NE(original.loose, other.loose) << i;
  }
}

TEST(IdentifyPacket, SegmentsThatEndAlikeShareTheLooseKey) {
  PacketSpec last = kTcpSegment;  // the second half
  last.seq = 1005;
  last.ip_id = 8;
  last.payload = Text("56789");
  last.flags |= 0x08;  // PSH
  const PacketIdentity whole = Identify(Ethernet(kTcpSegment));
  const PacketIdentity half = Identify(Ethernet(last));
  EXPECT_EQ(whole.loose, half.loose);
  EXPECT_NE(whole.strict, half.strict);
  EXPECT_EQ(whole.payload_length, 10);
  EXPECT_EQ(half.payload_length, 5);
  EXPECT_TRUE(whole.is_mergeable);
}

TEST(IdentifyPacket, LooseKeyTellsAcknowledgementsWindowsAndTimestampsApart) {
  const Change changes[] = {
      {"end", [](PacketSpec& s) { s.seq += 1; }},
      {"acknowledgement", [](PacketSpec& s) { s.ack += 1; }},
      {"window", [](PacketSpec& s) { s.window += 1; }},
      {"timestamp", [](PacketSpec& s) { s.timestamp += 1; }},
      {"port", [](PacketSpec& s) { s.port_to += 1; }},
      {"fin moves the end", [](PacketSpec& s) { s.flags |= 0x01; }},
  };
  for (const Change& change : changes) {
    PacketSpec changed = kTcpSegment;
    change.apply(changed);
    EXPECT_NE(Identify(Ethernet(kTcpSegment)).loose, Identify(Ethernet(changed)).loose)
        << change.name;
  }
}

TEST(IdentifyPacket, OnlySegmentsWithDataAreMergeable) {
  EXPECT_FALSE(Identify(Ethernet({.protocol = 6})).is_mergeable);
  EXPECT_FALSE(Identify(Ethernet({.payload = Text("udp")})).is_mergeable);
}

TEST(IdentifyPacket, BrokenTcpOptionsAreSurvived) {
  StoredPacket packet = Ethernet(kTcpSegment);
  const size_t options = 14 + 20 + 20;
  for (unsigned length = 0; length < 256; ++length) {
    packet.bytes[options + 3] = static_cast<std::byte>(length);
    EXPECT_TRUE(Identify(packet).is_mergeable);
  }
}

}  // namespace
}  // namespace syncline
