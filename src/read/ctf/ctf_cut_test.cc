// Stream files that end inside a packet: what is before the cut is read.

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporaries.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// Two packets of equal size in ch_0, one in ch_1.
TinyTrace TwoStreams() {
  TinyTrace trace;
  trace.streams = {{{.events = {{10}, {20}}}, {.events = {{30}, {40}}, .number = 1}},
                   {{.events = {{15}, {25}, {35}}}}};
  return trace;
}

void Cut(const std::string& file, uint64_t to) { fs::resize_file(file, to); }

std::vector<uint64_t> CyclesOf(CtfStream& stream) {
  std::vector<uint64_t> cycles;
  while (const CtfEvent* event = stream.Next()) cycles.push_back(event->cycles);
  EXPECT_FALSE(stream.error()) << stream.error()->ToString();
  return cycles;
}

TEST(CtfCut, ASignalLeavesNoCopies) {
  const TinyTraceFolder folder("ctf_cut_signal");
  const std::string path = folder.Add("t", TwoStreams());
  Cut(path + "/ch_0", fs::file_size(path + "/ch_0") - 3);
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RemoveTemporariesOnSignals();
    const auto readable = ReadableFolder::Of(path);
    const std::string copies = readable ? (*readable)->path() : std::string();
    if (::write(ends[1], copies.data(), copies.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGTERM);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  std::string copies(4096, 0);
  copies.resize(static_cast<size_t>(std::max<ssize_t>(::read(ends[0], copies.data(), 4096), 0)));
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  ASSERT_NE(copies, path);
  ASSERT_FALSE(copies.empty());
  EXPECT_FALSE(fs::exists(copies));
}

TEST(CtfCut, WholePacketsAreReadAndTheCutIsNamed) {
  const TinyTraceFolder folder("ctf_cut");
  const std::string path = folder.Add("t", TwoStreams());
  const uint64_t bytes = fs::file_size(path + "/ch_0");
  Cut(path + "/ch_0", bytes - 3);
  std::string temporary;
  {
    auto reader = CtfReader::Open(path);
    ASSERT_TRUE(reader) << reader.error().ToString();
    const std::vector<CutFile>& cuts = (*reader)->readable()->cuts();
    ASSERT_EQ(cuts.size(), 1);
    EXPECT_EQ(cuts[0].path, path + "/ch_0");
    EXPECT_EQ(cuts[0].bytes, bytes - 3);
    EXPECT_EQ(cuts[0].whole_bytes, bytes / 2);
    ASSERT_EQ((*reader)->streams().size(), 2);
    CtfStream& cut = *(*reader)->streams()[0];
    CtfStream& whole = *(*reader)->streams()[1];
    EXPECT_EQ(cut.file(), path + "/ch_0");
    EXPECT_EQ(whole.file(), path + "/ch_1");
    EXPECT_THAT(CyclesOf(cut), ElementsAre(10, 20));
    EXPECT_THAT(CyclesOf(whole), ElementsAre(15, 25, 35));
    temporary = (*reader)->readable()->path();
    EXPECT_NE(temporary, path);
    EXPECT_TRUE(fs::exists(temporary));
  }
  EXPECT_FALSE(fs::exists(temporary));
  EXPECT_EQ(fs::file_size(path + "/ch_0"), bytes - 3);
}

TEST(CtfCut, AnyPlaceOfTheCut) {
  const TinyTraceFolder folder("ctf_cuts");
  // Byte order and form of types.
  for (const int form : {0, 1, 2, 3}) {
    TinyTrace trace = TwoStreams();
    trace.is_big_endian = form % 2 == 1;
    trace.has_inline_types = form / 2 == 1;
    trace.streams.resize(1);
    const uint64_t bytes = fs::file_size(folder.Add("t", trace) + "/ch_0");
    for (uint64_t to = 0; to <= bytes; to += 7) {
      const std::string path = folder.Add("t", trace);
      Cut(path + "/ch_0", to);
      auto reader = CtfReader::Open(path);
      ASSERT_TRUE(reader) << to << ": " << reader.error().ToString();
      const uint64_t whole_packets = to / (bytes / 2);
      EXPECT_EQ((*reader)->readable()->cuts().empty(), to % (bytes / 2) == 0) << to;
      ASSERT_EQ((*reader)->streams().empty(), whole_packets == 0) << to;
      if (whole_packets > 0) {
        EXPECT_EQ(CyclesOf(*(*reader)->streams()[0]).size(), 2 * whole_packets) << to;
      }
    }
  }
}

TEST(CtfCut, WholeTracesAreReadWhereTheyAre) {
  const TinyTraceFolder folder("ctf_whole");
  const std::string path = folder.Add("t", TwoStreams());
  auto reader = CtfReader::Open(path);
  ASSERT_TRUE(reader);
  EXPECT_THAT((*reader)->readable()->cuts(), IsEmpty());
  EXPECT_EQ((*reader)->readable()->path(), path);
}

// What follows the whole packets is no packet: the library has the words for it.
TEST(CtfCut, GarbageBehindPacketsIsNoCut) {
  const TinyTraceFolder folder("ctf_garbage_behind");
  const std::string path = folder.Add("t", TwoStreams());
  std::ofstream(path + "/ch_0", std::ios::app | std::ios::binary) << std::string(100, 'x');
  auto reader = CtfReader::Open(path);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace syncline
