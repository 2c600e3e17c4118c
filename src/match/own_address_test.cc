#include "match/own_address.h"

#include <gtest/gtest.h>

#include "match/testing/packet_builder.h"

namespace syncline {
namespace {

// Frames from → to as a capture shows them; 0 stands for broadcast.
struct Frames {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t count = 1;
};

CapturePoint Point(uint32_t clock, const std::vector<Frames>& seen, bool raw_ip = false) {
  AddressSurvey survey;
  for (const Frames& f : seen) {
    for (uint32_t i = 0; i < f.count; ++i) {
      PacketSpec s{.from = f.from, .to = f.to};
      if (f.to == 0) s.link_to = kBroadcastLink;
      if (f.to == 0) s.ipv4_to = 0xffffffff;
      const StoredPacket p = raw_ip ? RawIp(s) : Ethernet(s);
      survey.Add(DecodePacket(p.AsPacket(i)));
    }
  }
  return {ClockId(clock), survey.TakeTables()};
}

std::vector<uint64_t> LinkAddresses(const std::vector<CapturePoint>& points) {
  std::vector<uint64_t> found;
  for (const OwnAddresses& own : DecideOwnAddresses(points)) {
    found.push_back(own.of(AddressKind::kLink));
  }
  return found;
}

using Expected = std::vector<uint64_t>;

TEST(OwnAddress, IsInAllUnicastFramesInBothRoles) {
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 50}, {2, 1, 50}, {1, 3, 50}, {3, 1, 50}})}),
            Expected{LinkOf(1)});
}

TEST(OwnAddress, FloodedFramesUpToATenthDoNoHarm) {
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 45}, {3, 1, 45}, {7, 8, 10}})}), Expected{LinkOf(1)});
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 45}, {3, 1, 45}, {7, 8, 20}})}), Expected{0});
}

TEST(OwnAddress, TwoHostsOnOneLinkAreATie) {
  const auto point = Point(0, {{1, 2, 50}, {2, 1, 50}});
  EXPECT_EQ(LinkAddresses({point}), Expected{0});
  const auto own = DecideOwnAddresses(std::vector{point});
  const DecodedPacket packet = DecodePacket(Ethernet({.from = 1, .to = 2}).AsPacket(0));
  EXPECT_TRUE(IsBetweenTied(packet, own[0]));
  EXPECT_EQ(DirectionOf(packet, own[0]), CopyDirection::kUnknown);
}

TEST(OwnAddress, ConversationsWithOthersBreakATie) {
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 900}, {2, 1, 900}, {1, 3, 20}, {3, 1, 20}})}),
            Expected{LinkOf(1)});
}

// Host 1 talks to its router 2 only, and sees what the router sends to an unknown address.
TEST(OwnAddress, FloodedFramesOfThePeerDoNotMakeItTheOwner) {
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 900}, {2, 1, 900}, {2, 9, 100}})}), Expected{0});
}

TEST(OwnAddress, AddressOfAnotherCaptureBreaksATie) {
  const auto tied = Point(0, {{1, 2, 50}, {2, 1, 50}});
  const auto clear = Point(1, {{1, 2, 50}, {2, 1, 50}, {2, 3, 50}, {3, 2, 50}});
  EXPECT_EQ(LinkAddresses({tied, clear}), (Expected{LinkOf(1), LinkOf(2)}));
}

TEST(OwnAddress, TheOnlySenderLeftOwnsACaptureOfBroadcasts) {
  const auto a = Point(0, {{1, 2, 50}, {2, 1, 50}, {1, 3, 50}, {3, 1, 50}});
  const auto b = Point(1, {{1, 2, 50}, {2, 1, 50}, {2, 3, 50}, {3, 2, 50}});
  const auto d = Point(2, {{1, 2}, {1, 0, 3}, {2, 0, 3}, {4, 0, 9}});
  EXPECT_EQ(LinkAddresses({a, b, d}), (Expected{LinkOf(1), LinkOf(2), LinkOf(4)}));
  const auto two_left = Point(2, {{1, 0, 3}, {4, 0, 9}, {5, 0, 9}});
  EXPECT_EQ(LinkAddresses({a, b, two_left}), (Expected{LinkOf(1), LinkOf(2), 0}));
}

TEST(OwnAddress, OneWayReceiverIsNotTakenForTheSender) {
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 100}})}), Expected{0});
}

// Too few frames to tell a receiver from a host whose frames were flooded.
TEST(OwnAddress, OneWayReceiverIsNotTakenForASenderThatWasCapturedToo) {
  const auto receiver = Point(1, {{1, 2, 5}});
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 5}, {2, 1}}), receiver}), (Expected{0, 0}));
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 2, 50}, {2, 1, 50}}), receiver}), (Expected{0, 0}));
  EXPECT_EQ(LinkAddresses({Point(0, {{1, 0, 5}, {2, 0, 5}}), Point(1, {{1, 0, 5}})}),
            (Expected{0, 0}));
}

TEST(OwnAddress, OneHostCapturedTwiceKeepsItsAddress) {
  const auto one = Point(0, {{1, 2, 50}, {2, 1, 50}, {1, 3, 50}, {3, 1, 50}});
  const auto two = Point(1, {{1, 2, 60}, {2, 1, 60}, {1, 3, 60}, {3, 1, 60}});
  EXPECT_EQ(LinkAddresses({one, two}), (Expected{LinkOf(1), LinkOf(1)}));
}

TEST(OwnAddress, WeakClaimYieldsToAStrongOne) {
  const auto strong = Point(0, {{1, 2, 500}, {2, 1, 500}, {1, 3, 500}, {3, 1, 500}});
  const auto weak = Point(1, {{1, 2}, {3, 1}, {4, 0, 9}});
  EXPECT_EQ(LinkAddresses({strong, weak})[0], LinkOf(1));
  EXPECT_NE(LinkAddresses({strong, weak})[1], LinkOf(1));
}

TEST(OwnAddress, WithoutLinkAddressesIpAddressesDecide) {
  const auto own = DecideOwnAddresses(
      std::vector{Point(0, {{1, 2, 50}, {2, 1, 50}, {1, 3, 50}, {3, 1, 50}}, true)});
  const auto direction = [&](const PacketSpec& s) {
    return DirectionOf(DecodePacket(RawIp(s).AsPacket(0)), own[0]);
  };
  EXPECT_EQ(direction({.from = 1, .to = 2}), CopyDirection::kOut);
  EXPECT_EQ(direction({.from = 2, .to = 1}), CopyDirection::kIn);
  EXPECT_EQ(direction({.from = 2, .to = 3}), CopyDirection::kUnknown);
  EXPECT_EQ(direction({.from = 2, .ipv4_to = 0xe0000001}), CopyDirection::kIn);
}

TEST(OwnAddress, DirectionFollowsFromTheLinkAddress) {
  OwnAddresses own;
  own.address[0] = LinkOf(1);
  const auto direction = [&](const PacketSpec& s) {
    return DirectionOf(DecodePacket(Ethernet(s).AsPacket(0)), own);
  };
  EXPECT_EQ(direction({.from = 1, .to = 2}), CopyDirection::kOut);
  EXPECT_EQ(direction({.from = 2, .to = 1}), CopyDirection::kIn);
  EXPECT_EQ(direction({.from = 2, .to = 3}), CopyDirection::kOther);
  EXPECT_EQ(direction({.from = 2, .link_to = kBroadcastLink}), CopyDirection::kIn);
  EXPECT_EQ(direction({.from = 1, .link_to = kBroadcastLink}), CopyDirection::kOut);
}

TEST(OwnAddress, MoreAddressesThanAreKeptDoNoHarm) {
  AddressSurvey survey;
  DecodedPacket packet;
  packet.ip_version = 4;
  for (uint64_t i = 0; i < AddressSurvey::kMaxAddresses + 1000; ++i) {
    packet.source = i % 2 == 0 ? 1 : 100 + i;
    packet.destination = i % 2 == 0 ? 100 + i : 1;
    survey.Add(packet);
  }
  const CapturePoint point{ClockId(0), survey.TakeTables()};
  EXPECT_LE(point.tables[1].addresses.size(), AddressSurvey::kMaxAddresses);
  EXPECT_EQ(DecideOwnAddresses(std::vector{point})[0].of(AddressKind::kIpv4), 1);
}

}  // namespace
}  // namespace syncline
