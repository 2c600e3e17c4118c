// Every packet of real files, against libpcap's reader.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include "read/pcap/capture_reader.h"
#include "read/pcap/testing/capture_builder.h"

namespace syncline {
namespace {

using Pcap = std::unique_ptr<pcap_t, decltype(&pcap_close)>;

Pcap OpenWithLibpcap(const std::string& path) {
  char why[PCAP_ERRBUF_SIZE] = {};
  return {pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why),
          pcap_close};
}

// Compares up to where libpcap stops: it ends with an error at a file's cut-off end.
void ExpectSamePackets(const std::string& path) {
  SCOPED_TRACE(path);
  const Pcap oracle = OpenWithLibpcap(path);
  ASSERT_NE(oracle, nullptr);
  auto reader = CaptureReader::Open(path).value();
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  uint64_t packets = 0;
  while (pcap_next_ex(oracle.get(), &header, &data) == 1) {
    const Packet* packet = reader.Next();
    ASSERT_NE(packet, nullptr) << "packet " << packets;
    ASSERT_EQ(packet->index, packets++);
    ASSERT_EQ(packet->time.ticks, header->ts.tv_sec * 1'000'000'000LL + header->ts.tv_usec);
    ASSERT_EQ(packet->original_length, header->len);
    ASSERT_EQ(packet->bytes.size(), header->caplen);
    ASSERT_EQ(std::memcmp(packet->bytes.data(), data, header->caplen), 0);
  }
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_FALSE(reader.error());
  EXPECT_GT(packets, 0u);
}

// libpcap refuses files with several link types.
bool HasOneLinkType(std::string_view sample) {
  return sample != "mixed_links.pcapng" && sample != "two_sections.pcapng";
}

TEST(CaptureReaderAgainstLibpcap, AgreesOnEverySample) {
  for (const std::string_view sample : kSamples) {
    if (HasOneLinkType(sample)) ExpectSamePackets(SamplePath(sample));
  }
}

TEST(CaptureReaderAgainstLibpcap, AgreesOnLargeCaptures) {
  const std::filesystem::path folder = std::filesystem::path(SYNCLINE_DATA_DIR) / "captures";
  if (std::string_view(SYNCLINE_DATA_DIR).empty() || !std::filesystem::exists(folder)) {
    GTEST_SKIP() << "no large captures";
  }
  for (const char* name : {"true/a.pcap", "linear/b.pcap", "slew/c.pcap", "linear/d.pcap"}) {
    ExpectSamePackets(folder / name);
  }
}

}  // namespace
}  // namespace syncline
