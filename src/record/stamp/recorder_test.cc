#include "record/stamp/recorder.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "syncline/stamp.h"

#include "read/text/text_reader.h"
#include "record/counter/testing/simulated_time.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() : folder_(fs::path(testing::TempDir()) / ("stamp-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~RecorderTest() override { fs::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }

  static RecorderOptions Options() {
    RecorderOptions options;
    options.clock = "clock";
    options.process = "main";
    options.events_per_thread = 1024;
    return options;
  }

  fs::path folder_;
};

std::vector<Event> EventsOf(const std::string& path) {
  auto reader = TextReader::Open(path);
  EXPECT_TRUE(reader.has_value());
  std::vector<Event> events;
  while (const Event* event = reader->Next()) events.push_back(*event);
  EXPECT_FALSE(reader->error()) << reader->error()->ToString();
  return events;
}

int StatusOf(const StampResult<void>& result) { return result ? 0 : result.error().status; }

TEST_F(RecorderTest, StampsAreWrittenAsTheSystemClockAndTheCounterSay) {
  SimulatedCounter model;
  model.interruption_share = 0;
  SimulatedTime time(model, 1);
  Recorder recorder(&time);
  ASSERT_TRUE(recorder.Start(Options()));
  const int32_t work = *recorder.Name("work");
  const int32_t peer = *recorder.Peer("other", "elsewhere");
  std::vector<int64_t> truth;
  const auto stamp = [&](StampKind kind, int32_t subject, uint64_t message, uint64_t bytes) {
    time.Let(1'000'000);
    EXPECT_EQ(AddStamp(kind, subject, message, bytes), SYNCLINE_STAMP_OK);
    truth.push_back(model.system_at_start_ns + time.true_ns());
  };
  stamp(StampKind::kEnter, work, 0, 0);
  stamp(StampKind::kSend, peer, 18'446'744'073'709'551'615U, 100);
  stamp(StampKind::kBlock, 0, 0, 0);
  stamp(StampKind::kReceive, peer, 7, 0);
  stamp(StampKind::kLeave, work, 0, 0);
  stamp(StampKind::kMark, work, 0, 0);
  ASSERT_TRUE(recorder.Stop());
  ASSERT_TRUE(recorder.Write(Path("a.txt"), IfExists::kFail));

  const std::string text = *ReadWholeFile(Path("a.txt"));
  EXPECT_THAT(text, HasSubstr("\nclock clock 1000000000\nclock elsewhere 1000000000\n"
                              "process main clock\nprocess other elsewhere\n"));
  EXPECT_THAT(text, HasSubstr(" main send other 18446744073709551615 100\n"));
  EXPECT_THAT(text, HasSubstr(" main recv other 7\n"));
  const std::vector<Event> events = EventsOf(Path("a.txt"));
  ASSERT_EQ(events.size(), truth.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    // The anchor is 80 ns wide at most, and the frequency known to 1 ppm over 6 ms.
    EXPECT_NEAR(static_cast<double>(events[i].time.ticks - truth[i]), 0, 80 + 6) << i;
  }
  EXPECT_EQ(events[2].kind, EventKind::kBlock);
}

TEST_F(RecorderTest, FrequencyOfSimulatedCountersIsWithinTheReportedBounds) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    SimulatedCounter model;
    model.hz = std::uniform_real_distribution<double>(10e6, 5e9)(random);
    model.step_ticks = static_cast<int64_t>(1 + random() % 3);
    SimulatedTime time(model, seed);
    Recorder recorder(&time);
    RecorderOptions options = Options();
    options.patience = {.wanted_bound_ppb = 1000, .max_wait_ns = 10'000'000'000};
    ASSERT_TRUE(recorder.Start(options));
    ASSERT_TRUE(recorder.Stop());
    const auto f = recorder.FrequencySoFar();
    ASSERT_TRUE(f.has_value());
    EXPECT_LE(static_cast<double>(f->low_hz), model.hz);
    EXPECT_GE(static_cast<double>(f->high_hz), model.hz);
    EXPECT_LE(f->BoundPpb(), 1000);
  }
}

TEST_F(RecorderTest, ReadingsOnTheSystemClockAreWithinTheirBound) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SimulatedCounter model;
    SimulatedTime time(model, seed);
    Recorder recorder(&time);
    ASSERT_TRUE(recorder.Start(Options()));
    const auto anchor = recorder.AnchorNow();
    ASSERT_TRUE(anchor.has_value());
    time.Let(static_cast<int64_t>(seed) * 10'000);
    const int64_t ticks = OwnThreadLog()->ReadTicks();
    const SystemReading reading = OnSystemClock(*anchor, ticks);
    EXPECT_NEAR(static_cast<double>(reading.ns - model.system_at_start_ns - time.true_ns()), 0,
                static_cast<double>(reading.bound_ns));
    // At most 80 ns wide, 500 ppm of a millisecond, and the rough frequency.
    EXPECT_LE(reading.bound_ns, 80 + (500 + 1000) * (static_cast<int64_t>(seed) / 100 + 1) + 150);
  }
}

TEST_F(RecorderTest, FullBufferIsSaidToTheCallerCountedAndWrittenDown) {
  struct Case {
    WhenFull when_full;
    int status_when_full;
    const char* first_kept;
    const char* comment;
  };
  for (const Case& c : {Case{WhenFull::kKeepOldest, SYNCLINE_STAMP_FULL, "m0",
                             "# main lost 6 newest events: its buffer was full\n"},
                        Case{WhenFull::kKeepNewest, SYNCLINE_STAMP_OK, "m6",
                             "# main lost 6 oldest events: its buffer was full\n"}}) {
    SimulatedTime time({}, 1);
    Recorder recorder(&time);
    RecorderOptions options = Options();
    options.events_per_thread = 4;
    options.when_full = c.when_full;
    ASSERT_TRUE(recorder.Start(options));
    for (int i = 0; i < 10; ++i) {
      const int32_t name = *recorder.Name("m" + std::to_string(i));
      EXPECT_EQ(AddStamp(StampKind::kMark, name), i < 4 ? SYNCLINE_STAMP_OK : c.status_when_full);
    }
    ASSERT_TRUE(recorder.Stop());
    EXPECT_EQ(recorder.Counts().kept, 4);
    EXPECT_EQ(recorder.Counts().refused + recorder.Counts().overwritten, 10 - 4);
    ASSERT_TRUE(recorder.Write(Path("full.txt"), IfExists::kReplace));
    const std::string text = *ReadWholeFile(Path("full.txt"));
    EXPECT_THAT(text, HasSubstr(c.comment));
    EXPECT_THAT(text, HasSubstr(std::string(" mark ") + c.first_kept + "\n"));
    EXPECT_EQ(EventsOf(Path("full.txt")).size(), 4);
  }
}

TEST_F(RecorderTest, EndedThreadsKeepTheirEventsAndBuffersAreUsedAgain) {
  SimulatedTime time({}, 1);
  const auto record = [&](const std::string& path) {
    Recorder recorder(&time);
    EXPECT_TRUE(recorder.Start(Options()));
    const int32_t name = *recorder.Name("x");
    std::vector<const ThreadLog*> logs = {OwnThreadLog()};
    for (const char* thread : {"one", "two"}) {
      std::jthread([&] {
        EXPECT_TRUE(recorder.RegisterThread(thread));
        EXPECT_EQ(AddStamp(StampKind::kMark, name), SYNCLINE_STAMP_OK);
        logs.push_back(OwnThreadLog());
      }).join();
    }
    EXPECT_TRUE(recorder.Stop());
    EXPECT_TRUE(recorder.Write(path, IfExists::kReplace));
    EXPECT_TRUE(recorder.Discard());
    return logs;
  };
  const auto first = record(Path("a.txt"));
  EXPECT_EQ(EventsOf(Path("a.txt")).size(), 2);
  EXPECT_THAT(record(Path("a.txt")), testing::UnorderedElementsAreArray(first));
}

TEST_F(RecorderTest, WritingWhileOtherThreadsStampGivesACompleteTraceOfWhatWasThere) {
  for (const WhenFull when_full : {WhenFull::kKeepOldest, WhenFull::kKeepNewest}) {
    Recorder recorder;
    RecorderOptions options = Options();
    options.when_full = when_full;
    ASSERT_TRUE(recorder.Start(options));
    const int32_t enter = *recorder.Name("work");
    std::atomic<bool> is_done = false;
    std::jthread worker([&] {
      EXPECT_TRUE(recorder.RegisterThread("worker"));
      while (!is_done) {
        AddStamp(StampKind::kEnter, enter);
        AddStamp(StampKind::kLeave, enter);
      }
    });
    while (recorder.Counts().kept < 500) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) {
      const auto written = recorder.Write(Path("running.txt"), IfExists::kReplace);
      EXPECT_TRUE(written.has_value());
      const std::vector<Event> events = EventsOf(Path("running.txt"));
      EXPECT_TRUE(std::is_sorted(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.time.ticks < b.time.ticks;
      }));
      for (size_t k = 1; k < events.size(); ++k) EXPECT_NE(events[k].kind, events[k - 1].kind);
    }
    is_done = true;
    worker.join();
    EXPECT_TRUE(recorder.Stop());
  }
}

TEST_F(RecorderTest, WrongUseIsRefusedByNameAndChangesNothing) {
  SimulatedTime time({}, 1);
  Recorder recorder(&time);
  EXPECT_EQ(StatusOf(recorder.Stop()), SYNCLINE_STAMP_NOT_STARTED);
  EXPECT_EQ(StatusOf(recorder.Write(Path("x"), IfExists::kFail)), SYNCLINE_STAMP_NOT_STARTED);
  EXPECT_EQ(StatusOf(recorder.Discard()), SYNCLINE_STAMP_NOT_STARTED);
  EXPECT_EQ(recorder.Name("x").error().status, SYNCLINE_STAMP_NOT_STARTED);
  EXPECT_EQ(recorder.Peer("x", "y").error().status, SYNCLINE_STAMP_NOT_STARTED);
  RecorderOptions none = Options();
  none.events_per_thread = 0;
  EXPECT_EQ(StatusOf(recorder.Start(none)), SYNCLINE_STAMP_BAD_OPTION);

  ASSERT_TRUE(recorder.Start(Options()));
  EXPECT_EQ(StatusOf(recorder.Start(Options())), SYNCLINE_STAMP_ALREADY_STARTED);
  EXPECT_EQ(StatusOf(recorder.RegisterThread("again")), SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT_EQ(StatusOf(recorder.Discard()), SYNCLINE_STAMP_ALREADY_STARTED);
  for (const std::string& bad : {std::string(), std::string("two words"), std::string("#x"),
                                 std::string("a\nb"), std::string(256, 'x')}) {
    EXPECT_EQ(recorder.Name(bad).error().status, SYNCLINE_STAMP_BAD_NAME) << bad;
  }
  EXPECT_TRUE(recorder.Name(std::string(255, 'x')));
  EXPECT_EQ(AddStamp(StampKind::kMark, 1), SYNCLINE_STAMP_BAD_NAME);
  EXPECT_EQ(AddStamp(StampKind::kMark, -6), SYNCLINE_STAMP_BAD_NAME);
  EXPECT_EQ(recorder.Counts().bad_handles, 2);

  ASSERT_TRUE(recorder.Stop());
  EXPECT_EQ(StatusOf(recorder.Stop()), SYNCLINE_STAMP_STOPPED);
  EXPECT_EQ(StatusOf(recorder.RegisterThread("late")), SYNCLINE_STAMP_STOPPED);
  EXPECT_EQ(StatusOf(recorder.Start(Options())), SYNCLINE_STAMP_ALREADY_STARTED);
  EXPECT_EQ(recorder.Counts().kept, 0);
}

TEST_F(RecorderTest, NamesOfThreadsAndPeersDoNotContradictEachOther) {
  SimulatedTime time({}, 1);
  Recorder recorder(&time);
  ASSERT_TRUE(recorder.Start(Options()));
  const int32_t peer = *recorder.Peer("far", "there");
  EXPECT_EQ(*recorder.Peer("far", "there"), peer);
  EXPECT_EQ(recorder.Peer("far", "elsewhere").error().status, SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT_EQ(recorder.Peer("main", "there").error().status, SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT_TRUE(recorder.Peer("main", std::nullopt));
  int as_peer = 0;
  int as_main = 0;
  int unnamed = -1;
  std::jthread([&] {
    as_peer = StatusOf(recorder.RegisterThread("far"));
    as_main = StatusOf(recorder.RegisterThread("main"));
    unnamed = StatusOf(recorder.RegisterThread(std::nullopt));
  }).join();
  EXPECT_EQ(as_peer, SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT_EQ(as_main, SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT_EQ(unnamed, 0);
  ASSERT_TRUE(recorder.Write(Path("names.txt"), IfExists::kFail));
  EXPECT_THAT(*ReadWholeFile(Path("names.txt")),
              HasSubstr("process main clock\nprocess main.2 clock\nprocess far there\n"));
}

TEST_F(RecorderTest, FullDiskIsAnErrorAndLeavesNothingUnderTheName) {
  SimulatedTime time({}, 1);
  Recorder recorder(&time);
  ASSERT_TRUE(recorder.Start(Options()));
  const auto to_device = recorder.Write("/dev/full", IfExists::kReplace);
  ASSERT_FALSE(to_device.has_value());
  EXPECT_EQ(to_device.error().status, SYNCLINE_STAMP_CANNOT_WRITE);
  EXPECT_THAT(to_device.error().reason, HasSubstr("/dev/full"));

  ASSERT_TRUE(recorder.Write(Path("kept.txt"), IfExists::kFail));
  const std::string before = *ReadWholeFile(Path("kept.txt"));
  const auto again = recorder.Write(Path("kept.txt"), IfExists::kFail);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().reason, HasSubstr("already exists"));
  EXPECT_EQ(*ReadWholeFile(Path("kept.txt")), before);
  EXPECT_EQ(StatusOf(recorder.Write(Path("no/such/folder"), IfExists::kFail)),
            SYNCLINE_STAMP_CANNOT_WRITE);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace syncline
