// Traces that cannot be read: what is said of them.

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/ctf/ctf_reader.h"
#include "read/ctf/testing/tiny_trace.h"

// libbabeltrace2 2.0.4 leaks a little where a trace or an event cannot be read; whole call stacks
// tell it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "fast_unwind_on_malloc=0";
}
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
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
  // Byte order and form of types.
  for (const int form : {0, 1, 2, 3}) {
    for (const char fill : {'\0', '\xFF'}) {
      TinyTrace trace = TwoPackets();
      trace.is_big_endian = form % 2 == 1;
      trace.has_inline_types = form / 2 == 1;
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

TEST(CtfBadInput, MetadataThatEndsInsideAPacket) {
  const TinyTraceFolder folder("ctf_metadata_cut");
  const std::string path = folder.path() + "/t";
  std::filesystem::create_directories(folder.path());
  std::filesystem::copy(SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates/hostA", path);
  for (uint64_t to = 3800; to > 126; to -= 89) {
    std::filesystem::resize_file(path + "/metadata", to);
    const Error error = FirstErrorOf(path);
    EXPECT_EQ(error.code, ErrorCode::kMalformed) << to;
    EXPECT_THAT(error.message, HasSubstr("cut off")) << to;
    EXPECT_EQ(error.file, path + "/metadata");
  }
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
