#include "write/pcap/capture_merger.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "read/pcap/capture_reader.h"
#include "read/pcap/pcapng_option.h"
#include "read/pcap/testing/capture_builder.h"
#include "write/pcap/retime_test_util.h"
#include "write/pcap/testing/command_output.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kNanosecondMagic = 0xa1b23c4d;

class MergeCapturesTest : public testing::Test {
 protected:
  MergeCapturesTest() {
    std::string name = testing::TempDir() + "syncline-merge-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    merged_ = folder_ / "merged.pcapng";
  }
  ~MergeCapturesTest() override { std::filesystem::remove_all(folder_); }

  MergeInput Input(const std::string& name, const CaptureBuilder& capture,
                   Retime retime = Unchanged) {
    const std::string path = folder_ / (name + ".pcap");
    auto file = OutputFile::Create(path, IfExists::kReplace).value();
    EXPECT_TRUE(file.Write(capture.bytes()) && file.Commit());
    return {path, name, "", std::move(retime)};
  }

  void Merge(const std::vector<MergeInput>& inputs) {
    auto output = OutputFile::Create(merged_, IfExists::kReplace).value();
    const auto done = MergeCaptures(inputs, output);
    EXPECT_TRUE(done) << done.error().ToString();
    EXPECT_TRUE(output.Commit());
  }

  Error MergeError(const std::vector<MergeInput>& inputs) {
    auto output = OutputFile::Create(merged_, IfExists::kReplace).value();
    const auto done = MergeCaptures(inputs, output);
    EXPECT_FALSE(done);
    return done ? Error{} : done.error();
  }

  // "interface time data" of every packet.
  std::vector<std::string> Packets() {
    auto reader = CaptureReader::Open(merged_).value();
    std::vector<std::string> packets;
    while (const Packet* packet = reader.Next()) {
      packets.push_back(
          std::to_string(packet->interface) + " " + std::to_string(packet->time.ticks) + " " +
          std::string(reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size()));
    }
    EXPECT_FALSE(reader.error());
    EXPECT_FALSE(reader.truncated());
    return packets;
  }

  std::filesystem::path folder_;
  std::filesystem::path merged_;
};

TEST_F(MergeCapturesTest, OrdersPacketsByCorrectedTime) {
  CaptureBuilder a;
  CaptureBuilder b;
  a.FileHeader(kNanosecondMagic, 1, 96).Record(0, 10, "a1").Record(0, 30, "a2");
  b.FileHeader(kNanosecondMagic, 101, 0).Record(5, 20, "b1").Record(5, 30, "b2");
  Merge({Input("a", a), Input("b", b, Shift(-5 * kSecond))});
  // Equal times: in the order of the inputs.
  EXPECT_THAT(Packets(), ElementsAre("0 10 a1", "1 20 b1", "0 30 a2", "1 30 b2"));
  auto reader = CaptureReader::Open(merged_).value();
  reader.Next();
  EXPECT_EQ(reader.interfaces()[0].name, "a");
  EXPECT_EQ(reader.interfaces()[0].snap_length, 96u);
  EXPECT_EQ(reader.interfaces()[1].name, "b");
  EXPECT_EQ(reader.interfaces()[1].link_number, 101u);
  EXPECT_EQ(reader.ticks_per_second(), kSecond);
}

TEST_F(MergeCapturesTest, KeepsTheOrderWithinAnInputThatStepsBack) {
  CaptureBuilder a;
  CaptureBuilder b;
  a.FileHeader(kNanosecondMagic).Record(0, 50, "a1").Record(0, 10, "a2").Record(0, 60, "a3");
  b.FileHeader(kNanosecondMagic).Record(0, 40, "b1").Record(0, 55, "b2");
  Merge({Input("a", a), Input("b", b)});
  EXPECT_THAT(Packets(), ElementsAre("1 40 b1", "0 50 a1", "0 10 a2", "1 55 b2", "0 60 a3"));
}

TEST_F(MergeCapturesTest, PassesPacketNumbersAsTheReaderCounts) {
  CaptureBuilder a;
  a.Section().Interface().EnhancedPacket(0, 1);
  a.Block(3, CaptureBuilder().Put<uint32_t>(4).PutText("data")).EnhancedPacket(0, 2);
  std::vector<uint64_t> numbers;
  Merge({Input("a", a, [&numbers](uint64_t index, LocalTime time) {
    numbers.push_back(index);
    return GlobalTime{time.ticks};
  })});
  EXPECT_THAT(numbers, ElementsAre(0, 1));
  EXPECT_EQ(Packets().size(), 2u) << "without the one that has no time";
}

TEST_F(MergeCapturesTest, KeepsFlagsAndCommentsOfEitherByteOrder) {
  CaptureBuilder a(ByteOrder::kSwapped);
  CaptureBuilder options = a.Empty();
  options.Option(1, "odd one").NumberOption<uint32_t>(2, 0x102).NumberOption<uint64_t>(4, 9);
  a.Section().Interface().EnhancedPacket(0, 1, "abcde", options.Option(0, ""));
  Merge({Input("a", a)});
  auto walker = CaptureWalker::Open(merged_).value();
  const CaptureFrame* frame = walker.Next();
  while (frame->kind != FrameKind::kPacket) frame = walker.Next();
  EXPECT_EQ(frame->direction, PacketDirection::kOutbound);
  PcapngOptionList list(frame->options, frame->time_field.order);
  const auto comment = list.Next();
  ASSERT_TRUE(comment);
  EXPECT_EQ(comment->code, kComment);
  EXPECT_EQ(comment->value.size(), std::string_view("odd one").size());
  const auto flags = list.Next();
  ASSERT_TRUE(flags);
  EXPECT_EQ(Load<uint32_t>(flags->value.data(), ByteOrder::kNative), 0x102u);
  EXPECT_FALSE(list.Next());
}

TEST_F(MergeCapturesTest, NamesSeveralInterfacesOfOneHost) {
  CaptureBuilder a;
  a.Section().Interface(1, CaptureBuilder().Option(2, "eth0").Option(3, "uplink"));
  a.Interface(1).EnhancedPacket(1, 1).Interface(113, CaptureBuilder().Option(2, "any"));
  MergeInput input = Input("a", a);
  Merge({input});
  auto reader = CaptureReader::Open(merged_).value();
  reader.Next();
  ASSERT_EQ(reader.interfaces().size(), 3u);
  EXPECT_EQ(reader.interfaces()[0].name, "a/eth0");
  EXPECT_EQ(reader.interfaces()[0].description, "uplink");
  EXPECT_EQ(reader.interfaces()[1].name, "a/1");
  EXPECT_EQ(reader.interfaces()[2].name, "a/any");
  input.description = "corrected";
  Merge({input});
  reader = CaptureReader::Open(merged_).value();
  reader.Next();
  EXPECT_EQ(reader.interfaces()[0].description, "corrected");
}

TEST_F(MergeCapturesTest, UsesACutOffInputUpToThere) {
  CaptureBuilder a;
  a.FileHeader(kNanosecondMagic).Record(0, 1, "a1").PutText("cut");
  Merge({Input("a", a)});
  EXPECT_THAT(Packets(), ElementsAre("0 1 a1"));
}

TEST_F(MergeCapturesTest, OfNothingIsAnEmptyCapture) {
  CaptureBuilder a;
  a.FileHeader(kNanosecondMagic);
  Merge({Input("a", a)});
  EXPECT_TRUE(Packets().empty());
}

TEST_F(MergeCapturesTest, RefusesWhatItCannotWrite) {
  CaptureBuilder early;
  early.FileHeader(kNanosecondMagic).Record(0, 5);
  const Error before_1970 = MergeError({Input("a", early, Shift(-6))});
  EXPECT_EQ(before_1970.code, ErrorCode::kUnsupported);
  EXPECT_THAT(before_1970.message, HasSubstr("packet 0"));
  CaptureBuilder strange;
  strange.FileHeader(kNanosecondMagic, 0x12345).Record(0, 5);
  EXPECT_EQ(MergeError({Input("a", strange)}).code, ErrorCode::kUnsupported);
  EXPECT_EQ(MergeError({{folder_ / "none.pcap", "a", "", Unchanged}}).code, ErrorCode::kUnreadable);
}

// Against sorting all packets at once.
TEST_F(MergeCapturesTest, IsTheSortedUnionOfItsInputs) {
  std::vector<MergeInput> inputs;
  std::vector<std::pair<int64_t, uint64_t>> expected;  // time, length
  const std::pair<const char*, int64_t> samples[] = {{"host_a_ns.pcap", 0},
                                                     {"host_b_ns.pcap", -1'700'000'000},
                                                     {"two_sections.pcapng", 12'345},
                                                     {"cooked2_ns.pcap", 1}};
  for (const auto& [sample, shift] : samples) {
    inputs.push_back({SamplePath(sample), sample, "", Shift(shift)});
    auto reader = CaptureReader::Open(SamplePath(sample)).value();
    int64_t latest = 0;
    while (const Packet* packet = reader.Next()) {
      latest = std::max(latest, packet->time.ticks + shift);
      expected.push_back({latest, packet->bytes.size()});
    }
  }
  std::ranges::stable_sort(expected, {}, &std::pair<int64_t, uint64_t>::first);
  Merge(inputs);
  auto reader = CaptureReader::Open(merged_).value();
  for (const auto& [time, length] : expected) {
    const Packet* packet = reader.Next();
    ASSERT_NE(packet, nullptr);
    EXPECT_LE(packet->time.ticks, time);
    EXPECT_EQ(packet->bytes.size(), length);
  }
  EXPECT_EQ(reader.Next(), nullptr);
}

TEST_F(MergeCapturesTest, IsReadByWireshark) {
  if (!IsInstalled("tshark")) GTEST_SKIP() << "tshark is not installed";
  Merge({{SamplePath("host_a_ns.pcap"), "a", "host a", Unchanged},
         {SamplePath("host_b_ns.pcap"), "b", "host b", Shift(-1'700'000'000)},
         {SamplePath("mixed_links.pcapng"), "c", "", Unchanged}});
  const std::string fields = OutputOf("tshark -r " + merged_.string() +
                                      " -T fields -e frame.time_epoch -e frame.interface_name"
                                      " -e frame.interface_description -e frame.comment");
  EXPECT_EQ(std::ranges::count(fields, '\n'), 61 + 61 + 63);
  auto reader = CaptureReader::Open(merged_).value();
  const int64_t first = reader.Next()->time.ticks;
  char expected[64];
  std::snprintf(expected, sizeof(expected), "%lld.%09lld", static_cast<long long>(first / kSecond),
                static_cast<long long>(first % kSecond));
  EXPECT_THAT(fields, testing::StartsWith(expected));
  EXPECT_THAT(fields, HasSubstr("\tb\thost b\t"));
  EXPECT_THAT(fields, HasSubstr("\ta comment\n"));
  const std::string summary = OutputOf("capinfos -c -F " + merged_.string());
  if (summary.empty()) GTEST_SKIP() << "capinfos is not installed";
  EXPECT_THAT(summary, HasSubstr("Capture application: Syncline"));
  EXPECT_THAT(summary, HasSubstr("Number of packets:   185"));
}

}  // namespace
}  // namespace syncline
