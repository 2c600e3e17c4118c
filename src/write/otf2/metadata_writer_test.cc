#include "write/otf2/metadata_writer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syncline/correction.h"

#include "base/file.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/clock_offset.h"
#include "write/otf2/testing/reader_clock.h"
#include "write/otf2/testing/test_archive.h"
#include "write/otf2/testing/write_at_once.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using otf2_test::Bytes;
using otf2_test::Finished;
using otf2_test::Output;
using otf2_test::SeenOrder;
using otf2_test::SeenTimes;
using otf2_test::TestArchive;
using otf2_test::TestFolder;
using otf2_test::WriteMetadata;
using otf2_test::WriteTestArchive;
using Times = std::map<uint64_t, std::vector<uint64_t>>;

// Gives every event the time of the same place in `wanted`.
Otf2Retime From(const Times& wanted) {
  return [&wanted](uint64_t location, uint64_t index, LocalTime /*recorded*/) {
    return GlobalTime{static_cast<int64_t>(wanted.at(location).at(index))};
  };
}

otf2_write::ClockProperties ClockOf(const std::string& anchor) {
  otf2_write::Otf2Errors errors;
  auto source = otf2_write::ArchiveSource::Open(anchor, errors);
  EXPECT_TRUE(source) << source.error().ToString();
  return source.value().facts().clock.value();
}

class MetadataWriterTest : public testing::Test {
 protected:
  std::string Input(const TestArchive& archive) {
    return WriteTestArchive(folder_ / "in", archive);
  }
  Result<Otf2WriteCounts> Write(const std::string& input, const Otf2Retime& retime) {
    fs::create_directories(folder_ / "out");
    return WriteMetadata({.input = input, .output = out()}, retime);
  }
  std::string out() const { return folder_ / "out/new.otf2"; }
  TestFolder folder_;
};

TEST_F(MetadataWriterTest, MakesReadersSeeTheCorrectedTimes) {
  const std::string input = Input({.times = {{0, {10, 20, 30}}, {7, {5, 15, 25}}}});
  const Times wanted = {{0, {1010, 1020, 1031}}, {7, {1000, 1015, 1040}}};
  const auto counts = Write(input, From(wanted));
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->events, 6u);
  EXPECT_EQ(counts->changed, 6u);
  EXPECT_EQ(counts->locations, 2u);
  EXPECT_EQ(counts->shift_ticks, 0u);
  EXPECT_EQ(SeenTimes(out()), wanted);
  using Event = std::pair<uint64_t, uint64_t>;
  EXPECT_THAT(SeenOrder(out()),
              testing::ElementsAre(Event{7, 1000}, Event{0, 1010}, Event{7, 1015}, Event{0, 1020},
                                   Event{0, 1031}, Event{7, 1040}));
}

TEST_F(MetadataWriterTest, KeepsEverythingElse) {
  const std::string input = Input({.times = {{0, {10, 20}}, {7, {5, 15}}}});
  const auto counts = Write(input, From({{0, {11, 21}}, {7, {5, 16}}}));
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->marker_files, 1u);
  EXPECT_EQ(counts->snapshot_files, 2u);
  const std::pair<const char*, const char*> same[] = {
      {"in/traces.otf2", "out/new.otf2"},     {"in/traces.def", "out/new.def"},
      {"in/traces.marker", "out/new.marker"}, {"in/traces.0.thumb", "out/new.0.thumb"},
      {"in/traces/0.evt", "out/new/0.evt"},   {"in/traces/7.evt", "out/new/7.evt"},
      {"in/traces/0.snap", "out/new/0.snap"}};
  for (const auto& [from, to] : same) EXPECT_EQ(Bytes(folder_ / from), Bytes(folder_ / to)) << to;
  EXPECT_TRUE(fs::equivalent(folder_ / "in/traces/0.evt", folder_ / "out/new/0.evt"));
  // Nothing but the new archive: no temporary folder.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), {}), 5);
}

TEST_F(MetadataWriterTest, KeepsLocalDefinitionsAndReplacesOldClockOffsets) {
  const std::string input =
      Input({.times = {{0, {10, 20, 2000}}}, .clock_offsets = {{0, 1000}, {1000, 3000}}});
  ASSERT_EQ(SeenTimes(input)[0], (std::vector<uint64_t>{1030, 1060, 7000}));  // t + 1000 + 2 t
  ASSERT_TRUE(Write(input, From({{0, {10, 21, 2005}}})));
  EXPECT_EQ(SeenTimes(out())[0], (std::vector<uint64_t>{10, 21, 2005}));
  const auto before = Output("otf2-print -M " + input);
  const auto after = Output("otf2-print -M " + out());
  if (!before || !after) GTEST_SKIP() << "otf2-print is not installed";
  EXPECT_THAT(*after, testing::HasSubstr("MAPPING"));
  const auto mappings = [](const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("MAPPING") != std::string::npos) kept += line + "\n";
    }
    return kept;
  };
  EXPECT_EQ(mappings(*before), mappings(*after));
}

// What the format does, so that a library that does it otherwise is noticed.
TEST_F(MetadataWriterTest, ReadersIgnoreASingleClockOffset) {
  const std::string input = Input({.times = {{0, {10, 20}}}, .clock_offsets = {{0, 1000}}});
  EXPECT_EQ(SeenTimes(input), (Times{{0, {10, 20}}}));
}

TEST_F(MetadataWriterTest, ReadersFailAtTwoClockOffsetsOfOneTime) {
  const std::string input =
      Input({.times = {{0, {10, 20}}}, .clock_offsets = {{0, 1000}, {0, 1001}}});
  const auto result = Write(input, From({{0, {10, 20}}}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().file, folder_ / "in/traces/0.def");
  EXPECT_THAT(result.error().message,
              testing::HasSubstr("Multiple timer synchronization at the same time"));
}

TEST_F(MetadataWriterTest, ReadersLetTimeRunBackwardsWithoutAWarning) {
  const std::string input =
      Input({.times = {{0, {10, 20}}}, .clock_offsets = {{0, 1000}, {100, 800}}});
  EXPECT_EQ(SeenTimes(input), (Times{{0, {10 + 1000 - 20, 20 + 1000 - 40}}}));
}

TEST_F(MetadataWriterTest, ReaderClockComputesWhatTheLibraryDoes) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    fs::remove_all(folder_ / "in");
    std::mt19937_64 random(seed);
    const uint64_t step = uint64_t{1} << (2 + 4 * (random() % 10));
    TestArchive archive;
    std::vector<ClockOffset> records;
    uint64_t time = random() % step;
    for (uint64_t n = 2 + random() % 20; n > 0; --n) {
      const auto offset = static_cast<int64_t>(random() % step);
      archive.clock_offsets.push_back({time, offset + static_cast<int64_t>(20 * step)});
      records.push_back({static_cast<int64_t>(time), archive.clock_offsets.back().second});
      time += 1 + random() % step;
    }
    for (uint64_t t = 0; t < time + 2 * step; t += 1 + random() % (1 + step / 16)) {
      archive.times[7].push_back(t);
    }
    std::vector<uint64_t> computed;
    ReaderClock clock(records);
    for (const uint64_t t : archive.times[7]) {
      computed.push_back(static_cast<uint64_t>(clock(static_cast<int64_t>(t))));
    }
    EXPECT_EQ(SeenTimes(Input(archive))[7], computed) << "seed " << seed;
  }
}

TEST_F(MetadataWriterTest, WidensClockPropertiesThatDoNotEncloseTheTimes) {
  struct Case {
    otf2_write::ClockProperties before;
    std::vector<uint64_t> wanted;
    otf2_write::ClockProperties after;
  };
  const uint64_t ns = 1'000'000'000;
  const Case cases[] = {
      {{ns, 0, 100, 77}, {0, 100}, {ns, 0, 100, 77}},
      {{ns, 0, 100, 77}, {5, 101}, {ns, 0, 102, 77}},
      // The realtime is that of the global offset: 10 ns earlier.
      {{ns, 20, 1000, 77}, {10, 30}, {ns, 10, 21, 67}},
      {{ns, 20, 1000, UINT64_MAX}, {10, 30}, {ns, 10, 21, UINT64_MAX}},
  };
  for (const Case& c : cases) {
    fs::remove_all(folder_ / "in");
    fs::remove_all(folder_ / "out");
    const std::string input = Input({.times = {{0, {20, 40}}},
                                     .resolution = c.before.resolution,
                                     .global_offset = c.before.global_offset,
                                     .length = c.before.length,
                                     .realtime = c.before.realtime});
    ASSERT_TRUE(Write(input, From({{0, c.wanted}})));
    EXPECT_EQ(ClockOf(out()), c.after);
    EXPECT_EQ(SeenTimes(out())[0], c.wanted);
  }
}

TEST_F(MetadataWriterTest, MovesAllTimesTogetherWhereSomeWouldBeNegative) {
  const std::string input = Input({.times = {{0, {10, 20}}, {7, {10, 20}}}, .realtime = 5000});
  const auto counts = Write(input, [](uint64_t location, uint64_t /*index*/, LocalTime recorded) {
    return GlobalTime{recorded.ticks - (location == 7 ? 110 : 0)};
  });
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->shift_ticks, 100u);
  EXPECT_EQ(SeenTimes(out()), (Times{{0, {110, 120}}, {7, {0, 10}}}));
  // What was 0 is 100 now, so 0 is 100 ns earlier.
  EXPECT_EQ(ClockOf(out()), (otf2_write::ClockProperties{1'000'000'000, 0, 121, 4900}));
}

TEST_F(MetadataWriterTest, WritesTheNearestTickOfACoarseTimer) {
  const std::string input = Input({.times = {{0, {10, 20}}}, .resolution = 1'000'000});
  ASSERT_TRUE(Write(input, From({{0, {11'400, 21'600}}})));  // ns
  EXPECT_EQ(SeenTimes(out())[0], (std::vector<uint64_t>{11, 22}));
}

TEST_F(MetadataWriterTest, CountsTimesFromTheClocksOrigin) {
  const std::string input = Input({.times = {{0, {10, 20}}}, .resolution = 10'000'000});
  fs::create_directories(folder_ / "out");
  // Tick 0 is 500 ticks, 50 µs, after the epoch.
  ASSERT_TRUE(WriteMetadata({.input = input, .output = out(), .offset_ticks = 500},
                            From({{0, {51'100, 52'200}}})));
  EXPECT_EQ(SeenTimes(out())[0], (std::vector<uint64_t>{11, 22}));
}

TEST_F(MetadataWriterTest, WritesNothingWhenEventsOfOneTimeMustBeMovedApart) {
  const std::string input = Input({.times = {{7, {10, 20, 20, 30}}}});
  const auto counts = Write(input, From({{7, {10, 20, 21, 30}}}));
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->inexpressible, 1u);
  EXPECT_EQ(counts->first_inexpressible, "event 2 of location 7");
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
  EXPECT_EQ(Write(input, From({{7, {10, 21, 21, 30}}}))->inexpressible, 0u);
}

TEST_F(MetadataWriterTest, LeavesLocationsWithoutEventsAlone) {
  const std::string input = Input({.times = {{0, {10, 20}}, {7, {}}}});
  const auto counts = Write(input, From({{0, {12, 20}}}));
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(SeenTimes(out())[0], (std::vector<uint64_t>{12, 20}));
}

TEST_F(MetadataWriterTest, GivesBackRandomTimesOfManyEventsExactly) {
  const uint64_t seed = 20240713;
  std::mt19937_64 random(seed);
  Times recorded;
  Times wanted;
  uint64_t time = 1'700'000'000'000'000'000;
  uint64_t corrected = time + 123'456'789;
  for (int i = 0; i < 100'000; ++i) {
    recorded[7].push_back(time += 1 + random() % 1000);
    wanted[7].push_back(corrected += random() % 1000);
  }
  const std::string input = Input({.times = recorded});
  const auto counts = Write(input, From(wanted));
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(SeenTimes(out()), wanted) << "seed " << seed;
  EXPECT_EQ(SeenOrder(out()).size(), 100'000u);
}

class TimesInMemory : public Otf2TimeSource {
 public:
  TimesInMemory(const Times& recorded, const Times& wanted)
      : recorded_(recorded), wanted_(wanted) {}
  Otf2LocationTimes Recorded(uint64_t location) const override {
    return {.times = recorded_.at(location), .flushes = {}};
  }
  void Correct(uint64_t location, uint64_t first, std::span<const LocalTime> recorded,
               std::span<GlobalTime> corrected) override {
    for (size_t i = 0; i < recorded.size(); ++i) {
      EXPECT_EQ(static_cast<uint64_t>(recorded[i].ticks), recorded_.at(location)[first + i]);
      corrected[i] = {static_cast<int64_t>(wanted_.at(location)[first + i])};
    }
  }

 private:
  const Times& recorded_;
  const Times& wanted_;
};

TEST_F(MetadataWriterTest, TimesInMemoryGiveTheSameArchiveAsTimesThatAreRead) {
  const uint64_t seed = 20261121;
  std::mt19937_64 random(seed);
  Times recorded;
  Times wanted;
  for (uint64_t location = 0; location < 7; ++location) {
    uint64_t time = 1'000'000;
    for (int i = 0; i < 3000; ++i) {
      recorded[location].push_back(time += 1 + random() % 1000);
      wanted[location].push_back(time + time / 20'000 + (i < 1000 ? 0 : time / 30'000));
    }
  }
  const std::string input = Input({.times = recorded});
  const auto read = Write(input, From(wanted));
  ASSERT_TRUE(read) << read.error().ToString();
  fs::create_directories(folder_ / "out2");
  TimesInMemory times(recorded, wanted);
  const auto kept =
      Finished(PrepareOtf2Metadata({.input = input, .output = folder_ / "out2/new.otf2"}, times));
  ASSERT_TRUE(kept) << kept.error().ToString();
  EXPECT_EQ(kept->events, read->events);
  EXPECT_EQ(kept->changed, read->changed);
  EXPECT_EQ(kept->clock_offsets, read->clock_offsets);
  for (uint64_t location = 0; location < 7; ++location) {
    const std::string file = "new/" + std::to_string(location) + ".def";
    EXPECT_EQ(Bytes(folder_ / "out/" + file), Bytes(folder_ / "out2/" + file)) << "seed " << seed;
  }
  EXPECT_EQ(SeenTimes(folder_ / "out2/new.otf2"), wanted);
}

TEST_F(MetadataWriterTest, ReplacesOnlyWhenAsked) {
  const std::string input = Input({.times = {{0, {10, 20}}}});
  const Times first = {{0, {11, 20}}};
  const Times second = {{0, {12, 20}}};
  ASSERT_TRUE(Write(input, From(first)));
  const auto again = Write(input, From(second));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().ToString(), out() + ": already exists (--force replaces it)");
  EXPECT_EQ(SeenTimes(out()), first);
  ASSERT_TRUE(WriteMetadata({.input = input, .output = out(), .if_exists = IfExists::kReplace},
                            From(second)));
  EXPECT_EQ(SeenTimes(out()), second);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), {}), 5);
}

TEST_F(MetadataWriterTest, LeavesOutWhatOthersKeepThereAndIsReplacedAgain) {
  const std::string input = Input({.times = {{0, {10, 20}}}});
  std::ofstream(folder_ / "in/traces/notes.txt") << "mine";
  fs::create_directories(folder_ / "out");
  for (int run = 0; run < 2; ++run) {
    const auto written = WriteMetadata(
        {.input = input, .output = out(), .if_exists = IfExists::kReplace}, From({{0, {11, 20}}}));
    ASSERT_TRUE(written) << written.error().ToString();
    EXPECT_FALSE(fs::exists(folder_ / "out/new/notes.txt"));
  }
}

TEST_F(MetadataWriterTest, RefusesWhatItCannotDo) {
  const std::string input = Input({.times = {{0, {10, 20}}}});
  const Times times = {{0, {10, 20}}};
  struct Case {
    std::string input;
    std::string output;
    std::string error;
  };
  const Case cases[] = {
      {folder_ / "none.otf2", out(), folder_ / "none.otf2: there is no such file"},
      {folder_ / "in", out(),
       folder_ / "in: is not the anchor file of an OTF2 archive (NAME.otf2)"},
      {input, input, input + ": is an input, and inputs are never overwritten"},
      {input, folder_ / "in/../in/traces.otf2",
       folder_ / "in/../in/traces.otf2: is an input, and inputs are never overwritten"},
      {input, folder_ / "none/a.otf2",
       folder_ / "none/a.otf2: there is no folder " + folder_.path() + "/none"},
      {input, folder_ / "out/a.txt",
       folder_ / "out/a.txt: the name of an OTF2 archive must end in .otf2"},
  };
  fs::create_directories(folder_ / "out");
  for (const Case& c : cases) {
    const auto result = WriteMetadata(
        {.input = c.input, .output = c.output, .if_exists = IfExists::kReplace}, From(times));
    ASSERT_FALSE(result) << c.error;
    EXPECT_EQ(result.error().ToString(), c.error);
  }
  EXPECT_EQ(SeenTimes(input), times);
}

TEST_F(MetadataWriterTest, NamesTheFileThatIsMissingOrBroken) {
  for (const char* missing : {"traces.def", "traces/0.def", "traces/0.evt"}) {
    fs::remove_all(folder_ / "in");
    const std::string input = Input({.times = {{0, {10, 20}}}});
    fs::remove(folder_ / "in" + "/" + missing);
    const auto result = Write(input, From({{0, {10, 20}}}));
    ASSERT_FALSE(result) << missing;
    EXPECT_EQ(result.error().ToString(),
              folder_ / "in" + "/" + missing + ": there is no such file");
  }
  for (const char* broken : {"traces.otf2", "traces.def"}) {
    fs::remove_all(folder_ / "in");
    const std::string input = Input({.times = {{0, {10, 20}}}});
    std::ofstream(folder_ / "in" + "/" + broken, std::ios::binary) << "garbage";
    const auto result = Write(input, From({{0, {10, 20}}}));
    ASSERT_FALSE(result) << broken;
    EXPECT_EQ(result.error().file, folder_ / "in" + "/" + broken);
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "out"));
}

TEST_F(MetadataWriterTest, RefusesTimesThatOtf2CannotHold) {
  const std::string input = Input({.times = {{0, {10, 20}}}});
  const auto result = Write(input, From({{0, {10, INT64_MAX}}}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
}

// The real archive that eztrace recorded, with the true correction of every clock.
class HaloTest : public MetadataWriterTest {
 protected:
  HaloTest() {
    if (!fs::exists(input_)) return;
    const int64_t last = 30'000'000'000;
    const std::pair<int64_t, int64_t> true_times[] = {{39'337'288, 30'039'337'287},
                                                      {1'116'945, 29'999'617'019},
                                                      {1'000'001, 30'003'100'147},
                                                      {1'194'660, 29'997'595'091}};
    for (const auto& [at_first, at_last] : true_times) {
      corrections_.push_back(
          Correction::FromKnots({{LocalTime{1}, {at_first}}, {LocalTime{last}, {at_last}}})
              .value());
    }
  }
  GlobalTime Corrected(uint64_t location, LocalTime recorded) const {
    return corrections_[location / 536'870'911](recorded);
  }
  const std::string input_ = std::string(SYNCLINE_DATA_DIR) + "/otf2/halo/eztrace_log.otf2";
  std::vector<Correction> corrections_;
};

TEST_F(HaloTest, NoMessageIsInvertedAfterTheTrueCorrection) {
  if (corrections_.empty()) GTEST_SKIP() << "no " << input_;
  Times wanted;
  const auto counts = Write(input_, [&](uint64_t location, uint64_t /*index*/, LocalTime recorded) {
    const GlobalTime time = Corrected(location, recorded);
    wanted[location].push_back(static_cast<uint64_t>(time.ns));
    return time;
  });
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->events, 141'816u);
  EXPECT_EQ(counts->inexpressible, 0u);
  EXPECT_LE(counts->clock_offsets, 50u * 4);
  RecordProperty("clock_offsets", static_cast<int>(counts->clock_offsets));
  EXPECT_EQ(SeenTimes(out()), wanted);
  const auto before = otf2_test::CountMessages(input_);
  const auto after = otf2_test::CountMessages(out());
  EXPECT_EQ(before.messages, 20'000u);
  EXPECT_EQ(before.inverted, 7'134u);
  EXPECT_EQ(after.messages, 20'000u);
  EXPECT_EQ(after.inverted, 0u);
  for (const auto& [location, times] : wanted) {
    const std::string file = std::to_string(location) + ".evt";
    EXPECT_TRUE(fs::equivalent(folder_ / "out/new" + "/" + file,
                               fs::path(input_).replace_extension("") / file) ||
                Bytes(folder_ / "out/new" + "/" + file) ==
                    Bytes(fs::path(input_).replace_extension("") / file));
  }
}

TEST_F(HaloTest, IsPrintedInCorrectedOrder) {
  if (corrections_.empty()) GTEST_SKIP() << "no " << input_;
  ASSERT_TRUE(Write(input_, [&](uint64_t location, uint64_t, LocalTime recorded) {
    return Corrected(location, recorded);
  }));
  const auto text = Output("otf2-print " + out());
  if (!text) GTEST_SKIP() << "otf2-print is not installed";
  std::istringstream lines(*text);
  std::vector<std::pair<uint64_t, uint64_t>> printed;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    uint64_t location = 0;
    uint64_t time = 0;
    if (words >> kind >> location >> time) printed.push_back({location, time});
  }
  EXPECT_EQ(printed, SeenOrder(out()));
  EXPECT_EQ(printed.size(), 141'816u);
  EXPECT_TRUE(std::is_sorted(printed.begin(), printed.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
}

}  // namespace
}  // namespace syncline
