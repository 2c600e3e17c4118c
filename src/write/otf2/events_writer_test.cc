#include "write/otf2/events_writer.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/event_files.h"
#include "write/otf2/record_kinds.h"
#include "write/otf2/testing/test_archive.h"
#include "write/otf2/testing/write_at_once.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using otf2_test::Bytes;
using otf2_test::Finished;
using otf2_test::Output;
using otf2_test::SeenTimes;
using otf2_test::TestArchive;
using otf2_test::TestFolder;
using otf2_test::WriteArchiveOfAllEvents;
using otf2_test::WriteTestArchive;
using Times = std::map<uint64_t, std::vector<uint64_t>>;

GlobalTime AsRecorded(uint64_t /*location*/, uint64_t /*index*/, LocalTime recorded) {
  return GlobalTime{recorded.ticks};
}

GlobalTime DoubledPlus500(uint64_t /*location*/, uint64_t /*index*/, LocalTime recorded) {
  return GlobalTime{2 * recorded.ticks + 500};
}

// Where the third word of a line begins, and ends.
std::pair<size_t, size_t> ThirdWord(std::string_view line) {
  size_t end = 0;
  size_t begin = 0;
  for (int word = 0; word < 3; ++word) {
    begin = std::min(line.find_first_not_of(' ', end), line.size());
    end = std::min(line.find(' ', begin), line.size());
  }
  return {begin, end};
}

// What otf2-print says of an archive, without times: the third word of an event's line, the end of
// a flush, and the properties of the clock.
std::optional<std::string> PrintedWithoutTimes(const std::string& anchor) {
  const auto text = Output("otf2-print -A -M -T " + anchor);
  if (!text) return std::nullopt;
  std::string kept;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("CLOCK_PROPERTIES")) continue;
    line.erase(std::min(line.find("Stop Time:"), line.size()));
    const auto [begin, end] = ThirdWord(line);
    const std::string_view word = std::string_view(line).substr(begin, end - begin);
    if (!word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos) {
      // With the spaces before it: times may be of any width.
      const size_t before = line.find_last_not_of(' ', begin - 1) + 1;
      line.erase(before, end - before);
    }
    kept += line + "\n";
  }
  return kept;
}

class EventsWriterTest : public testing::Test {
 protected:
  EventsWriterTest() { fs::create_directories(folder_ / "out"); }
  Result<Otf2WriteCounts> Write(const std::string& input, const Otf2Retime& retime) {
    return Finished(PrepareOtf2Events({.input = input, .output = out()}, retime));
  }
  std::string out() const { return folder_ / "out/traces.otf2"; }
  TestFolder folder_;
};

TEST_F(EventsWriterTest, CopiesEveryKindOfRecordToTheByteWhenNoTimeChanges) {
  const std::string input = WriteArchiveOfAllEvents(folder_ / "in");
  const auto counts = Write(input, AsRecorded);
  ASSERT_TRUE(counts) << counts.error().ToString();
  // In two locations: twice every kind, BufferFlush and metrics; then an enter and a leave.
#define SYNCLINE_NAME(Kind) #Kind,
  const std::string_view kinds[] = {SYNCLINE_OTF2_EVENTS(SYNCLINE_NAME)};
#undef SYNCLINE_NAME
  EXPECT_EQ(counts->events, 2 * (2 * (std::size(kinds) + 1 + 1) + 2));
  EXPECT_EQ(counts->changed, 0u);
  EXPECT_EQ(counts->marker_files, 1u);
  EXPECT_EQ(counts->snapshot_files, 2u);
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "in")) {
    if (!entry.is_regular_file()) continue;
    const fs::path file = fs::relative(entry.path(), folder_ / "in");
    EXPECT_EQ(Bytes(entry.path()), Bytes(folder_ / "out" + "/" + file.string())) << file;
    ++files;
  }
  EXPECT_EQ(files, 10u);  // anchor, definitions, marker, thumbnail, three of two locations
}

TEST_F(EventsWriterTest, CopiesEveryKindOfDefinitionToTheByteAroundNewClockProperties) {
  const std::string input = otf2_test::WriteArchiveOfAllDefinitions(folder_ / "in", 5);
  otf2_test::WriteArchiveOfAllDefinitions(folder_ / "expected", 20 - 0 + 1);
  ASSERT_TRUE(Write(input, AsRecorded));
  EXPECT_NE(Bytes(folder_ / "out/traces.def"), Bytes(folder_ / "in/traces.def"));
  EXPECT_EQ(Bytes(folder_ / "out/traces.def"), Bytes(folder_ / "expected/traces.def"));
}

TEST_F(EventsWriterTest, ChangesOnlyTimes) {
  const std::string input = WriteArchiveOfAllEvents(folder_ / "in");
  const auto counts = Write(input, DoubledPlus500);
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->changed, counts->events);
  Times wanted = SeenTimes(input);
  for (auto& [location, times] : wanted) {
    for (uint64_t& time : times) time = 2 * time + 500;
  }
  EXPECT_EQ(SeenTimes(out()), wanted);
  const auto before = PrintedWithoutTimes(input);
  const auto after = PrintedWithoutTimes(out());
  if (!before || !after) GTEST_SKIP() << "otf2-print is not installed";
  EXPECT_EQ(*after, *before);
  EXPECT_THAT(*after, testing::HasSubstr("ADDITIONAL ATTRIBUTES"));
  EXPECT_THAT(*after, testing::HasSubstr("MAPPING"));
}

TEST_F(EventsWriterTest, MovesEventsOfOneTimeApart) {
  const std::string input = WriteTestArchive(folder_ / "in", {.times = {{7, {10, 20, 20, 30}}}});
  ASSERT_TRUE(Write(input, [](uint64_t, uint64_t index, LocalTime) {
    return GlobalTime{static_cast<int64_t>(100 + 10 * index)};
  }));
  EXPECT_EQ(SeenTimes(out()), (Times{{7, {100, 110, 120, 130}}}));
}

TEST_F(EventsWriterTest, DropsClockOffsetsBecauseTimesAreFinal) {
  const std::string input = WriteTestArchive(
      folder_ / "in", {.times = {{7, {10, 20, 2000}}}, .clock_offsets = {{0, 1000}, {1000, 3000}}});
  ASSERT_TRUE(Write(input, AsRecorded));
  EXPECT_EQ(SeenTimes(out()), (Times{{7, {10, 20, 2000}}}));
}

TEST_F(EventsWriterTest, MovesAllTimesTogetherWhereSomeWouldBeNegative) {
  const std::string input =
      WriteTestArchive(folder_ / "in", {.times = {{0, {10, 20}}, {7, {10, 20}}}});
  const auto counts = Write(input, [](uint64_t location, uint64_t, LocalTime recorded) {
    return GlobalTime{recorded.ticks - (location == 7 ? 110 : 0)};
  });
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->shift_ticks, 100u);
  EXPECT_EQ(SeenTimes(out()), (Times{{0, {110, 120}}, {7, {0, 10}}}));
}

TEST_F(EventsWriterTest, FilesOfALocationAreTheSameWhoeverWritesThem) {
  const std::string input = WriteArchiveOfAllEvents(folder_ / "in");
  const auto counts = Write(input, DoubledPlus500);
  ASSERT_TRUE(counts) << counts.error().ToString();
  fs::create_directories(folder_ / "scratch");
  fs::create_directories(folder_ / "files");
  otf2_write::Otf2Errors errors;
  auto source = otf2_write::ArchiveSource::Open(input, errors);
  ASSERT_TRUE(source) << source.error().ToString();
  const auto clock = otf2_write::ArchiveClock(*source, 0);
  otf2_write::WrittenEvents all;
  for (const uint64_t location : source->facts().locations) {
    otf2_write::EventFilesWriter writer(*source, errors, {location}, DoubledPlus500, *clock);
    ASSERT_TRUE(writer.FirstTimes());
    const auto written =
        writer.Write({folder_ / "scratch", folder_ / "files"}, all.locations, /*shift=*/0);
    ASSERT_TRUE(written) << written.error().ToString();
    all.Add(*written);
  }
  EXPECT_EQ(all.events, counts->events);
  EXPECT_EQ(all.changed, counts->changed);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "files")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(Bytes(entry.path()), Bytes(folder_ / ("out/traces/" + name))) << name;
    ++files;
  }
  EXPECT_EQ(files, 4u);  // two of each location
}

TEST_F(EventsWriterTest, AsksOnceForEveryEvent) {
  const std::string input =
      WriteTestArchive(folder_ / "in", {.times = {{0, {10, 20}}, {7, {}}, {9, {5, 6, 7}}}});
  std::map<std::pair<uint64_t, uint64_t>, int> asked;
  ASSERT_TRUE(Write(input, [&](uint64_t location, uint64_t index, LocalTime recorded) {
    ++asked[{location, index}];
    return GlobalTime{recorded.ticks};
  }));
  EXPECT_EQ(asked.size(), 5u);
  for (const auto& [event, times] : asked) EXPECT_EQ(times, 1) << event.second;
}

TEST_F(EventsWriterTest, CopiesArchivesOfManyChunks) {
  TestArchive archive{.event_chunk = uint64_t{1} << 18};
  for (uint64_t t = 0; t < 200'000; ++t) archive.times[7].push_back(1'000 * t);
  const std::string input = WriteTestArchive(folder_ / "in", archive);
  ASSERT_GT(fs::file_size(folder_ / "in/traces/7.evt"), 4u << 18);
  ASSERT_TRUE(Write(input, AsRecorded));
  EXPECT_EQ(Bytes(folder_ / "in/traces/7.evt"), Bytes(folder_ / "out/traces/7.evt"));
}

TEST_F(EventsWriterTest, RefusesTimesThatStepBack) {
  const std::string input = WriteTestArchive(folder_ / "in", {.times = {{7, {10, 20}}}});
  const auto result = Write(input, [](uint64_t, uint64_t index, LocalTime) {
    return GlobalTime{static_cast<int64_t>(100 - index)};
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().ToString(),
            folder_ / "in/traces/7.evt: event 1 would be before its predecessor");
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
}

TEST_F(EventsWriterTest, NamesAnEventFileThatIsCutOff) {
  const std::string input =
      WriteTestArchive(folder_ / "in", {.times = {{7, std::vector<uint64_t>(1000, 5)}}});
  fs::resize_file(folder_ / "in/traces/7.evt", fs::file_size(folder_ / "in/traces/7.evt") / 2);
  const auto result = Write(input, AsRecorded);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().file, folder_ / "in/traces/7.evt");
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
}

TEST_F(EventsWriterTest, ReportsAFolderThatCannotBeWritten) {
  const std::string input = WriteTestArchive(folder_ / "in", {.times = {{7, {10, 20}}}});
  const auto result =
      PrepareOtf2Events({.input = input, .output = "/proc/traces.otf2"}, AsRecorded);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(result.error().file, "/proc/traces.otf2");
}

TEST_F(EventsWriterTest, CopiesARealArchive) {
  const std::string input = std::string(SYNCLINE_DATA_DIR) + "/otf2/halo/eztrace_log.otf2";
  if (!fs::exists(input)) GTEST_SKIP() << "no " << input;
  const auto counts = Write(input, AsRecorded);
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->events, 141'816u);
  for (const char* location : {"0", "536870911", "1073741822", "1610612733"}) {
    const std::string file = fmt::format("/otf2/halo/eztrace_log/{}.evt", location);
    EXPECT_EQ(Bytes(std::string(SYNCLINE_DATA_DIR) + file),
              Bytes(folder_ / fmt::format("out/traces/{}.evt", location)));
  }
}

}  // namespace
}  // namespace syncline
