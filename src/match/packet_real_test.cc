// Captures of four hosts with known truth: every pair found is true, and nearly all are found.

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "base/file.h"
#include "match/match_test_util.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(SYNCLINE_DATA_DIR) / "captures";

// A classic capture file with nanosecond times, little-endian, Ethernet.
StoredCapture ReadCapture(const fs::path& path, uint32_t clock) {
  StoredCapture capture{clock, {}};
  const auto content = ReadWholeFile(path.string());
  EXPECT_TRUE(content.has_value()) << path;
  if (!content) return capture;
  for (size_t at = 24; at + 16 <= content->size();) {
    uint32_t header[4] = {};  // seconds, nanoseconds, captured length, original length
    std::memcpy(header, content->data() + at, sizeof header);
    StoredPacket packet;
    packet.time = int64_t{header[0]} * 1'000'000'000 + header[1];
    packet.original_length = header[3];
    packet.bytes.resize(header[2]);
    std::memcpy(packet.bytes.data(), content->data() + at + 16, header[2]);
    capture.packets.push_back(std::move(packet));
    at += 16 + header[2];
  }
  return capture;
}

std::vector<StoredCapture> ReadCaptures(const char* variant) {
  std::vector<StoredCapture> captures;
  for (uint32_t host = 0; host < 4; ++host) {
    const std::string name = std::string(1, static_cast<char>('a' + host)) + ".pcap";
    captures.push_back(ReadCapture(kFolder / variant / name, host));
  }
  return captures;
}

std::set<Found> ReadTruth() {
  std::set<Found> truth;
  const std::string command = "zcat '" + (kFolder / "messages.csv.gz").string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    char tx = 0;
    char rx = 0;
    unsigned long tx_index = 0;
    unsigned long rx_index = 0;
    if (std::sscanf(line, "%c,%lu,%c,%lu,", &tx, &tx_index, &rx, &rx_index) != 4) continue;
    truth.emplace(tx - 'A', tx_index, rx - 'A', rx_index);
  }
  return truth;
}

class RealCaptures : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool present = *SYNCLINE_DATA_DIR != '\0' && fs::exists(kFolder / GetParam());
    if (!present) GTEST_SKIP() << "no test data";
  }
};

TEST_P(RealCaptures, MessagesAreTrueAndNearlyComplete) {
  const auto captures = ReadCaptures(GetParam());
  const auto truth = ReadTruth();
  ASSERT_EQ(truth.size(), 16'441);
  const MatchResult result = MatchCaptures(captures);
  ASSERT_EQ(result.error, "");
  const auto& found = result.sink.messages;
  for (const Found& m : found) {
    EXPECT_TRUE(truth.contains(m)) << std::get<0>(m) << ':' << std::get<1>(m) << " -> "
                                   << std::get<2>(m) << ':' << std::get<3>(m);
  }
  EXPECT_EQ(result.sink.calls, found.size());
  EXPECT_GE(found.size(), truth.size() * 995 / 1000);
  for (size_t c = 0; c < captures.size(); ++c) {
    EXPECT_EQ(PacketsOf(result.counts.captures[c]), captures[c].packets.size());
  }
  const std::vector<uint64_t> own = {0x020000000001, 0x020000000002, 0x020000000003,
                                     0x020000000004};
  EXPECT_EQ(result.own, own);
  RecordProperty("messages", static_cast<int>(found.size()));
  for (const auto& [name, d] : result.diagnostics.all()) {
    RecordProperty(name, static_cast<int>(d.count));
  }
}

TEST_P(RealCaptures, BroadcastsHoldAllReceiversOfOneTransmission) {
  const auto truth = ReadTruth();
  const MatchResult result = MatchCaptures(ReadCaptures(GetParam()));
  std::map<std::pair<uint32_t, uint64_t>, std::pair<uint32_t, uint64_t>> sender;
  for (const auto& [tx, tx_index, rx, rx_index] : truth) {
    sender[{rx, rx_index}] = {tx, tx_index};
  }
  EXPECT_GE(result.sink.broadcasts.size(), 619);
  for (const auto& receives : result.sink.broadcasts) {
    EXPECT_EQ(receives.size(), 3);
    for (const auto& receive : receives) EXPECT_EQ(sender.at(receive), sender.at(receives[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, RealCaptures, testing::Values("true", "linear", "slew"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RealCapturesOfAllVariants, ResultDoesNotDependOnClocks) {
  if (*SYNCLINE_DATA_DIR == '\0' || !fs::exists(kFolder)) GTEST_SKIP() << "no test data";
  const MatchResult with_true = MatchCaptures(ReadCaptures("true"));
  const MatchResult with_linear = MatchCaptures(ReadCaptures("linear"));
  EXPECT_FALSE(with_true.sink.messages.empty());
  EXPECT_EQ(with_true.sink.messages, with_linear.sink.messages);
  EXPECT_EQ(with_true.sink.broadcasts, with_linear.sink.broadcasts);
}

}  // namespace
}  // namespace syncline
