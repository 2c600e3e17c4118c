#include "read/pcap/capture_reader.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "read/pcap/testing/capture_builder.h"

namespace syncline {
namespace {

constexpr uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr uint32_t kNanoseconds = 0xa1b23c4d;

CaptureReader Read(const CaptureBuilder& capture) {
  return CaptureReader::FromBytes(capture.bytes(), "memory").value();
}

uint64_t CountPackets(CaptureReader& reader) {
  uint64_t packets = 0;
  while (reader.Next() != nullptr) ++packets;
  return packets;
}

struct Sample {
  const char* name;
  uint64_t packets;  // as capinfos -c counts them
  LinkType first_link;
  int64_t ticks_per_second;
  bool truncated = false;
};

constexpr int64_t kMicro = 1'000'000;
constexpr int64_t kNano = 1'000'000'000;

TEST(CaptureReader, ReadsEverySample) {
  constexpr Sample kExpected[] = {
      {"loopback_us.pcap", 42, LinkType::kEthernet, kMicro},
      {"loopback_us_big_endian.pcap", 42, LinkType::kEthernet, kMicro},
      {"snap60_ns.pcap", 42, LinkType::kEthernet, kNano},
      {"snap60_ns_big_endian.pcap", 42, LinkType::kEthernet, kNano},
      {"raw_us.pcap", 16, LinkType::kRawIp, kMicro},
      {"null_us.pcap", 16, LinkType::kNull, kMicro},
      {"loop_ns.pcap", 16, LinkType::kLoop, kNano},
      {"cooked_us.pcap", 30, LinkType::kLinuxCooked, kMicro},
      {"cooked2_ns.pcap", 30, LinkType::kLinuxCookedV2, kNano},
      {"vlan_us.pcap", 17, LinkType::kEthernet, kMicro},
      {"host_a_ns.pcap", 61, LinkType::kEthernet, kNano},
      {"two_interfaces.pcapng", 35, LinkType::kEthernet, kNano},
      {"mixed_links.pcapng", 63, LinkType::kLinuxCookedV2, kMicro},
      {"two_sections.pcapng", 98, LinkType::kEthernet, kMicro},
      {"cut_off_ns.pcap", 10, LinkType::kEthernet, kNano, true},
      {"cut_off.pcapng", 9, LinkType::kEthernet, kNano, true},
  };
  for (const Sample& sample : kExpected) {
    SCOPED_TRACE(sample.name);
    auto reader = CaptureReader::Open(SamplePath(sample.name)).value();
    const Packet* first = reader.Next();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->link, sample.first_link);
    EXPECT_EQ(first->index, 0u);
    EXPECT_EQ(1 + CountPackets(reader), sample.packets);
    EXPECT_FALSE(reader.error());
    EXPECT_EQ(reader.ticks_per_second(), sample.ticks_per_second);
    EXPECT_EQ(reader.truncated(), sample.truncated);
    EXPECT_EQ(reader.diagnostics().count("capture-cut-off"), sample.truncated ? 1u : 0u);
  }
}

TEST(CaptureReader, NamesTheByteWhereAFileWasCutOff) {
  CaptureBuilder capture;
  capture.FileHeader(kNanoseconds).Record(1, 1).Put<uint32_t>(2);
  auto reader = Read(capture);
  EXPECT_EQ(CountPackets(reader), 1u);
  EXPECT_TRUE(reader.truncated());
  const Diagnostic& found = reader.diagnostics().all().at("capture-cut-off");
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.example, "memory: byte " + std::to_string(capture.size() - 4));
}

TEST(CaptureReader, HeaderAloneIsACaptureWithoutPackets) {
  CaptureBuilder capture;
  capture.FileHeader(kNanoseconds);
  auto reader = Read(capture);
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_FALSE(reader.error());
  EXPECT_FALSE(reader.truncated());
  EXPECT_TRUE(reader.diagnostics().all().empty());
}

TEST(CaptureReader, CountsWhatIsOddWithoutLosingPackets) {
  CaptureBuilder capture;
  capture.FileHeader(kMicroseconds).Record(5, 0).Record(4, 0).Record(4, 1'000'000);
  const uint64_t last = capture.size();
  capture.Record(6, 0, "data", 3);
  auto reader = Read(capture);
  std::vector<int64_t> seconds;
  while (const Packet* packet = reader.Next()) seconds.push_back(packet->time.ticks / kNano);
  EXPECT_EQ(seconds, (std::vector<int64_t>{5, 4, 5, 6}));
  const Diagnostics& found = reader.diagnostics();
  EXPECT_EQ(found.count("time-steps-back"), 1u);
  EXPECT_EQ(found.count("time-fraction-too-large"), 1u);
  EXPECT_EQ(found.count("captured-longer-than-packet"), 1u);
  EXPECT_EQ(found.all().at("captured-longer-than-packet").example,
            "memory: byte " + std::to_string(last));
  EXPECT_FALSE(found.HasAtLeast(Severity::kWarning));
}

TEST(CaptureReader, CountsPacketsWithoutTimeAndNumbersTheOthers) {
  CaptureBuilder capture;
  capture.Section().Interface().EnhancedPacket(0, 1);
  capture.Block(3, CaptureBuilder().Put<uint32_t>(4).PutText("data")).EnhancedPacket(0, 2);
  auto reader = Read(capture);
  EXPECT_EQ(reader.Next()->index, 0u);
  EXPECT_EQ(reader.Next()->index, 1u);
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.diagnostics().count("packet-without-time"), 1u);
  EXPECT_TRUE(reader.diagnostics().HasAtLeast(Severity::kWarning));
}

TEST(CaptureReader, FailsAtThePacketOfAnUnsupportedLinkType) {
  CaptureBuilder capture;
  capture.Section().Interface(1).Interface(105).EnhancedPacket(0, 1);
  const uint64_t at = capture.size();
  capture.EnhancedPacket(1, 2).EnhancedPacket(0, 3);
  auto reader = Read(capture);
  EXPECT_NE(reader.Next(), nullptr);
  EXPECT_EQ(reader.Next(), nullptr);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->code, ErrorCode::kUnsupported);
  EXPECT_EQ(reader.error()->ToString(),
            "memory: byte " + std::to_string(at) +
                ": holds packets of link type 105 (IEEE802_11), which is not supported");
  EXPECT_EQ(reader.Next(), nullptr);
}

TEST(CaptureReader, AcceptsAnUnsupportedInterfaceWithoutPackets) {
  CaptureBuilder capture;
  capture.Section().Interface(9999).Interface(1).EnhancedPacket(1, 1);
  auto reader = Read(capture);
  EXPECT_EQ(CountPackets(reader), 1u);
  EXPECT_FALSE(reader.error());
}

TEST(CaptureReader, NamesAnUnknownLinkTypeByNumber) {
  CaptureBuilder capture;
  capture.FileHeader(kMicroseconds, 9999).Record(1, 1);
  auto reader = Read(capture);
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.error()->message, "holds packets of link type 9999, which is not supported");
}

TEST(CaptureReader, ReportsTheCoarsestResolution) {
  CaptureBuilder capture;
  capture.Section().Interface(1, CaptureBuilder().NumberOption<uint8_t>(9, 9));
  capture.Interface(1, CaptureBuilder().NumberOption<uint8_t>(9, 3));
  auto reader = Read(capture);
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.ticks_per_second(), 1000);
  EXPECT_EQ(Read(CaptureBuilder().Section()).ticks_per_second(), kNano);
}

// 20 packets arrive over loopback; 5 multicasts leave one end of a virtual cable for the other.
TEST(CaptureReader, TakesDirectionFromCookedHeaders) {
  for (const char* sample : {"cooked_us.pcap", "cooked2_ns.pcap"}) {
    auto reader = CaptureReader::Open(SamplePath(sample)).value();
    std::map<PacketDirection, int> count;
    while (const Packet* packet = reader.Next()) ++count[packet->direction];
    EXPECT_EQ(count[PacketDirection::kUnknown], 0) << sample;
    EXPECT_EQ(count[PacketDirection::kOutbound], 5) << sample;
    EXPECT_EQ(count[PacketDirection::kInbound], 20 + 5) << sample;
  }
}

TEST(CaptureReader, SaysWhyAFileCannotBeOpened) {
  EXPECT_EQ(CaptureReader::Open("/no/such/file").error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(CaptureReader::Open(SamplePath("")).error().message, "is a folder");
}

}  // namespace
}  // namespace syncline
