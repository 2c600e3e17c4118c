#include "read/ctf/kernel_network.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "read/ctf/ctf_reader.h"
#include "read/ctf/testing/kernel_trace_builder.h"

namespace syncline {
namespace {

using testing::ElementsAreArray;
using testing::SizeIs;

struct ReadPacket {
  KernelPacket packet;
  std::string device;
  HeaderBytes bytes() const {
    HeaderBytes bytes;
    for (size_t i = 0; i < packet.size; ++i) {
      bytes.push_back(std::to_integer<uint8_t>(packet.bytes[i]));
    }
    return bytes;
  }
};

std::vector<ReadPacket> ReadPackets(const std::string& folder) {
  std::vector<ReadPacket> packets;
  auto reader = CtfReader::Open(folder);
  EXPECT_TRUE(reader.has_value()) << (reader ? "" : reader.error().ToString());
  if (!reader) return packets;
  std::vector<std::optional<KernelPacketReader>> readers;
  for (const CtfEventClass& event_class : (*reader)->event_classes()) {
    readers.push_back(KernelPacketReader::For(event_class.handle));
  }
  for (const auto& stream : (*reader)->streams()) {
    while (const CtfEvent* event = stream->Next()) {
      const auto& of_class = readers[event->event_class];
      if (!of_class) continue;
      const KernelPacket packet = of_class->Read(event->handle);
      packets.push_back({packet, std::string(packet.device)});
    }
    EXPECT_FALSE(stream->error());
  }
  return packets;
}

// Writes the events of one host, reads them again, and gives their packets in order.
std::vector<ReadPacket> RoundTrip(const std::vector<KernelNetworkEvent>& events) {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string folder =
      fmt::format("{}kernel_{}_{}", testing::TempDir(), test->name(), getpid());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(WriteKernelTrace({.events = events}, folder), "");
  std::vector<ReadPacket> packets = ReadPackets(folder);
  std::filesystem::remove_all(folder);
  return packets;
}

HeaderBytes Joined(const std::vector<HeaderBytes>& parts) {
  HeaderBytes bytes;
  for (const HeaderBytes& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

const HeaderBytes kIpv4Header = {0x45, 0x00, 0x00, 0x3c, 0x1c, 0x46, 0x40, 0x00, 0x40, 0x06,
                                 0x00, 0x00, 0xac, 0x10, 0x0a, 0x63, 0xac, 0x10, 0x0a, 0x0c};
const HeaderBytes kTcpHeader = {0xc0, 0x01, 0x00, 0x50, 0xde, 0xad, 0xbe, 0xef, 0x01, 0x02,
                                0x03, 0x04, 0x80, 0x18, 0x01, 0xf6, 0x00, 0x00, 0x00, 0x07};

TEST(KernelNetwork, PutsIpv4AndTcpHeadersTogetherAgain) {
  const auto packets =
      RoundTrip({{.device = "ens3", .network = kIpv4Header, .transport = kTcpHeader}});
  ASSERT_THAT(packets, SizeIs(1));
  // 32 bytes of TCP header, 12 of which are options that are not recorded.
  EXPECT_THAT(packets[0].bytes(),
              ElementsAreArray(Joined({kIpv4Header, kTcpHeader, HeaderBytes(32 - 20)})));
  EXPECT_EQ(packets[0].packet.original_length, 0x3c);
  EXPECT_EQ(packets[0].packet.link, LinkType::kRawIp);
  EXPECT_EQ(packets[0].packet.direction, PacketDirection::kOutbound);
  EXPECT_EQ(packets[0].device, "ens3");
}

TEST(KernelNetwork, LeavesRoomForIpv4Options) {
  HeaderBytes network = kIpv4Header;
  network[0] = 0x46;
  HeaderBytes transport = kTcpHeader;
  transport[12] = 0x50;
  const auto packets = RoundTrip({{.network = network, .transport = transport}});
  ASSERT_THAT(packets, SizeIs(1));
  EXPECT_THAT(packets[0].bytes(), ElementsAreArray(Joined({network, HeaderBytes(4), transport})));
}

TEST(KernelNetwork, PutsIpv6AndUdpHeadersTogetherAgain) {
  HeaderBytes network = {0x60, 0x0a, 0xbc, 0xde, 0x00, 0x10, 17, 63};
  for (uint8_t i = 0; i < 32; ++i) network.push_back(static_cast<uint8_t>(0xa0 + i));
  const HeaderBytes transport = {0x14, 0xe9, 0x14, 0xea, 0x00, 0x10, 0x12, 0x34};
  HeaderBytes expected = transport;
  expected[6] = expected[7] = 0;  // the checksum
  const auto packets =
      RoundTrip({{.name = "net_if_receive_skb", .network = network, .transport = transport}});
  ASSERT_THAT(packets, SizeIs(1));
  EXPECT_THAT(packets[0].bytes(), ElementsAreArray(Joined({network, expected})));
  EXPECT_EQ(packets[0].packet.original_length, 40 + 0x10);
  EXPECT_EQ(packets[0].packet.direction, PacketDirection::kInbound);
}

TEST(KernelNetwork, PutsIcmpHeadersTogetherAgain) {
  HeaderBytes network = kIpv4Header;
  network[9] = 1;
  const HeaderBytes transport = {8, 0, 0x12, 0x34, 0x00, 0x2a, 0x00, 0x01};
  const auto packets = RoundTrip({{.network = network, .transport = transport}});
  ASSERT_THAT(packets, SizeIs(1));
  EXPECT_THAT(packets[0].bytes(), ElementsAreArray(Joined({network, transport})));
}

TEST(KernelNetwork, PacketsWithoutKnownHeadersAreOfAnUnsupportedProtocol) {
  HeaderBytes sctp = kIpv4Header;
  sctp[9] = 132;
  const auto packets = RoundTrip({{.network = {}}, {.network = sctp}});
  ASSERT_THAT(packets, SizeIs(2));
  for (const ReadPacket& read : packets) {
    EXPECT_EQ(read.packet.link, LinkType::kEthernet);
    EXPECT_THAT(read.bytes(), ElementsAreArray(HeaderBytes(14)));
  }
}

TEST(KernelNetwork, FragmentsKeepTheirHeader) {
  HeaderBytes network = kIpv4Header;
  network[6] = 0x00;
  network[7] = 0xb9;
  const auto packets = RoundTrip({{.network = network}});
  ASSERT_THAT(packets, SizeIs(1));
  EXPECT_THAT(packets[0].bytes(), ElementsAreArray(network));
}

TEST(KernelNetwork, OtherEventsAreNone) {
  EXPECT_THAT(RoundTrip({{.name = "net_dev_xmit"}}), SizeIs(0));
  EXPECT_FALSE(IsKernelNetworkEvent("net_dev_xmit"));
  EXPECT_TRUE(IsKernelNetworkEvent("netif_receive_skb"));
}

TEST(KernelNetwork, ReadsTheNumbersOfTcpInOldTraces) {
  const std::string folder = std::string(SYNCLINE_DATA_DIR) + "/tracecompass/scp_src";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const auto packets = ReadPackets(folder);
  ASSERT_THAT(packets, SizeIs(51));  // 26 of them sent
  EXPECT_EQ(std::count_if(packets.begin(), packets.end(),
                          [](const ReadPacket& p) {
                            return p.packet.direction == PacketDirection::kOutbound;
                          }),
            26);
  // seq 14FB353E, ack_seq D2C7148B, window 0295, flags 1808
  const HeaderBytes expected = {0x45, 0,    0,    40, 0,    0,    0,    0,    0,    6,
                                0,    0,    0,    0,  0,    0,    0,    0,    0,    0,
                                0,    0,    0,    0,  0x14, 0xfb, 0x35, 0x3e, 0xd2, 0xc7,
                                0x14, 0x8b, 0x50, 0,  0x02, 0x95, 0,    0,    0x18, 0x08};
  EXPECT_THAT(packets[0].bytes(), ElementsAreArray(expected));
  EXPECT_EQ(packets[0].packet.original_length, 20 + 20);
}

}  // namespace
}  // namespace syncline
