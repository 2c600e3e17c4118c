// Damaged traces on which libbabeltrace2 fails: every one ends as an error that names it.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/ctf/ctf_child.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

#ifdef SYNCLINE_SANITIZED
constexpr bool kIsSanitizedBuild = true;
#else
constexpr bool kIsSanitizedBuild = false;
#endif

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void PutBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void ReplaceIn(const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes = BytesOf(path);
  const size_t at = bytes.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  PutBytes(path, bytes.replace(at, from.size(), to));
}

struct Outcome {
  Error error = {ErrorCode::kUsage, "no error"};
  uint64_t events = 0;
};

const std::function<void()> kNothing = [] {};

// Reads all of the traces, with `between` after their description.
Outcome ReadAll(const std::vector<std::string>& paths,
                std::chrono::milliseconds patience = std::chrono::seconds(5),
                const std::function<void()>& between = kNothing) {
  Outcome outcome;
  ReadableFolders folders;
  for (const std::string& path : paths) {
    auto folder = ReadableFolder::Of(path);
    if (!folder) return {folder.error()};
    folders.push_back(*folder);
  }
  auto child =
      CtfChild::Start(folders, {}, {.memory_bytes = uint64_t{64} << 20, .patience = patience});
  if (!child) return {child.error()};
  std::vector<CtfTraceInfo> infos;
  for (size_t i = 0; i < paths.size(); ++i) {
    auto info = child->Describe();
    if (!info) return {info.error()};
    infos.push_back(std::move(*info));
  }
  between();
  for (const CtfTraceInfo& info : infos) {
    child->BeginTrace(info, {.origins = std::vector<int64_t>(info.clocks.size())});
    for (size_t s = 0; s < info.streams.size() && !info.clocks.empty(); ++s) {
      for (;;) {
        auto batch = child->Next();
        if (!batch) return {batch.error(), outcome.events};
        if (!*batch) break;
        outcome.events += (*batch)->times().size();
      }
    }
  }
  return outcome;
}

TinyTrace TwoPackets() {
  TinyTrace trace;
  trace.streams = {{{.events = {{10}, {20}}}, {.events = {{30}, {40}}, .number = 1}}};
  return trace;
}

class CtfDamage : public testing::Test {
 protected:
  std::string Tiny(const TinyTrace& trace = TwoPackets()) const { return folder_.Add("t", trace); }
  // An LTTng trace: metadata in a packet of 4096 bytes, one stream of 12288.
  std::string Recorded() const {
    const std::string path = folder_.path() + "/recorded";
    fs::remove_all(path);
    fs::create_directories(folder_.path());
    fs::copy(SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates/hostA", path);
    return path;
  }
  static void ExpectFailure(const Outcome& outcome, const std::string& path,
                            const std::string& reason) {
    EXPECT_EQ(outcome.error.code, ErrorCode::kMalformed);
    EXPECT_THAT(outcome.error.message,
                HasSubstr("cannot be read: the CTF library failed on it (" + reason));
    EXPECT_EQ(outcome.error.file, path);
  }
  TinyTraceFolder folder_{"ctf_damage"};
};

TEST_F(CtfDamage, MetadataCutAnywhere) {
  const std::string path = Recorded();
  const std::string metadata = BytesOf(path + "/metadata");
  for (uint64_t to = 1; to < metadata.size(); to += 61) {
    PutBytes(path + "/metadata", metadata.substr(0, to));
    const Outcome outcome = ReadAll({path});
    // What is cut from the packet's padding is not missed.
    if (outcome.error.message == "no error") {
      EXPECT_EQ(outcome.events, 210U) << to;
      EXPECT_GT(to, metadata.size() * 3 / 4);
    } else {
      EXPECT_THAT(outcome.error.code, AnyOf(ErrorCode::kMalformed, ErrorCode::kUnsupported));
      EXPECT_THAT(outcome.error.message, Not(HasSubstr("no progress"))) << to;
    }
  }
}

// The layout of whose packets is not understood, so that nothing is checked before.
TEST_F(CtfDamage, PacketsOfNoBitsThatHangTheLibrary) {
  const std::string path = Tiny();
  ReplaceIn(path + "/metadata", "u64 content_size; u64 packet_size",
            "integer { size = 64; align = 8; byte_order = le; } content_size; u64 packet_size");
  EXPECT_EQ(ReadAll({path}).events, 4);
  std::fstream file(path + "/ch_0", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4 + 4 + 8 + 8);
  file << std::string(8 + 8, '\0');
  file.close();
  // It takes memory while it hangs: a quick machine comes to that limit first.
  const Outcome outcome = ReadAll({path}, std::chrono::milliseconds(500));
  EXPECT_EQ(outcome.error.code, ErrorCode::kMalformed);
  EXPECT_EQ(outcome.error.file, path);
  EXPECT_THAT(outcome.error.message,
              AnyOf(HasSubstr("failed on it (no progress for 0.5 s"),
                    HasSubstr("failed on it (more than 64.0 MiB of memory)")));
}

TEST_F(CtfDamage, PacketSizesThatTheLibraryAbortsAt) {
  const std::string path = Tiny();
  ReplaceIn(path + "/metadata", "u64 content_size; u64 packet_size",
            "integer { size = 64; align = 8; byte_order = le; } content_size; u64 packet_size");
  std::fstream file(path + "/ch_0", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4 + 4 + 8 + 8);
  file << std::string(7, '\0') << '\x80';
  file.close();
  if (kIsSanitizedBuild) return;
  ExpectFailure(ReadAll({path}), path, "signal 6, Aborted");
}

// LTTng's index of a stream of one packet.
std::string IndexOf(uint64_t packet_offset) {
  std::string bytes;
  const auto put = [&](uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  for (const uint32_t word : {0xC1F1DCC1U, 1U, 1U, 9 * 8U}) put(word, 4);
  // Its place, its sizes in bits, two times, lost events, stream, instance and number.
  for (const uint64_t value : {packet_offset, uint64_t{98304}, uint64_t{96432},
                               uint64_t{1506167854414}, uint64_t{1509512280794}}) {
    put(value, 8);
  }
  for (int i = 0; i < 4; ++i) put(0, 8);
  return bytes;
}

TEST_F(CtfDamage, AnIndexThatPointsBeyondItsFile) {
  const std::string path = Recorded();
  fs::create_directory(path + "/index");
  PutBytes(path + "/index/ch_0.idx", IndexOf(0));
  EXPECT_EQ(ReadAll({path}).events, 210);
  PutBytes(path + "/index/ch_0.idx", IndexOf(1 << 20));
  const Outcome outcome = ReadAll({path});
  if (!kIsSanitizedBuild) ExpectFailure(outcome, path, "signal 6, Aborted");
}

TEST_F(CtfDamage, TypesThatTakeAllMemory) {
  if (kIsSanitizedBuild) GTEST_SKIP() << "memory is not limited";
  const std::string arrays = Tiny();
  ReplaceIn(arrays + "/metadata", "string _text;",
            "struct { struct { struct { struct {} a[65536]; } b[65536]; } c[65536]; } z[65536]; "
            "string _text;");
  ExpectFailure(ReadAll({arrays}), arrays, "more than 64.0 MiB of memory");
  const std::string sequence = Tiny();
  // The text's bytes and what follows are a length.
  ReplaceIn(sequence + "/metadata", "string _text;", "u64 _length; struct {} z[_length];");
  const Outcome outcome = ReadAll({sequence});
  EXPECT_EQ(outcome.error.code, ErrorCode::kMalformed);
}

TEST_F(CtfDamage, AnErrorInOneOfSeveralTraces) {
  const std::string damaged = Tiny();
  ReplaceIn(damaged + "/metadata", "string _text;",
            "integer { size = 64; align = 2147483648; } _text;");
  const std::string sound = folder_.Add("sound", TwoPackets());
  EXPECT_EQ(ReadAll({sound, sound}).events, 8);
  for (const auto& paths : {std::vector{damaged, sound}, std::vector{sound, damaged}}) {
    const Outcome outcome = ReadAll(paths);
    EXPECT_EQ(outcome.error.code, ErrorCode::kMalformed);
    EXPECT_THAT(outcome.error.message, HasSubstr("after event 0"));
    EXPECT_EQ(outcome.error.file, damaged + "/ch_0");
  }
}

TEST_F(CtfDamage, AStreamFileThatIsCutWhileItIsRead) {
  TinyTrace trace;
  trace.streams = {{{}}};
  for (uint64_t i = 0; i < 100'000; ++i) trace.streams[0][0].events.push_back({i});
  const std::string path = Tiny(trace);
  EXPECT_EQ(ReadAll({path}).events, 100'000);
  const Outcome outcome =
      ReadAll({path}, std::chrono::seconds(5), [&] { fs::resize_file(path + "/ch_0", 4096); });
  if (!kIsSanitizedBuild) ExpectFailure(outcome, path, "signal 7, Bus error");
}

TEST_F(CtfDamage, EventsThatTakeNoBits) {
  const std::string path = Tiny();
  ReplaceIn(path + "/metadata", "struct { u16 id; time timestamp; };", "struct { };");
  ReplaceIn(path + "/metadata",
            "fields := struct { u32 _n; string _text; struct { u16 inner; } _group; };",
            "fields := struct { };");
  const Outcome outcome = ReadAll({path});
  EXPECT_EQ(outcome.error.code, ErrorCode::kMalformed);
  EXPECT_THAT(outcome.error.message, HasSubstr("more events than bits"));
}

// Bytes of metadata and stream replaced at random: an error or none, but always an end.
TEST_F(CtfDamage, AnyBytes) {
  constexpr unsigned kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::string path = Recorded();
  for (int round = 0; round < 100; ++round) {
    const std::string file = path + (round % 2 == 0 ? "/ch_0" : "/metadata");
    const std::string sound = BytesOf(file);
    std::string damaged = sound;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    PutBytes(file, damaged);
    const Outcome outcome = ReadAll({path}, std::chrono::milliseconds(1500));
    EXPECT_THAT(outcome.error.code,
                AnyOf(ErrorCode::kUsage, ErrorCode::kMalformed, ErrorCode::kUnsupported))
        << round << ": " << outcome.error.ToString();
    PutBytes(file, sound);
  }
}

}  // namespace
}  // namespace syncline
