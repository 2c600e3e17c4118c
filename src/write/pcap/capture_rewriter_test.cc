#include "write/pcap/capture_rewriter.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "base/ticks.h"
#include "read/pcap/capture_reader.h"
#include "read/pcap/pcapng_option.h"
#include "read/pcap/testing/capture_builder.h"
#include "write/pcap/retime_test_util.h"
#include "write/pcap/testing/command_output.h"
#include "write/pcap/testing/rewrite_bytes.h"

namespace syncline {
namespace {

constexpr uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr uint32_t kNanoseconds = 0xa1b23c4d;
constexpr ByteOrder kOrders[] = {ByteOrder::kNative, ByteOrder::kSwapped};

std::vector<std::byte> Content(const std::string& path) {
  const std::string content = ReadWholeFile(path).value();
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> Rewrite(std::span<const std::byte> input, const Retime& retime) {
  auto output = RewriteCaptureBytes(input, retime);
  EXPECT_TRUE(output) << output.error().ToString();
  return output ? *output : std::vector<std::byte>{};
}

// The bytes of `capture` with those of all times that may change set to zero.
std::vector<std::byte> WithoutTimes(std::vector<std::byte> capture) {
  auto walker = CaptureWalker::Start(ByteWindow::OverBytes(capture, "memory")).value();
  std::vector<uint64_t> times;
  while (const CaptureFrame* frame = walker.Next()) {
    const bool has_time =
        frame->kind == FrameKind::kPacket || frame->kind == FrameKind::kStatistics;
    if (has_time) times.push_back(frame->offset + frame->time_at);
    if (frame->kind != FrameKind::kStatistics) continue;
    PcapngOptionList options(frame->options, frame->time_field.order);
    while (const auto option = options.Next()) {
      if (option->code != 2 && option->code != 3) continue;
      times.push_back(frame->offset +
                      static_cast<uint64_t>(option->value.data() - frame->raw.data()));
    }
  }
  for (const uint64_t at : times)
    std::fill_n(capture.begin() + static_cast<int64_t>(at), 8, std::byte{0});
  return capture;
}

TEST(RewriteCapture, ReproducesEverySampleWithUnchangedTimes) {
  for (const std::string_view sample : kSamples) {
    const auto input = Content(SamplePath(sample));
    EXPECT_TRUE(Rewrite(input, Unchanged) == input) << sample;
  }
}

TEST(RewriteCapture, ChangesNothingButTimesInAnySample) {
  for (const std::string_view sample : kSamples) {
    const auto input = Content(SamplePath(sample));
    const auto output = Rewrite(input, Shift(1'234'567'891));
    EXPECT_FALSE(output == input) << sample;
    EXPECT_TRUE(WithoutTimes(output) == WithoutTimes(input)) << sample;
  }
}

TEST(RewriteCapture, WritesTheTimesThatQuantizeNsPredicts) {
  constexpr int64_t kShift = -2'345'678'912;
  for (const std::string_view sample : kSamples) {
    const auto input = Content(SamplePath(sample));
    const auto output = Rewrite(input, Shift(kShift));
    auto before = CaptureReader::FromBytes(input, "before").value();
    auto after = CaptureReader::FromBytes(output, "after").value();
    while (const Packet* packet = before.Next()) {
      const Packet* moved = after.Next();
      ASSERT_NE(moved, nullptr) << sample;
      const int64_t resolution =
          before.interfaces()[packet->interface].time_scale.ticks_per_second();
      EXPECT_EQ(moved->time.ticks, QuantizeNs(packet->time.ticks + kShift, resolution)) << sample;
    }
    EXPECT_EQ(after.Next(), nullptr);
  }
}

TEST(RewriteCapture, WritesSecondsAndFractionInTheFilesOrder) {
  for (const ByteOrder order : kOrders) {
    CaptureBuilder before(order);
    CaptureBuilder after(order);
    before.FileHeader(kMicroseconds).Record(10, 999'999);
    after.FileHeader(kMicroseconds).Record(11, 1);
    // 1.5 µs later: exactly between two microseconds, so the later one.
    EXPECT_TRUE(Rewrite(before.bytes(), Shift(1500)) == after.bytes());
  }
}

TEST(RewriteCapture, NumbersPacketsAsTheReaderDoes) {
  CaptureBuilder capture;
  capture.Section().Interface(1, CaptureBuilder().NumberOption<uint8_t>(9, 9));
  capture.EnhancedPacket(0, 5).Block(3, CaptureBuilder().Put<uint32_t>(4).PutText("data"));
  capture.EnhancedPacket(0, 6);
  std::vector<std::pair<uint64_t, int64_t>> seen;
  Rewrite(capture.bytes(), [&seen](uint64_t index, LocalTime time) {
    seen.push_back({index, time.ticks});
    return GlobalTime{time.ticks};
  });
  EXPECT_EQ(seen, (std::vector<std::pair<uint64_t, int64_t>>{{0, 5}, {1, 6}}));
}

TEST(RewriteCapture, KeepsWhatFinerResolutionsHoldBelowTheNanosecond) {
  for (const ByteOrder order : kOrders) {
    const auto capture = [order](uint64_t picoseconds) {
      CaptureBuilder builder(order);
      builder.Section().Interface(1, builder.Empty().NumberOption<uint8_t>(9, 12));
      return builder.EnhancedPacket(0, picoseconds);
    };
    EXPECT_TRUE(Rewrite(capture(7'123).bytes(), Unchanged) == capture(7'123).bytes());
    EXPECT_TRUE(Rewrite(capture(7'123).bytes(), Shift(5)) == capture(12'123).bytes());
  }
}

TEST(RewriteCapture, CountsFromTheInterfacesOffset) {
  const auto capture = [](uint64_t milliseconds) {
    CaptureBuilder options;
    options.NumberOption<uint8_t>(9, 3).NumberOption<uint64_t>(14, 1000);
    return CaptureBuilder().Section().Interface(1, options).EnhancedPacket(0, milliseconds);
  };
  EXPECT_TRUE(Rewrite(capture(20).bytes(), Shift(3'000'000)) == capture(23).bytes());
}

CaptureBuilder Statistics(ByteOrder order, uint64_t at, uint64_t start, uint64_t end) {
  CaptureBuilder capture(order);
  capture.Section().Interface();
  CaptureBuilder body = capture.Empty();
  body.Put<uint32_t>(0).PutHalves(at);
  body.Option(1, "hi").Put<uint16_t>(2).Put<uint16_t>(8).PutHalves(start);
  body.Put<uint16_t>(3).Put<uint16_t>(8).PutHalves(end).NumberOption<uint64_t>(4, 77);
  return capture.Block(5, body.Option(0, ""));
}

TEST(RewriteCapture, MovesTheTimesOfStatistics) {
  for (const ByteOrder order : kOrders) {
    std::vector<uint64_t> numbers;
    const auto output = Rewrite(Statistics(order, uint64_t{1} << 40, 100, 200).bytes(),
                                [&numbers](uint64_t index, LocalTime time) {
                                  numbers.push_back(index);
                                  return GlobalTime{time.ticks + 3000};
                                });
    EXPECT_TRUE(output == Statistics(order, (uint64_t{1} << 40) + 3, 103, 203).bytes());
    EXPECT_EQ(numbers, (std::vector<uint64_t>{kNoPacket, kNoPacket, kNoPacket}));
  }
}

TEST(RewriteCapture, KeepsStatisticsTimesThatAreUnsetOrDoNotFit) {
  const auto input = Statistics(ByteOrder::kNative, 0, ~uint64_t{0}, 5);
  EXPECT_TRUE(Rewrite(input.bytes(), Shift(-6000)) == input.bytes());
}

struct BadTime {
  CaptureBuilder capture;
  int64_t shift;
};

TEST(RewriteCapture, RefusesATimeThatTheFieldCannotHold) {
  CaptureBuilder pcap;
  pcap.FileHeader(kNanoseconds).Record(0xffff'ffff, 999'999'999).Record(0xffff'fffe, 0);
  CaptureBuilder rounded;
  rounded.FileHeader(kMicroseconds).Record(0xffff'ffff, 999'999).Record(0xffff'fffe, 0);
  CaptureBuilder early;
  early.FileHeader(kNanoseconds).Record(0, 5).Record(1, 0);
  CaptureBuilder offset;
  offset.Section().Interface(1, CaptureBuilder().NumberOption<uint64_t>(14, 1000));
  offset.EnhancedPacket(0, 5).EnhancedPacket(0, 500);
  const BadTime cases[] = {{pcap, 1}, {rounded, 500}, {early, -6}, {offset, -6000}};
  for (const auto& [capture, shift] : cases) {
    const auto output = RewriteCaptureBytes(capture.bytes(), Shift(shift));
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(output.error().message, testing::StartsWith("packet 0: its timestamp field "));
    EXPECT_TRUE(std::holds_alternative<ByteOffset>(output.error().position));
  }
}

TEST(RewriteCapture, KeepsAFractionBeyondASecondWhenUnchanged) {
  CaptureBuilder capture;
  capture.FileHeader(kMicroseconds).Record(5, 3'000'001);
  EXPECT_TRUE(Rewrite(capture.bytes(), Unchanged) == capture.bytes());
  CaptureBuilder moved;
  moved.FileHeader(kMicroseconds).Record(8, 2);
  EXPECT_TRUE(Rewrite(capture.bytes(), Shift(1000)) == moved.bytes());
}

TEST(RewriteCapture, CopiesLinkTypesThatReadingRefuses) {
  CaptureBuilder capture;
  capture.FileHeader(kMicroseconds, 105).Record(1, 1);
  EXPECT_TRUE(Rewrite(capture.bytes(), Unchanged) == capture.bytes());
}

TEST(RewriteCapture, FailsOnABrokenFile) {
  CaptureBuilder capture;
  capture.Section().Put<uint32_t>(9).Put<uint32_t>(3);
  EXPECT_EQ(RewriteCaptureBytes(capture.bytes(), Unchanged).error().code, ErrorCode::kMalformed);
}

class RewriteCaptureFile : public testing::Test {
 protected:
  RewriteCaptureFile() {
    std::string name = testing::TempDir() + "syncline-rewrite-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~RewriteCaptureFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// Larger than the blocks that are read and written.
TEST_F(RewriteCaptureFile, StreamsALargeFileAndItsCutOffEnd) {
  constexpr uint32_t kPackets = 10'000;
  CaptureBuilder before;
  CaptureBuilder after;
  before.FileHeader(kNanoseconds, 1, 0);
  after.FileHeader(kNanoseconds, 1, 0);
  const std::string large(2 * kFileBlock, 'x');
  for (uint32_t i = 0; i < kPackets; ++i) {
    const std::string data = i == 5000 ? large : std::string(i % 97, 'y');
    before.Record(i + 1, 10, data);
    after.Record(i + 1, i % 2 == 0 ? 10 : 11, data);
  }
  before.PutText("cut off");
  after.PutText("cut off");
  auto source = OutputFile::Create(folder_ / "in.pcap", IfExists::kFail).value();
  ASSERT_TRUE(source.Write(before.bytes()) && source.Commit());
  auto output = OutputFile::Create(folder_ / "out.pcap", IfExists::kFail).value();
  const auto done = RewriteCapture(CaptureWalker::Open(folder_ / "in.pcap").value(),
                                   ByteSink(output), [](uint64_t i, LocalTime time) {
                                     return GlobalTime{time.ticks + static_cast<int64_t>(i % 2)};
                                   });
  ASSERT_TRUE(done) << done.error().ToString();
  ASSERT_TRUE(output.Commit());
  EXPECT_TRUE(Content(folder_ / "out.pcap") == after.bytes());
}

// Time and length of every packet as tshark sees them, "SECONDS.FRACTION LENGTH" each.
std::string Frames(const std::string& path) {
  return OutputOf("tshark -r " + path + " -T fields -e frame.time_epoch -e frame.len");
}

std::string OneSecondLater(const std::string& frames) {
  std::string later;
  for (size_t at = 0; at < frames.size();) {
    const size_t end = frames.find('\n', at) + 1;
    const size_t point = frames.find('.', at);
    later += std::to_string(std::stoll(frames.substr(at, point - at)) + 1);
    later += frames.substr(point, end - point);
    at = end;
  }
  return later;
}

TEST_F(RewriteCaptureFile, IsReadByWireshark) {
  if (!IsInstalled("tshark")) GTEST_SKIP() << "tshark is not installed";
  for (const char* sample : {"snap60_ns_big_endian.pcap", "two_sections.pcapng"}) {
    const std::string path = folder_ / sample;
    auto output = OutputFile::Create(path, IfExists::kFail).value();
    auto input = CaptureWalker::Open(SamplePath(sample)).value();
    ASSERT_TRUE(RewriteCapture(std::move(input), ByteSink(output), Shift(kSecond)));
    ASSERT_TRUE(output.Commit());
    const std::string before = Frames(SamplePath(sample));
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(Frames(path), OneSecondLater(before)) << sample;
  }
}

}  // namespace
}  // namespace syncline
