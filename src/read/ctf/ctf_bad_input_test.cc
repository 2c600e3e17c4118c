// Traces that cannot be read: what is said of them.

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/ctf/ctf_reader.h"
#include "read/ctf/packet_sizes.h"
#include "read/ctf/tiny_trace.h"

// libbabeltrace2 2.0.4 leaks a little where a trace or an event cannot be read; whole call stacks
// tell it.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "fast_unwind_on_malloc=0";
}
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:babeltrace-plugin-ctf";
}

namespace syncline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TinyTrace TwoPackets() {
  TinyTrace trace;
  trace.streams = {{{.events = {{10}, {20}}}, {.events = {{30}, {40}}, .number = 1}}};
  return trace;
}

// The first error, of opening or of reading all streams.
Error FirstErrorOf(const std::string& folder) {
  auto reader = CtfReader::Open(folder);
  if (!reader) return reader.error();
  for (const auto& stream : (*reader)->streams()) {
    while (stream->Next() != nullptr) {
    }
    if (stream->error()) return *stream->error();
  }
  return {.code = ErrorCode::kUsage, .message = "no error"};
}

TEST(CtfBadInput, StreamFileThatIsNone) {
  const TinyTraceFolder folder("ctf_garbage");
  const std::string path = folder.Add("t", TwoPackets());
  std::ofstream(path + "/ch_0") << "this is no packet, and has no magic number";
  const Error error = FirstErrorOf(path);
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_THAT(error.message, HasSubstr("magic number"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("addr=")));
}

TEST(CtfBadInput, PacketsThatClaimImpossibleSizes) {
  const TinyTraceFolder folder("ctf_sizes");
  // magic, stream id; two times; then the sizes of content and packet.
  constexpr std::streamoff kContentSize = 4 + 4 + 8 + 8;
  for (const bool is_big_endian : {false, true}) {
    for (const char fill : {'\0', '\xFF'}) {
      TinyTrace trace = TwoPackets();
      trace.is_big_endian = is_big_endian;
      const std::string path = folder.Add("t", trace);
      std::fstream file(path + "/ch_0", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(kContentSize);
      file << std::string(8 + 8, fill);
      file.close();
      const Error error = FirstErrorOf(path);
      EXPECT_EQ(error.code, ErrorCode::kMalformed);
      EXPECT_THAT(error.message, HasSubstr("impossible size"));
      EXPECT_THAT(error.file, EndsWith("t/ch_0"));
    }
  }
}

TEST(CtfBadInput, SizesOfLttngPacketsAreFound) {
  const std::string text = R"(
    typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
    typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
    typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
    trace { byte_order = le; packet.header := struct { uint32_t magic; uint8_t uuid[16];
      uint32_t stream_id; /* ids */ unsigned long stream_instance_id; }; };
    struct packet_context { unsigned long timestamp_begin; unsigned long timestamp_end;
      unsigned long content_size; unsigned long packet_size; uint32_t cpu_id; };
    stream { id = 0; packet.context := struct packet_context; };)";
  const auto layout = FindPacketSizes(text);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->content_size, 4 + 16 + 4 + 8 + 8 + 8);
  EXPECT_EQ(layout->packet_size, 4 + 16 + 4 + 8 + 8 + 8 + 8);
  EXPECT_FALSE(layout->is_big_endian);
  EXPECT_TRUE(layout->has_magic);
  EXPECT_FALSE(FindPacketSizes("trace { byte_order = le; };"));
}

TEST(CtfBadInput, EventsThatEndBeyondTheirPacket) {
  const TinyTraceFolder folder("ctf_event");
  TinyTrace trace = TwoPackets();
  const std::string path = folder.Add("t", trace);
  // The last text of the stream loses its end.
  std::fstream file(path + "/ch_0", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.write("yyy", 3);
  file.close();
  const Error error = FirstErrorOf(path);
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_THAT(error.message, HasSubstr("after event 3")) << error.ToString();
}

TEST(CtfBadInput, MetadataThatIsNoTsdl) {
  const TinyTraceFolder folder("ctf_metadata");
  const std::string path = folder.Add("t", TwoPackets());
  std::ofstream(path + "/metadata") << "/* CTF 1.8 */ trace { broken";
  const Error error = FirstErrorOf(path);
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_THAT(error.message, HasSubstr("metadata cannot be understood"));
  EXPECT_EQ(error.file, path);
}

TEST(CtfBadInput, Ctf2) {
  const TinyTraceFolder folder("ctf_2");
  const std::string path = folder.Add("t", TwoPackets());
  std::ofstream(path + "/metadata") << "\x1E{\"type\": \"preamble\", \"version\": 2}";
  const Error error = FirstErrorOf(path);
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("CTF 2"));
}

TEST(CtfBadInput, FolderWithoutMetadata) {
  const TinyTraceFolder folder("ctf_none");
  const std::string path = folder.Add("t", TwoPackets());
  std::filesystem::remove(path + "/metadata");
  EXPECT_EQ(FirstErrorOf(path).code, ErrorCode::kUnsupported);
}

TEST(CtfBadInput, ClockBeyondTheRangeOfTimes) {
  const TinyTraceFolder folder("ctf_far");
  TinyTrace trace = TwoPackets();
  trace.offset_s = 9'300'000'000;  // 9.3e18 ns
  const Error error = FirstErrorOf(folder.Add("t", trace));
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_THAT(error.message, HasSubstr("nanoseconds"));
}

}  // namespace
}  // namespace syncline
