// What Babeltrace's own program reads from the traces that are written.
#include "write/ctf/trace_writer.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "write/ctf/testing/test_trace.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using namespace ctf_write;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;
using testing::HasSubstr;

// Clocks of the given frequency and origin; every time becomes `later_ns` later.
class Shift : public CtfRetimer {
 public:
  Shift(const TestClock& clock, int64_t later_ns) : clock_(clock), later_ns_(later_ns) {}
  void BeginStream(std::string_view file) override {
    files.push_back(fs::path(file).filename().string());
    next_ = 0;
  }
  void Retime(uint64_t first, std::span<const uint64_t> cycles,
              std::span<GlobalTime> corrected) override {
    EXPECT_EQ(first, next_);
    next_ += cycles.size();
    for (size_t i = 0; i < cycles.size(); ++i) corrected[i] = Plain(cycles[i]);
  }
  GlobalTime Plain(uint64_t cycles) override {
    const auto ticks = static_cast<int64_t>(cycles + clock_.offset);
    const auto per_tick = static_cast<int64_t>(1'000'000'000 / clock_.frequency);
    return {clock_.offset_s * 1'000'000'000 + ticks * per_tick + later_ns_};
  }

  std::vector<std::string> files;

 private:
  TestClock clock_;
  int64_t later_ns_;
  uint64_t next_ = 0;
};

// One line of babeltrace2's text: when, and everything else.
struct Line {
  int64_t ns = 0;
  std::string rest;
  friend bool operator==(const Line&, const Line&) = default;
};

class CtfTraceWriter : public testing::Test {
 protected:
  CtfTraceWriter() : root_(fs::path(testing::TempDir()) / "trace-writer-XXXXXX") {
    std::string name = root_.string();
    root_ = mkdtemp(name.data());
  }
  ~CtfTraceWriter() override { fs::remove_all(root_); }
  void SetUp() override {
    if (Shell("babeltrace2 --version").empty()) GTEST_SKIP() << "babeltrace2 is not installed";
  }
  std::string At(const std::string& name) const { return (root_ / name).string(); }

  static std::string Shell(const std::string& command) {
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
    return pclose(pipe) == 0 ? output : "";
  }

  // All events with all their fields, as the program shows them.
  static std::vector<Line> Read(const std::string& folder) {
    std::istringstream text(
        Shell("babeltrace2 --clock-seconds --no-delta --names=all --fields=all " + folder +
              " 2>/dev/null"));
    std::vector<Line> lines;
    for (std::string line; std::getline(text, line);) {
      long long seconds = 0;
      long long ns = 0;
      int end = 0;
      if (sscanf(line.c_str(), "timestamp = %lld.%lld,%n", &seconds, &ns, &end) < 2) continue;
      lines.push_back({seconds * 1'000'000'000 + ns, line.substr(static_cast<size_t>(end))});
    }
    return lines;
  }
  // What was discarded: "discarded 3 events", in order.
  static std::vector<std::string> ReadDiscarded(const std::string& folder) {
    std::istringstream text(Shell("babeltrace2 " + folder + " 2>&1"));
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);) {
      const size_t begin = line.find("discarded ");
      if (begin != std::string::npos) {
        found.push_back(line.substr(begin, line.find(" between", begin) - begin));
      }
    }
    return found;
  }
  Result<WrittenCtf> Write(CtfRetimer& retimer) const {
    return WriteCtfTrace(At("in"), At("out"), [&]() -> CtfRetimer& {
      ++attempts_;
      return retimer;
    });
  }
  // The written trace has the same lines, all of them later.
  void ExpectLater(int64_t ns) const {
    const std::vector<Line> before = Read(At("in"));
    const std::vector<Line> after = Read(At("out"));
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(after[i].ns, before[i].ns + ns) << i;
      EXPECT_EQ(after[i].rest, before[i].rest) << i;
    }
  }

  fs::path root_;
  mutable int attempts_ = 0;
};

std::vector<TestPacket> TwoPackets(uint64_t start) {
  return {{.begin = start,
           .end = start + 900,
           .events = {{start, 0}, {start + 10, 1}, {start + 20, 2}, {start + 20, 3, false}}},
          {.begin = start + 950,
           .end = start + 2'000,
           .events = {{start + 960, 5}, {start + 1'999, 6}},
           .discarded_events = 7,
           .sequence_number = 4}};
}

TEST_F(CtfTraceWriter, KeepsEverythingButTimes) {
  const TestClock clocks[] = {
      {.offset_s = 1'795'262'587, .offset = 38'700'051},
      {.frequency = 10'000'000, .offset_s = 1'795'262'587, .offset = 5},
  };
  for (const TestClock& clock : clocks) {
    for (const bool is_big_endian : {false, true}) {
      SCOPED_TRACE(fmt::format("{} Hz, big endian {}", clock.frequency, is_big_endian));
      WriteTestTrace({.clock = clock,
                      .is_big_endian = is_big_endian,
                      .streams = {TwoPackets(1'000'000), TwoPackets(1'000'003)}},
                     At("in"));
      Shift retimer(clock, 1'234'567'891);
      const auto written = Write(retimer);
      ASSERT_TRUE(written.has_value()) << written.error().ToString();
      EXPECT_EQ(written->events, 12U);
      EXPECT_EQ(written->raised, 0U);
      EXPECT_THAT(retimer.files, testing::UnorderedElementsAre("channel_0", "channel_1"));
      ExpectLater(1'234'567'891);
      EXPECT_THAT(ReadDiscarded(At("in")),
                  ElementsAre("discarded 7 events", "discarded 3 packets", "discarded 7 events",
                              "discarded 3 packets"));
      EXPECT_EQ(ReadDiscarded(At("out")), ReadDiscarded(At("in")));
      EXPECT_TRUE(fs::exists(At("out/channel_0")) && fs::exists(At("out/channel_1")));
      fs::remove_all(At("in"));
      fs::remove_all(At("out"));
    }
  }
}

TEST_F(CtfTraceWriter, ShowsFieldsOfEveryKind) {
  WriteTestTrace({.streams = {TwoPackets(1'000'000)}}, At("in"));
  const auto lines = Read(At("in"));
  ASSERT_EQ(lines.size(), 6U);
  for (const char* text :
       {"name = all:kinds", "hostname = alpha", "loglevel = TRACE_INFO (6)", "cpu_id = 0",
        "vtid = 1001", "depth = 3", "small = -5", "0xFEDCBA9876543210", "\"green\"", "\"cold\"",
        "single = 1.5", "wide = -0.666", "text = \"text 1\"", "fixed_text = \"fixed\"",
        "three = [ [0] = 0, [1] = 1, [2] = 2 ]", "many = [ [0] = 1 ]",
        "nested = { x = 9, inner = { name = \"inner\" } }", "\"word\""}) {
    EXPECT_THAT(lines[1].rest, HasSubstr(text));
  }
}

TEST_F(CtfTraceWriter, WritesTimesBeforeTheClocksOrigin) {
  for (const uint64_t frequency : {1'000'000'000U, 1'000'000U}) {
    const TestClock clock{.frequency = frequency, .offset_s = 100, .offset = 0};
    WriteTestTrace({.clock = clock, .streams = {TwoPackets(500)}}, At("in"));
    attempts_ = 0;
    Shift retimer(clock, -3'500'000'000);
    const auto written = Write(retimer);
    ASSERT_TRUE(written.has_value()) << written.error().ToString();
    EXPECT_EQ(attempts_, 2);
    ExpectLater(-3'500'000'000);
    fs::remove_all(At("in"));
    fs::remove_all(At("out"));
  }
}

TEST_F(CtfTraceWriter, RaisesTimesThatStepBackAndCountsThem) {
  WriteTestTrace(
      {.streams = {{{.begin = 1'000,
                     .end = 1'100,
                     .events = {{1'010, 0}, {1'050, 1}, {1'020, 2}, {1'060, 3}}},
                    {.begin = 1'040, .end = 1'200, .events = {{1'055, 4}, {1'150, 5}}}}}},
      At("in"));
  Shift retimer({}, 5);
  const auto written = Write(retimer);
  ASSERT_TRUE(written.has_value()) << written.error().ToString();
  EXPECT_EQ(written->raised, 2U);
  EXPECT_EQ(written->largest_raise_ns, 1'050 - 1'020);
  std::vector<int64_t> ns;
  for (const Line& line : Read(At("out"))) ns.push_back(line.ns);
  EXPECT_THAT(ns, ElementsAre(1'015, 1'055, 1'055, 1'065, 1'065, 1'155));
}

TEST_F(CtfTraceWriter, WritesATraceWithoutEvents) {
  WriteTestTrace({}, At("in"));
  Shift retimer({}, 5);
  const auto written = Write(retimer);
  ASSERT_TRUE(written.has_value()) << written.error().ToString();
  EXPECT_EQ(written->events, 0U);
  EXPECT_TRUE(fs::exists(At("out/metadata")));
}

TEST_F(CtfTraceWriter, SaysWhatIsWrongWithATrace) {
  Shift retimer({}, 5);
  const auto missing = Write(retimer);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().file, At("in"));

  WriteTestTrace({.streams = {TwoPackets(1'000)}}, At("in"));
  fs::resize_file(At("in/channel_0"), fs::file_size(At("in/channel_0")) - 30);
  const auto truncated = Write(retimer);
  ASSERT_FALSE(truncated.has_value());
  EXPECT_EQ(truncated.error().code, ErrorCode::kMalformed);
}

TEST_F(CtfTraceWriter, SurvivesATraceThatBreaksOffWithinAPacket) {
  WriteTestTrace({.streams = {TwoPackets(1'000)}}, At("in"));
  {
    // The id of the last event of the first packet, which is plain, becomes one that there is not.
    std::fstream file(At("in/channel_0"), std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const size_t second = bytes.find("\xc1\x1f\xfc\xc1", 4);
    file.seekp(static_cast<std::streamoff>(second - 20));
    file.put('\x07');
  }
  Shift retimer({}, 5);
  const auto written = Write(retimer);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(written.error().message, HasSubstr("event class"));
}

TEST_F(CtfTraceWriter, WritesARecordedTrace) {
  const std::string folder = std::string(SYNCLINE_DATA_DIR) + "/lttng/rates/hostB/ust/uid/0/64-bit";
  if (!fs::exists(folder)) GTEST_SKIP() << "no recorded traces";
  fs::create_directory_symlink(folder, At("in"));
  Shift retimer({.offset = 75}, -1'701'000'123);
  const auto written = Write(retimer);
  ASSERT_TRUE(written.has_value()) << written.error().ToString();
  EXPECT_GT(written->events, 1'000U);
  ExpectLater(-1'701'000'123);
}

}  // namespace
}  // namespace syncline
