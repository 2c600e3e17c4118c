#include "read/pcap/capture_walker.h"

#include <vector>

#include <gtest/gtest.h>

#include "read/pcap/testing/capture_builder.h"

namespace syncline {
namespace {

constexpr uint32_t kMicrosecondMagic = 0xa1b2c3d4;
constexpr ByteOrder kOrders[] = {ByteOrder::kNative, ByteOrder::kSwapped};

Result<CaptureWalker> Walk(const CaptureBuilder& capture, size_t block = kFileBlock) {
  return CaptureWalker::Start(ByteWindow::OverBytes(capture.bytes(), "memory", block));
}

// The byte offset of the error that ends the walk over `capture`.
uint64_t ErrorOffset(const CaptureBuilder& capture, ErrorCode code) {
  auto walker = Walk(capture);
  std::optional<Error> error;
  if (walker) {
    while (walker->Next() != nullptr) {
    }
    error = walker->error();
  } else {
    error = walker.error();
  }
  EXPECT_TRUE(error);
  if (!error) return ~uint64_t{0};
  EXPECT_EQ(error->code, code) << error->ToString();
  EXPECT_EQ(error->file, "memory");
  return std::get<ByteOffset>(error->position).value;
}

TEST(CaptureWalker, FramesMakeUpTheWholeFileAtAnyBlockSize) {
  for (const std::string_view sample : kSamples) {
    const std::string content = ReadWholeFile(SamplePath(sample)).value();
    const auto bytes = std::as_bytes(std::span(content));
    for (const size_t block : {size_t{1}, size_t{50}, size_t{1000}, kFileBlock}) {
      auto walker = CaptureWalker::Start(ByteWindow::OverBytes(bytes, "memory", block));
      ASSERT_TRUE(walker) << sample;
      std::string copy;
      while (const CaptureFrame* frame = walker->Next()) {
        EXPECT_EQ(frame->offset, copy.size());
        copy.append(reinterpret_cast<const char*>(frame->raw.data()), frame->raw.size());
      }
      EXPECT_FALSE(walker->error()) << sample;
      EXPECT_TRUE(copy == content) << sample << " in blocks of " << block;
      EXPECT_EQ(walker->bytes_read(), content.size());
    }
  }
}

TEST(CaptureWalker, ReadsTheSameInBothByteOrders) {
  for (const ByteOrder order : kOrders) {
    CaptureBuilder capture(order);
    capture.FileHeader(kMicrosecondMagic, 113, 96).Record(7, 5, "abc", 1500);
    auto walker = Walk(capture).value();
    EXPECT_EQ(walker.Next()->kind, FrameKind::kOther);
    const CaptureFrame* frame = walker.Next();
    EXPECT_EQ(frame->kind, FrameKind::kPacket);
    EXPECT_EQ(frame->time_ns, 7 * 1'000'000'000LL + 5 * 1000);
    EXPECT_EQ(frame->captured_length, 3u);
    EXPECT_EQ(frame->original_length, 1500u);
    EXPECT_EQ(walker.interfaces()[0].link_number, 113u);
    EXPECT_EQ(walker.interfaces()[0].snap_length, 96u);
    EXPECT_EQ(walker.Next(), nullptr);
    EXPECT_FALSE(walker.error());
  }
}

TEST(CaptureWalker, IgnoresFrameCheckBitsOfTheLinkType) {
  CaptureBuilder capture;
  capture.FileHeader(kMicrosecondMagic, 1u | 2u << 28 | 1u << 26);
  EXPECT_EQ(Walk(capture)->interfaces()[0].link_number, 1u);
}

TEST(CaptureWalker, NumbersInterfacesThroughAllSections) {
  CaptureBuilder capture;
  CaptureBuilder swapped(ByteOrder::kSwapped);
  capture.Section().Interface(1).Interface(113).EnhancedPacket(1, 10);
  swapped.Section().Interface(101).EnhancedPacket(0, 20);
  capture.Append(swapped);
  auto walker = Walk(capture).value();
  std::vector<std::pair<uint32_t, int64_t>> packets;
  while (const CaptureFrame* frame = walker.Next()) {
    if (frame->kind == FrameKind::kPacket) packets.push_back({frame->interface, frame->time_ns});
  }
  EXPECT_EQ(packets, (std::vector<std::pair<uint32_t, int64_t>>{{1, 10 * 1000}, {2, 20 * 1000}}));
  EXPECT_EQ(walker.interfaces()[2].link_number, 101u);
}

TEST(CaptureWalker, ReadsResolutionOffsetAndNames) {
  for (const ByteOrder order : kOrders) {
    CaptureBuilder capture(order);
    CaptureBuilder options(order);
    options.Option(2, "eth0").Option(3, "uplink").NumberOption<uint8_t>(9, 0x80 | 10);
    options.NumberOption<uint64_t>(14, 1000).Option(0, "");
    capture.Section().Interface(1, options).EnhancedPacket(0, 512);
    auto walker = Walk(capture).value();
    walker.Next();
    walker.Next();
    EXPECT_EQ(walker.interfaces()[0].name, "eth0");
    EXPECT_EQ(walker.interfaces()[0].description, "uplink");
    EXPECT_EQ(walker.interfaces()[0].time_scale.ticks_per_second(), 1 << 10);
    EXPECT_EQ(walker.Next()->time_ns, 1000 * 1'000'000'000LL + 500'000'000);
  }
}

TEST(CaptureWalker, ReadsDirectionAndOptionsOfPackets) {
  const PacketDirection expected[] = {PacketDirection::kUnknown, PacketDirection::kInbound,
                                      PacketDirection::kOutbound, PacketDirection::kUnknown};
  for (uint32_t flags = 0; flags < 4; ++flags) {
    CaptureBuilder capture;
    CaptureBuilder options;
    options.Option(1, "hello").NumberOption<uint32_t>(2, 0x1c0 | flags).Option(0, "");
    capture.Section().Interface().EnhancedPacket(0, 1, "12345", options);
    auto walker = Walk(capture).value();
    walker.Next();
    walker.Next();
    EXPECT_EQ(walker.Next()->direction, expected[flags]);
  }
}

TEST(CaptureWalker, ReadsTheObsoletePacketBlock) {
  CaptureBuilder capture;
  CaptureBuilder body;
  body.Put<uint16_t>(0).Put<uint16_t>(9).PutHalves(uint64_t{5} << 32 | 6);
  body.Put<uint32_t>(2).Put<uint32_t>(60).PutText("ab").Pad().NumberOption<uint32_t>(2, 2);
  capture.Section().Interface().Block(2, body);
  auto walker = Walk(capture).value();
  walker.Next();
  walker.Next();
  const CaptureFrame* frame = walker.Next();
  ASSERT_NE(frame, nullptr) << walker.error()->ToString();
  EXPECT_EQ(frame->time_ns, (int64_t{5} << 32 | 6) * 1000);
  EXPECT_EQ(frame->original_length, 60u);
  EXPECT_EQ(frame->direction, PacketDirection::kOutbound);
}

TEST(CaptureWalker, SkipsBlocksOfUnknownType) {
  CaptureBuilder capture;
  capture.Section().Block(0xbad, CaptureBuilder().PutText("anything")).Interface();
  capture.Block(4, CaptureBuilder()).EnhancedPacket(0, 1);
  auto walker = Walk(capture).value();
  size_t frames = 0;
  while (walker.Next() != nullptr) ++frames;
  EXPECT_EQ(frames, 5u);
  EXPECT_FALSE(walker.error());
}

TEST(CaptureWalker, RejectsARecordLongerThanTheSnapLengthAllows) {
  CaptureBuilder capture;
  capture.FileHeader(kMicrosecondMagic).Record(1, 1);
  const uint64_t broken = capture.size();
  capture.Put<uint32_t>(2).Put<uint32_t>(0).Put<uint32_t>(0x10000000).Put<uint32_t>(60);
  EXPECT_EQ(ErrorOffset(capture, ErrorCode::kMalformed), broken);
}

TEST(CaptureWalker, TakesARecordBeyondTheEndAsCutOff) {
  CaptureBuilder capture;
  capture.FileHeader(kMicrosecondMagic, 1, 0).Record(1, 1);
  const uint64_t whole = capture.size();
  capture.Put<uint32_t>(2).Put<uint32_t>(0).Put<uint32_t>(200'000).Put<uint32_t>(60).PutText("x");
  auto walker = Walk(capture).value();
  walker.Next();
  walker.Next();
  const CaptureFrame* last = walker.Next();
  EXPECT_EQ(last->kind, FrameKind::kCutOff);
  EXPECT_EQ(last->offset, whole);
  EXPECT_EQ(last->raw.size(), capture.size() - whole);
  EXPECT_EQ(walker.Next(), nullptr);
  EXPECT_FALSE(walker.error());
}

// Zeros behind the last record, as after a crash; few of them before another record are records.
TEST(CaptureWalker, TakesZerosToTheEndOrManyOfThemAsCutOff) {
  struct Case {
    bool is_pcapng;
    size_t zeros;
    bool has_more;
    bool is_cut_off;
  };
  const Case cases[] = {{false, 16, false, true},         {false, 17, false, true},
                        {false, 64, true, false},         {false, kZeroFill + 4096, true, true},
                        {true, 8, false, true},           {true, 30, false, true},
                        {true, kZeroFill * 9, true, true}};
  for (const Case& c : cases) {
    CaptureBuilder capture;
    if (c.is_pcapng) {
      capture.Section().Interface();
    } else {
      capture.FileHeader(kMicrosecondMagic).Record(1, 1);
    }
    const uint64_t whole = capture.size();
    capture.PutText(std::string(c.zeros, '\0'));
    if (c.has_more) capture.Record(1, 1);
    auto walker = Walk(capture).value();
    uint64_t bytes = 0;
    std::optional<uint64_t> cut_off;
    while (const CaptureFrame* frame = walker.Next()) {
      bytes += frame->raw.size();
      if (frame->kind == FrameKind::kCutOff && !cut_off) cut_off = frame->offset;
    }
    EXPECT_FALSE(walker.error());
    EXPECT_EQ(cut_off == whole, c.is_cut_off) << c.zeros;
    EXPECT_EQ(bytes, capture.size());
  }
}

struct BrokenBlock {
  const char* what;
  uint32_t type;
  CaptureBuilder body;
};

TEST(CaptureWalker, RejectsBrokenBlocksWithTheirOffset) {
  const CaptureBuilder body;
  const auto packet = [](uint32_t interface, uint32_t captured) {
    return CaptureBuilder().Put(interface).Put<uint64_t>(0).Put(captured).Put(captured);
  };
  const auto long_option = CaptureBuilder().Put<uint16_t>(2).Put<uint16_t>(900);
  const auto idb = CaptureBuilder().Put<uint32_t>(1).Put<uint32_t>(0);
  const auto statistics = [](uint32_t interface) {
    return CaptureBuilder().Put(interface).Put<uint64_t>(0);
  };
  const BrokenBlock cases[] = {
      {"interface too short", 1, CaptureBuilder().Put<uint32_t>(1)},
      {"interface option too long", 1, CaptureBuilder().Append(idb).Append(long_option)},
      {"packet too short", 6, CaptureBuilder().Put<uint64_t>(0)},
      {"packet of no interface", 6, packet(1, 0)},
      {"packet longer than block", 6, packet(0, 1)},
      {"packet option too long", 6, packet(0, 0).Append(long_option)},
      {"time beyond int64", 6,
       CaptureBuilder().Put<uint32_t>(0).Put<uint64_t>(~uint64_t{0}).Put<uint64_t>(0)},
      {"old packet too short", 2, CaptureBuilder().Put<uint64_t>(0)},
      {"old packet of no interface", 2, packet(1, 0)},
      {"simple packet too short", 3, CaptureBuilder()},
      {"statistics too short", 5, CaptureBuilder().Put<uint64_t>(0)},
      {"statistics of no interface", 5, statistics(3)},
      {"statistics option too long", 5, statistics(0).Append(long_option)},
      {"section too short", 0x0a0d0d0a, CaptureBuilder().Put<uint32_t>(0x1a2b3c4d)},
      {"section without byte order", 0x0a0d0d0a, CaptureBuilder().Put<uint64_t>(0)},
  };
  for (const auto& [what, type, broken] : cases) {
    SCOPED_TRACE(what);
    CaptureBuilder capture;
    capture.Section().Interface();
    const uint64_t at = capture.size();
    capture.Block(type, broken);
    EXPECT_EQ(ErrorOffset(capture, ErrorCode::kMalformed), at);
  }
}

TEST(CaptureWalker, RejectsImpossibleBlockLengths) {
  for (const uint32_t length : {0u, 8u, 13u, 0xfffffffcu}) {
    CaptureBuilder capture;
    capture.Section();
    const uint64_t at = capture.size();
    capture.Put<uint32_t>(99).Put(length).Put<uint32_t>(0).Put(length);
    EXPECT_EQ(ErrorOffset(capture, ErrorCode::kMalformed), at) << length;
  }
}

TEST(CaptureWalker, RejectsLengthsThatDisagree) {
  CaptureBuilder capture;
  capture.Section();
  const uint64_t at = capture.size();
  capture.Put<uint32_t>(99).Put<uint32_t>(12).Put<uint32_t>(16);
  EXPECT_EQ(ErrorOffset(capture, ErrorCode::kMalformed), at);
}

TEST(CaptureWalker, RejectsResolutionsThatNoIntegerHolds) {
  for (const int resolution : {19, 127, 0x80 | 63, 0xff}) {
    CaptureBuilder capture;
    capture.Section();
    const uint64_t at = capture.size();
    capture.Interface(1,
                      CaptureBuilder().NumberOption<uint8_t>(9, static_cast<uint8_t>(resolution)));
    EXPECT_EQ(ErrorOffset(capture, ErrorCode::kUnsupported), at) << resolution;
  }
}

TEST(CaptureWalker, ExplainsFilesItCannotStart) {
  struct Case {
    CaptureBuilder content;
    ErrorCode code;
    const char* message;
  };
  const Case cases[] = {
      {CaptureBuilder(), ErrorCode::kMalformed, "is empty"},
      {CaptureBuilder().PutText("abc"), ErrorCode::kMalformed, "is not a pcap or pcapng capture"},
      {CaptureBuilder().PutText("hello world"), ErrorCode::kMalformed,
       "is not a pcap or pcapng capture"},
      {CaptureBuilder().Put(kMicrosecondMagic), ErrorCode::kMalformed,
       "ends within its file header"},
      {CaptureBuilder().Put<uint32_t>(0x0a0d0d0a), ErrorCode::kMalformed,
       "ends within its section header"},
      {CaptureBuilder()
           .Put<uint32_t>(0x0a0d0d0a)
           .Put<uint32_t>(40)
           .Put<uint32_t>(0x1a2b3c4d)
           .Put(uint64_t{0})
           .Put(uint64_t{0}),
       ErrorCode::kMalformed, "ends within its section header"},
      {CaptureBuilder().FileHeader(0xa1b2cd34), ErrorCode::kUnsupported,
       "is a capture of a modified pcap format, which is not supported; editcap -F nsecpcap "
       "converts it"},
      {CaptureBuilder(ByteOrder::kSwapped).FileHeader(0x1c0001ac), ErrorCode::kUnsupported,
       "is a capture of a modified pcap format, which is not supported; editcap -F nsecpcap "
       "converts it"},
      {CaptureBuilder()
           .Put(kMicrosecondMagic)
           .Put<uint16_t>(2)
           .Put<uint16_t>(2)
           .Put(uint64_t{0})
           .Put(uint64_t{0}),
       ErrorCode::kUnsupported, "has pcap version 2.2; only 2.4 is supported"},
  };
  for (const auto& [content, code, message] : cases) {
    const auto walker = Walk(content);
    ASSERT_FALSE(walker) << message;
    EXPECT_EQ(walker.error().code, code);
    EXPECT_EQ(walker.error().message, message);
  }
}

TEST(LooksLikeCapture, KnowsTheFirstFourBytes) {
  for (const ByteOrder order : kOrders) {
    for (const uint32_t magic : {0xa1b2c3d4, 0xa1b23c4d, 0x0a0d0d0au, 0xa1b2cd34}) {
      EXPECT_TRUE(LooksLikeCapture(CaptureBuilder(order).Put<uint32_t>(magic).bytes())) << magic;
    }
  }
  EXPECT_FALSE(LooksLikeCapture(CaptureBuilder().PutText("clock a 1000").bytes()));
  EXPECT_FALSE(LooksLikeCapture(CaptureBuilder().PutText("\x1f\x8b\x08").bytes()));
  EXPECT_FALSE(LooksLikeCapture({}));
}

}  // namespace
}  // namespace syncline
