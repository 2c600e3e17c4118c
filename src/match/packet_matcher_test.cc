#include "match/packet_matcher.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "match/testing/test_network.h"

namespace syncline {
namespace {

// Every packet added has one fate.
void ExpectAllAccounted(const TestNetwork& net, const MatchResult& result) {
  ASSERT_EQ(result.error, "");
  for (size_t c = 0; c < net.captures.size(); ++c) {
    EXPECT_EQ(PacketsOf(result.counts.captures[c]), net.captures[c].packets.size()) << c;
  }
  EXPECT_EQ(result.sink.calls, result.counts.messages);
}

MatchResult ExpectExactly(const TestNetwork& net) {
  MatchResult result = net.Match();
  ExpectAllAccounted(net, result);
  EXPECT_EQ(result.sink.messages, net.truth);
  return result;
}

TEST(PacketMatcher, MatchesAConversationOfThreeHosts) {
  TestNetwork net(3);
  net.Chat();
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.counts.messages, 3 * 10 * 2);
  EXPECT_TRUE(result.diagnostics.all().empty());
}

TEST(PacketMatcher, TcpHandshakeAndDataAreMatched) {
  TestNetwork net(3);
  net.Chat();
  PacketSpec tcp{.protocol = 6, .seq = 100};
  PacketSpec back{.from = 2, .to = 1, .protocol = 6, .port_from = 2000, .port_to = 1000};
  tcp.flags = 0x02;
  net.Deliver(tcp, net.now_ns);
  back.flags = 0x12;
  back.ack = 101;
  net.Deliver(back, net.now_ns + 1000);
  tcp.flags = 0x10;
  tcp.seq = 101;
  net.Deliver(tcp, net.now_ns + 2000);
  tcp.payload = Text("GET /");
  net.Deliver(tcp, net.now_ns + 3000);
  ExpectExactly(net);
}

TEST(PacketMatcher, RetransmissionWithIdenticalBytesIsAmbiguous) {
  TestNetwork net(3);
  net.Chat();
  const PacketSpec segment{.protocol = 6, .payload = Text("lost at first")};
  net.Record(1, Ethernet(segment, net.now_ns));
  net.Record(1, Ethernet(segment, net.now_ns + 200'000'000));
  net.Record(2, Ethernet(segment, net.now_ns + 200'100'000));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.diagnostics.count("ambiguous-packet"), 3);
}

TEST(PacketMatcher, RetransmissionWithNewIdIsItsOwnMessage) {
  TestNetwork net(3);
  net.Chat();
  PacketSpec segment{.ip_id = 1, .protocol = 6, .payload = Text("lost at first")};
  net.Record(1, Ethernet(segment, net.now_ns));
  segment.ip_id = 2;
  net.Deliver(segment, net.now_ns + 200'000'000);
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(CountOf(result, PacketFate::kUnmatchedSend), 1);
}

TEST(PacketMatcher, DuplicateMadeByTheNetworkIsAmbiguous) {
  TestNetwork net(3);
  net.Chat();
  const PacketSpec packet{.payload = Text("twice")};
  net.Record(1, Ethernet(packet, net.now_ns));
  net.Record(2, Ethernet(packet, net.now_ns + 1000));
  net.Record(2, Ethernet(packet, net.now_ns + 2000));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(CountOf(result, PacketFate::kAmbiguous), 3);
}

TEST(PacketMatcher, LostAndForeignPacketsAreCountedBySide) {
  TestNetwork net(3);
  net.Chat();
  net.Record(1, Ethernet({.to = 2, .payload = Text("lost")}, net.now_ns));
  net.Record(2, Ethernet({.from = 9, .to = 2, .payload = Text("from outside")}, net.now_ns));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.counts.captures[0][PacketFate::kUnmatchedSend], 1);
  EXPECT_EQ(result.counts.captures[1][PacketFate::kUnmatchedReceive], 1);
  EXPECT_EQ(result.diagnostics.count("unmatched-send"), 1);
  EXPECT_EQ(result.diagnostics.count("unmatched-receive"), 1);
}

TEST(PacketMatcher, OrderOfPacketsDoesNotMatter) {
  TestNetwork net(3);
  net.Chat();
  const MatchResult in_order = net.Match();
  auto& packets = net.captures[1].packets;
  std::reverse(packets.begin(), packets.end());
  const MatchResult reversed = net.Match();
  EXPECT_EQ(reversed.counts.messages, in_order.counts.messages);
  EXPECT_EQ(reversed.sink.times, in_order.sink.times);
}

TEST(PacketMatcher, OffsetsOfClocksDoNotMatter) {
  TestNetwork net(3);
  net.Chat();
  const MatchResult aligned = net.Match();
  constexpr int64_t kTenYearsNs = int64_t{10} * 365 * 86400 * 1'000'000'000;
  for (auto& p : net.captures[1].packets) p.time -= kTenYearsNs;
  EXPECT_EQ(ExpectExactly(net).sink.messages, aligned.sink.messages);
}

// Segments of 4 bytes on the wire; what the sender and the receiver capture of the same 12 bytes.
struct Merging {
  std::string name;
  std::vector<size_t> sent;
  std::vector<size_t> received;
  std::vector<std::pair<size_t, size_t>> matches;  // places in sent and received
};

TEST(PacketMatcher, SegmentsMergedOrSplitByNetworkCardsMatchByTheirLastByte) {
  const Merging cases[] = {
      {"split by the sender's card", {12}, {4, 4, 4}, {{0, 2}}},
      {"merged by the receiver's card", {4, 4, 4}, {12}, {{2, 0}}},
      {"split and merged otherwise", {12}, {8, 4}, {{0, 1}}},
      {"part merged", {4, 4, 4}, {4, 8}, {{0, 0}, {2, 1}}},
      {"split and merged to the same", {12}, {12}, {{0, 0}}},
  };
  for (const Merging& c : cases) {
    TestNetwork net(3);
    net.Chat();
    const auto record = [&](uint32_t host, const std::vector<size_t>& lengths) {
      std::vector<uint64_t> numbers;
      uint32_t at = 0;
      for (const size_t length : lengths) {
        PacketSpec s{.ip_id = static_cast<uint16_t>(100 + at / 4), .protocol = 6, .seq = at};
        s.payload = Bytes(length, std::byte{'x'});
        numbers.push_back(net.Record(host, Ethernet(s, net.now_ns + at)));
        at += static_cast<uint32_t>(length);
      }
      return numbers;
    };
    const auto sent = record(1, c.sent);
    const auto received = record(2, c.received);
    for (const auto& [s, r] : c.matches) net.Expect(1, sent[s], 2, received[r]);
    EXPECT_EQ(net.Match().sink.messages, net.truth) << c.name;
  }
}

TEST(PacketMatcher, RetransmittedPartOfAMergedSegmentDoesNotMatchTheWhole) {
  TestNetwork net(3);
  net.Chat();
  PacketSpec whole{.ip_id = 1, .protocol = 6, .seq = 0, .payload = Bytes(12)};
  PacketSpec last{.ip_id = 2, .protocol = 6, .seq = 8, .payload = Bytes(4)};
  net.Record(1, Ethernet(whole, net.now_ns));  // its last third is lost
  net.Deliver(last, net.now_ns + 1'000'000);   // and sent again
  ExpectExactly(net);
}

TEST(PacketMatcher, SegmentsOfEqualLengthNeedEqualBytes) {
  TestNetwork net(3);
  net.Chat();
  net.Record(1, Ethernet({.ip_id = 1, .protocol = 6, .payload = Bytes(4)}, net.now_ns));
  net.Record(2, Ethernet({.ip_id = 2, .protocol = 6, .payload = Bytes(4)}, net.now_ns));
  ExpectExactly(net);
}

TEST(PacketMatcher, DifferentSnapLengthsMatch) {
  TestNetwork net(3);
  net.Chat();
  Bytes payload(400, std::byte{'p'});
  for (uint8_t i = 0; i < 5; ++i) {
    payload[0] = std::byte{i};
    const PacketSpec spec{.ip_id = i, .payload = payload};
    PacketSpec tagged = spec;
    tagged.vlans = {12};
    const uint64_t sent = net.Record(1, Cut(Ethernet(spec, net.now_ns), 256));
    const uint64_t received = net.Record(2, Cut(Ethernet(tagged, net.now_ns), 96));
    net.Expect(1, sent, 2, received);
  }
  ExpectExactly(net);
}

TEST(PacketMatcher, CookedAndRawCapturesMatchEthernetOnes) {
  TestNetwork net(3);
  net.Chat();
  net.captures.push_back({3, {}});  // host 4, cooked
  for (uint16_t i = 0; i < 5; ++i) {
    const PacketSpec there{.from = 1, .to = 4, .ip_id = i};
    const PacketSpec back{.from = 4, .to = 1, .ip_id = i};
    net.Expect(1, net.Record(1, Ethernet(there, 0)), 4, net.Record(4, Cooked(there, 0)));
    net.Expect(4, net.Record(4, CookedV2(back, 4)), 1, net.Record(1, Ethernet(back, 0)));
  }
  ExpectExactly(net);
}

TEST(PacketMatcher, RawIpCapturesFindTheirOwnAddress) {
  TestNetwork net(3);
  for (auto& capture : net.captures) capture.packets.clear();
  for (uint16_t i = 0; i < 20; ++i) {
    for (const auto& [a, b] :
         {std::pair(1u, 2u), {2u, 3u}, {3u, 1u}, {2u, 1u}, {3u, 2u}, {1u, 3u}}) {
      const PacketSpec s{.from = a, .to = b, .ip_id = i, .ipv6 = i % 2 == 0, .payload = Bytes(i)};
      net.Expect(a, net.Record(a, RawIp(s, i)), b, net.Record(b, RawIp(s, i)));
    }
  }
  ExpectExactly(net);
}

TEST(PacketMatcher, FragmentsAndOtherProtocolsAreCounted) {
  TestNetwork net(3);
  net.Chat();
  net.Record(1, Ethernet({.fragment = 0x2000}));
  net.Record(1, Ethernet({.protocol = 47}));
  net.Record(2, Cut(Ethernet({}), 14 + 20 + 4));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.diagnostics.count("fragment"), 1);
  EXPECT_EQ(result.diagnostics.count("unsupported-protocol"), 1);
  EXPECT_EQ(result.diagnostics.count("packet-header-cut"), 1);
}

TEST(PacketMatcher, MulticastGivesAMessagePerReceiverAndOneBroadcast) {
  TestNetwork net(4);
  net.Chat();
  const PacketSpec cast{.from = 1, .link_to = 0x01005e000005, .ipv4_to = 0xe0000005};
  const uint64_t sent = net.Record(1, Ethernet(cast, net.now_ns));
  std::vector<std::pair<uint32_t, uint64_t>> receives;
  for (uint32_t host = 2; host <= 4; ++host) {
    const uint64_t received = net.Record(host, Ethernet(cast, net.now_ns + host));
    net.Expect(1, sent, host, received);
    receives.emplace_back(host - 1, received);
  }
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.sink.broadcasts, decltype(result.sink.broadcasts){receives});
}

TEST(PacketMatcher, BroadcastOfAnUncapturedSenderKeepsItsReceivers) {
  TestNetwork net(3);
  net.Chat();
  const PacketSpec cast{.from = 9, .link_to = kBroadcastLink, .ipv4_to = 0xffffffff};
  for (uint32_t host = 1; host <= 3; ++host) net.Record(host, Ethernet(cast, net.now_ns));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.counts.broadcasts, 1);
  EXPECT_EQ(CountOf(result, PacketFate::kBroadcastOnly), 3);
}

TEST(PacketMatcher, FloodedCopiesAreIgnored) {
  TestNetwork net(3);
  net.Chat();
  const PacketSpec spec{.payload = Text("flooded")};
  net.Deliver(spec, net.now_ns);
  net.Record(3, Ethernet(spec, net.now_ns + 50'000));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.diagnostics.count("packet-of-other-hosts"), 1);
}

// d only broadcasts and sees one flooded frame between a and b.
TEST(PacketMatcher, HostThatOnlyBroadcastsIsFoundByElimination) {
  TestNetwork net(4);
  for (uint16_t i = 0; i < 10; ++i) {
    net.Exchange(1, 2, i);
    net.Exchange(1, 3, i);
    net.Exchange(2, 3, i);
  }
  net.Record(4, Ethernet({.from = 1, .to = 2, .payload = Text("flooded")}));
  for (uint16_t i = 0; i < 3; ++i) {
    for (const uint32_t from : {1u, 4u}) {
      const PacketSpec cast{
          .from = from, .link_to = kBroadcastLink, .ip_id = i, .ipv4_to = 0xffffffff};
      const uint64_t sent = net.Record(from, Ethernet(cast));
      for (uint32_t host = 1; host <= 4; ++host) {
        if (host != from) net.Expect(from, sent, host, net.Record(host, Ethernet(cast)));
      }
    }
  }
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.own[3], LinkOf(4));
  EXPECT_EQ(result.counts.broadcasts, 6);
}

// Each host sees only itself and the router, on its own link: the hop limit tells.
TEST(PacketMatcher, RouterBetweenTwoHosts) {
  TestNetwork net(2);
  for (uint16_t i = 0; i < 20; ++i) {
    for (const uint32_t from : {1u, 2u}) {
      const uint32_t to = 3 - from;
      PacketSpec s{.from = from, .to = to, .link_to = LinkOf(0xf0), .ip_id = i};
      const uint64_t sent = net.Record(from, Ethernet(s, net.now_ns));
      s.link_from = LinkOf(0xf1);
      s.link_to = LinkOf(to);
      s.hop_limit = 63;
      net.Expect(from, sent, to, net.Record(to, Ethernet(s, net.now_ns + 1000)));
      net.now_ns += 2000;
    }
  }
  ExpectExactly(net);
}

// The router captures both its sides on one clock.
TEST(PacketMatcher, CapturedRouterGivesTwoMessagesPerPacket) {
  TestNetwork net(4);  // 1: host, 2 and 3: router, 4: host
  net.captures[2].clock = net.captures[1].clock;
  for (uint16_t i = 0; i < 20; ++i) {
    const auto route = [&](uint32_t from, uint32_t near, uint32_t far, uint32_t to) {
      PacketSpec s{.from = from, .to = to, .link_to = LinkOf(near), .ip_id = i};
      const uint64_t sent = net.Record(from, Ethernet(s));
      net.Expect(from, sent, near, net.Record(near, Ethernet(s)));
      s.hop_limit = 63;
      s.link_from = LinkOf(far);
      s.link_to = LinkOf(to);
      const uint64_t forwarded = net.Record(far, Ethernet(s));
      net.Expect(far, forwarded, to, net.Record(to, Ethernet(s)));
    };
    route(1, 2, 3, 4);
    route(4, 3, 2, 1);
    // Other traffic, so that no link has just two addresses.
    for (const uint32_t host : {1u, 2u, 3u, 4u}) {
      net.Record(host, Ethernet({.from = host, .to = 0x80 + host, .ip_id = i}));
      net.Record(host, Ethernet({.from = 0x80 + host, .to = host, .ip_id = i}));
    }
  }
  ExpectExactly(net);
}

TEST(PacketMatcher, TwoHostsOnOneLinkAreToldApartByTiming) {
  for (const int64_t offset_ns :
       {int64_t{0}, int64_t{-60'000'000'000}, int64_t{1'000'000'000'000'000}}) {
    TestNetwork net(2);
    net.Chat();
    for (auto& p : net.captures[1].packets) p.time += offset_ns;
    ExpectExactly(net);
  }
}

TEST(PacketMatcher, OneWayTrafficOnOneLinkHasNoDirection) {
  TestNetwork net(2);
  for (uint16_t i = 0; i < 20; ++i) net.Deliver({.ip_id = i}, net.now_ns + i * 1000);
  net.truth.clear();
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(result.diagnostics.count("direction-unknown"), 40);
}

TEST(PacketMatcher, CaptureAgainstItselfGivesNoMessage) {
  for (const uint32_t hosts : {2u, 3u}) {
    TestNetwork net(hosts);
    net.Chat();
    net.captures = {net.captures[0], net.captures[0]};
    net.captures[1].clock = 1;
    net.truth.clear();
    const MatchResult result = ExpectExactly(net);
    EXPECT_EQ(CountOf(result, PacketFate::kSameHost), 2 * net.captures[0].packets.size());
  }
}

TEST(PacketMatcher, CapturesOfOneClockShareTheirMessages) {
  TestNetwork net(3);
  net.Chat();
  net.captures.push_back(net.captures[0]);  // host 1 once more, under the same clock
  for (auto& p : net.captures[3].packets) p.time += 7;
  const MatchResult result = net.Match();
  ExpectAllAccounted(net, result);
  EXPECT_EQ(result.counts.messages, net.truth.size());
  for (const Found& m : result.sink.messages) {
    EXPECT_NE(std::get<0>(m), 0) << "the copy sent last counts";
    EXPECT_NE(std::get<2>(m), 3) << "the copy received first counts";
  }
  EXPECT_EQ(CountOf(result, PacketFate::kSameClock), net.captures[0].packets.size());
}

TEST(PacketMatcher, TranslatedAddressesStayUnmatched) {
  TestNetwork net(3);
  net.Chat();
  PacketSpec s{.from = 1, .to = 2, .payload = Text("translated")};
  net.Record(1, Ethernet(s));
  s.from = 77;
  net.Record(2, Ethernet(s));
  const MatchResult result = ExpectExactly(net);
  EXPECT_EQ(CountOf(result, PacketFate::kUnmatchedSend), 1);
  EXPECT_EQ(CountOf(result, PacketFate::kUnmatchedReceive), 1);
}

TEST(PacketMatcher, LittleMemoryGivesTheSameResult) {
  TestNetwork net(3);
  net.Chat();
  for (uint32_t i = 0; i < 20'000; ++i) {
    net.Deliver({.ip_id = static_cast<uint16_t>(i), .payload = Text(std::to_string(i))}, i);
  }
  const MatchResult result = net.Match({.memory_bytes = 0});
  ExpectAllAccounted(net, result);
  EXPECT_EQ(result.sink.messages, net.truth);
}

TEST(PacketMatcher, PacketThatRepeatsWithoutEndIsAmbiguous) {
  TestNetwork net(3);
  net.Chat();
  constexpr size_t kRepeats = 100'000;
  const StoredPacket packet = Ethernet({.payload = Text("again")});
  for (size_t i = 0; i < kRepeats; ++i) net.Record(1 + i % 2, packet);
  const MatchResult result = net.Match({.memory_bytes = 0});
  ExpectAllAccounted(net, result);
  EXPECT_EQ(result.sink.messages, net.truth);
  EXPECT_EQ(result.diagnostics.count("ambiguous-packet"), kRepeats);
}

TEST(PacketMatcher, DamagedPacketsAreSurvivedAndAccountedFor) {
  std::mt19937_64 random(1);
  TestNetwork net(3);
  net.Chat();
  const PacketSpec specs[] = {{.payload = Bytes(30)},
                              {.protocol = 6, .timestamp = 1, .payload = Bytes(30)},
                              {.ipv6 = true, .protocol = 6},
                              {.vlans = {1}, .ipv6 = true, .protocol = 58}};
  for (int i = 0; i < 20'000; ++i) {
    StoredPacket packet = Ethernet(specs[random() % std::size(specs)]);
    for (int change = 0; change < 3; ++change) {
      packet.bytes[random() % packet.bytes.size()] = static_cast<std::byte>(random());
    }
    packet.bytes.resize(random() % (packet.bytes.size() + 1));
    packet.original_length = static_cast<uint32_t>(random() % 200);
    packet.time = static_cast<int64_t>(random());
    constexpr LinkType kLinks[] = {LinkType::kEthernet, LinkType::kNull,        LinkType::kRawIp,
                                   LinkType::kIpv6,     LinkType::kLinuxCooked, LinkType{99}};
    packet.link = kLinks[random() % std::size(kLinks)];
    packet.interface = static_cast<uint32_t>(random() % 3000);
    net.Record(1 + i % 3, packet);
  }
  ExpectAllAccounted(net, net.Match());
}

TEST(PacketMatcher, NoCapturesAndNoPacketsGiveNothing) {
  EXPECT_EQ(MatchCaptures({}).counts.messages, 0);
  const TestNetwork net(2);
  EXPECT_EQ(ExpectExactly(net).counts.messages, 0);
}

}  // namespace
}  // namespace syncline
