#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syncline/syncline.h"

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

std::vector<InputSpec> Captures() {
  const std::string folder = std::string(SYNCLINE_SOURCE_DIR) + "/examples/captures/";
  return {{folder + "a.pcap", ""}, {folder + "b.pcap", ""}, {folder + "c.pcap", "third"}};
}

class LibraryTest : public testing::Test {
 protected:
  LibraryTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("library_") + info->name());
    std::filesystem::remove_all(folder_);
  }
  ~LibraryTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// Hosts A and B that exchange a message each way every second; B's readings by `b_of`.
template <typename ReadingOfB>
std::vector<Message> Exchanges(int64_t count, int64_t delay_ns, ReadingOfB b_of) {
  std::vector<Message> messages;
  for (int64_t i = 0; i < count; ++i) {
    const auto event = static_cast<uint64_t>(2 * i);
    const int64_t at = i * kSecond;
    messages.push_back({{ProcessId(0), event, {at}}, {ProcessId(1), event, {b_of(at + delay_ns)}}});
    messages.push_back({{ProcessId(1), event + 1, {b_of(at + 2 * delay_ns)}},
                        {ProcessId(0), event + 1, {at + 3 * delay_ns}}});
  }
  return messages;
}

TraceSet TwoHosts() {
  TraceSet set;
  set.clocks = {{.name = "A"}, {.name = "B"}};
  set.processes = {{"A", "", ClockId(0)}, {"B", "", ClockId(1)}};
  return set;
}

TEST_F(LibraryTest, CorrectsCapturesAndWritesThem) {
  const auto traces = Load(Captures());
  ASSERT_TRUE(traces) << traces.error().ToString();
  EXPECT_EQ(traces->clocks()[2].name, "third");
  EXPECT_EQ(traces->FindClock("third"), ClockId(2));
  EXPECT_EQ(traces->FindClock("c"), std::nullopt);
  uint64_t messages = 0;
  ASSERT_TRUE(traces->ForEachMessage([&](const Message&) { ++messages; }));
  EXPECT_EQ(messages, traces->messages());
  const auto estimate = EstimateClocks(*traces, {.reference = "a"});
  ASSERT_TRUE(estimate) << estimate.error().ToString();
  EXPECT_EQ(estimate->reference(), ClockId(0));
  const auto corrected = Correct(*traces, *estimate);
  ASSERT_TRUE(corrected) << corrected.error().ToString();
  EXPECT_GT(corrected->messages().inverted_before, 0U);
  EXPECT_EQ(corrected->messages().inverted_after, 0U);
  EXPECT_EQ(corrected->messages().total, messages);
  EXPECT_THAT(corrected->ToJson(), HasSubstr("\"inverted_after\": 0"));
  const auto written = Write(*corrected, {.folder = folder_.string()});
  ASSERT_TRUE(written) << written.error().ToString();
  EXPECT_EQ(written->files.size(), 4U);
  for (const std::string& file : written->files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_THAT(written->summary_json, HasSubstr("\"inverted_after\": 0"));
  // What was written is there; it stays.
  const auto again = Write(*corrected, {.folder = folder_.string()});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
}

TEST_F(LibraryTest, BoundsHoldBetweenWhatMessagesLeave) {
  const auto traces = Load(Captures());
  ASSERT_TRUE(traces);
  const auto estimate = EstimateClocks(*traces);
  ASSERT_TRUE(estimate);
  uint64_t events = 0;
  ASSERT_TRUE(traces->ForEachEvent([&](const Event& event, uint64_t index, std::string_view name) {
    ++events;
    EXPECT_FALSE(name.empty());
    const EventRef place{event.process, index, event.time};
    const Interval between = estimate->Bounds(place);
    ASSERT_TRUE(between.earliest && between.latest);
    EXPECT_LE(*between.earliest, estimate->Correct(place));
    EXPECT_GE(*between.latest, estimate->Correct(place));
  }));
  EXPECT_EQ(events, traces->events());
}

// By hand: B is 1 s ahead, delays 150 µs, so that the offset is known to ±150 µs.
TEST_F(LibraryTest, TakesMessagesInMemory) {
  const auto messages = Exchanges(10, 150'000, [](int64_t t) { return t + kSecond; });
  const auto estimate = EstimateClocks(TwoHosts(), messages, {.reference = "A"});
  ASSERT_TRUE(estimate) << estimate.error().ToString();
  EXPECT_EQ(estimate->clocks()[1].offset_ns, kSecond);
  EXPECT_EQ(estimate->Correct(ClockId(1), {5 * kSecond}).ns, 4 * kSecond);
  const Interval between = estimate->Bounds(ClockId(1), {5 * kSecond + 150'000});
  EXPECT_LE(between.earliest->ns, 4 * kSecond + 150'000);
  EXPECT_GE(between.latest->ns, 4 * kSecond + 150'000);
  EXPECT_LE((*between.latest - *between.earliest).ns, 2 * 150'000 + 1'000);
  const std::vector<LocalTime> readings = {{5 * kSecond}, {6 * kSecond}};
  std::vector<GlobalTime> times(2);
  estimate->Correct(ClockId(1), readings, times);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(times[i], estimate->Correct(ClockId(1), readings[i]));
    EXPECT_NEAR(static_cast<double>(times[i].ns), static_cast<double>((4 + i) * kSecond), 1);
  }
}

TEST_F(LibraryTest, BoundsManyReadingsAsItDoesEach) {
  const auto traces = Load(Captures());
  ASSERT_TRUE(traces);
  const auto estimate = EstimateClocks(*traces, {.reference = "a"});
  ASSERT_TRUE(estimate);
  const int64_t first = estimate->CorrectionOf(ClockId(1)).knots().front().local.ticks;
  std::vector<LocalTime> readings;
  for (int64_t i = -5; i < 70; ++i) readings.push_back({first + i * kSecond});
  std::vector<GlobalTime> earliest(readings.size());
  std::vector<GlobalTime> latest(readings.size());
  estimate->Bounds(ClockId(1), readings, earliest, latest);
  for (size_t i = 0; i < readings.size(); ++i) {
    const Interval each = estimate->Bounds(ClockId(1), readings[i]);
    EXPECT_EQ(earliest[i], each.earliest);
    EXPECT_EQ(latest[i], each.latest);
  }
  // A clock that only receives: nothing tells how late it may have been.
  const auto one_way = Exchanges(10, 150'000, [](int64_t t) { return t; });
  std::vector<Message> sent;
  for (size_t i = 0; i < one_way.size(); i += 2) sent.push_back(one_way[i]);
  const auto half = EstimateClocks(TwoHosts(), sent, {.reference = "A"});
  ASSERT_TRUE(half) << half.error().ToString();
  half->Bounds(ClockId(1), std::vector<LocalTime>{{kSecond}}, earliest, latest);
  EXPECT_GT(earliest[0], kOpenBefore);
  EXPECT_EQ(latest[0], kOpenAfter);
}

// What runs out, also in a thread that reads, is told as other failures are.
TEST_F(LibraryTest, WhatTheSystemRefusesIsAnError) {
  const auto refused = [](const std::string&, double) -> bool { throw std::bad_alloc(); };
  const auto traces = Load(Captures(), {.progress = refused});
  ASSERT_FALSE(traces);
  EXPECT_EQ(traces.error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(traces.error().ToString(), "no memory is left");
  const auto loaded = Load(Captures());
  ASSERT_TRUE(loaded);
  const auto refuse = [](const Message&) { throw std::bad_alloc(); };
  EXPECT_EQ(loaded->ForEachMessage(refuse).error().code, ErrorCode::kUnreadable);
  const auto fail = [](const Message&) { throw std::runtime_error("of the caller"); };
  EXPECT_THROW((void)loaded->ForEachMessage(fail), std::runtime_error);
}

TEST_F(LibraryTest, ComparesMethods) {
  const auto traces = Load(Captures());
  ASSERT_TRUE(traces);
  const auto compared = Compare(*traces, {.reference = "a"}, "joint,drift-bounded");
  ASSERT_TRUE(compared) << compared.error().ToString();
  EXPECT_THAT(compared->json, HasSubstr("\"name\": \"drift-bounded\""));
  EXPECT_THAT(compared->text, HasSubstr("joint"));
  EXPECT_TRUE(compared->holds);
  EXPECT_EQ(Compare(*traces, {}, "no-such").error().code, ErrorCode::kUsage);
  EXPECT_EQ(Compare(*traces, {.reference = "nobody"}).error().code, ErrorCode::kUsage);
  const auto never = [](const std::string&, double) { return false; };
  EXPECT_EQ(Compare(*traces, {}, "all", never).error().code, ErrorCode::kCancelled);
}

TEST_F(LibraryTest, FindsThatAClockWasSetBackByItsReadings) {
  const auto messages = Exchanges(60, 150'000, [](int64_t t) {
    return t < 30 * kSecond ? t + 10 * kSecond : t - 10 * kSecond;
  });
  const auto traces = FromMessages(TwoHosts(), messages);
  ASSERT_TRUE(traces);
  const auto estimate = EstimateClocks(*traces, {.reference = "A"});
  ASSERT_TRUE(estimate);
  ASSERT_EQ(estimate->steps().size(), 1U);
  EXPECT_EQ(estimate->EpochsOf(ClockId(0)), 1U);
  EXPECT_EQ(estimate->EpochsOf(ClockId(1)), 2U);
  EXPECT_EQ(estimate->steps()[0].clock, ClockId(1));
  EXPECT_NEAR(static_cast<double>(estimate->steps()[0].ahead_ns), -20e9, 1e6);
  for (const Message& m : messages) {
    EXPECT_LE(estimate->Correct(m.send), estimate->Correct(m.receive));
  }
  const auto corrected = Correct(*traces, *estimate);
  ASSERT_TRUE(corrected) << corrected.error().ToString();
  EXPECT_EQ(corrected->messages().inverted_after, 0U);
  EXPECT_FALSE(Write(*corrected, {.folder = folder_.string()}));
}

// Messages that no clocks satisfy: the logical clock moves their receipts behind their sends.
TEST_F(LibraryTest, MovesEventsInMemoryWhereMessagesStayInverted) {
  // B is set every second: steps would not explain but excuse that.
  const auto messages =
      Exchanges(10, 150'000, [](int64_t t) { return t + t / kSecond % 2 * kSecond / 5; });
  const auto traces = FromMessages(TwoHosts(), messages);
  ASSERT_TRUE(traces);
  const auto estimate = EstimateClocks(*traces, {.reference = "A"});
  ASSERT_TRUE(estimate);
  EXPECT_TRUE(estimate->outliers().empty());
  const auto left = Correct(*traces, *estimate, {.logical = CorrectOptions::LogicalClock::kNone});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->events_moved(), 0U);
  EXPECT_GT(left->messages().inverted_after, 0U);
  EXPECT_FALSE(left->AllGuaranteesHold());
  const auto moved = Correct(*traces, *estimate);
  ASSERT_TRUE(moved);
  EXPECT_GT(moved->events_moved(), 0U);
  EXPECT_EQ(moved->messages().inverted_after, 0U);
  for (const Message& m : messages) EXPECT_GE(moved->TimeOf(m.receive), moved->TimeOf(m.send));
}

TEST_F(LibraryTest, TakesPathsAsTheyAre) {
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no.pcap", ""}}).error().file, "no.pcap");
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no/such=x.pcap", ""}}).error().file, "no/such=x.pcap");
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no=such/x.pcap", ""}}).error().file, "no=such/x.pcap");
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no=such.pcap", "a"}}).error().file, "no=such.pcap");
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no.pcap", "a=b"}}).error().file, "no.pcap");
  EXPECT_EQ(Load(std::vector<InputSpec>{{std::string("a\0b", 3), ""}}).error().code,
            ErrorCode::kUsage);
}

TEST_F(LibraryTest, SaysWhatIsWrongWithoutThrowing) {
  EXPECT_EQ(Load(std::vector<InputSpec>{{"no/such.pcap", ""}}).error().code,
            ErrorCode::kUnreadable);
  std::vector<Message> messages = Exchanges(2, 1, [](int64_t t) { return t; });
  messages[1].receive.process = ProcessId(7);
  EXPECT_EQ(FromMessages(TwoHosts(), messages).error().code, ErrorCode::kUsage);
  std::vector<Message> repeated = Exchanges(2, 1, [](int64_t t) { return t; });
  repeated[1].send = repeated[0].receive;
  EXPECT_TRUE(FromMessages(TwoHosts(), repeated));
  ++repeated[1].send.time.ticks;
  EXPECT_THAT(FromMessages(TwoHosts(), repeated).error().message,
              testing::HasSubstr("has two times"));
  const auto lonely = EstimateClocks(TwoHosts(), {});
  EXPECT_EQ(lonely.error().code, ErrorCode::kNoCorrection);
  const auto traces = Load(Captures());
  EXPECT_EQ(EstimateClocks(*traces, {.max_drift_ppm = -1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(EstimateClocks(*traces, {.reference = "nobody"}).error().code, ErrorCode::kUsage);
  const auto others = Load(Captures());
  const auto estimate = EstimateClocks(*others);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(Correct(*traces, *estimate).error().code, ErrorCode::kUsage);
}

TEST_F(LibraryTest, TellsProgressAndCanBeCancelled) {
  std::vector<std::string> steps;
  const auto traces = Load(Captures(), {.progress = [&](const std::string& step, double share) {
                             steps.push_back(step);
                             EXPECT_GE(share, 0);
                             EXPECT_LE(share, 1);
                             return true;
                           }});
  ASSERT_TRUE(traces);
  EXPECT_THAT(steps, testing::Contains("matching packets"));
  const auto never = [](const std::string&, double) { return false; };
  EXPECT_EQ(Load(Captures(), {.progress = never}).error().code, ErrorCode::kCancelled);
  const auto estimate = EstimateClocks(*traces);
  const auto corrected = Correct(*traces, *estimate);
  ASSERT_TRUE(corrected);
  const auto written = Write(*corrected, {.folder = folder_.string(), .progress = never});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(!std::filesystem::exists(folder_) || std::filesystem::is_empty(folder_));
}

TEST_F(LibraryTest, IsCancelledInWhicheverStep) {
  std::vector<std::string> steps;
  ProgressCallback progress = [&](const std::string& step, double) {
    if (steps.empty() || steps.back() != step) steps.push_back(step);
    return true;
  };
  // The code of the whole run's failure; none: it was done.
  const auto run = [&]() -> std::optional<ErrorCode> {
    const auto traces = Load(Captures(), {.progress = progress});
    if (!traces) return traces.error().code;
    const auto estimate = EstimateClocks(*traces);
    const auto corrected = Correct(*traces, *estimate, {.progress = progress});
    if (!corrected) return corrected.error().code;
    const auto written = Write(*corrected, {.folder = folder_.string(),
                                            .merged = (folder_ / "all.pcapng").string(),
                                            .replaces_existing = true,
                                            .progress = progress});
    return written ? std::nullopt : std::optional(written.error().code);
  };
  ASSERT_EQ(run(), std::nullopt);
  EXPECT_THAT(steps, testing::Contains("joining packets"));
  for (const std::string& last : std::vector<std::string>(steps)) {
    progress = [&](const std::string& step, double) { return step != last; };
    EXPECT_EQ(run(), ErrorCode::kCancelled) << last;
  }
}

TEST_F(LibraryTest, MayBeCalledInSeveralThreadsAtOnce) {
  std::vector<std::string> summaries(4);
  std::vector<std::thread> threads;
  const auto shared = Load(Captures());
  ASSERT_TRUE(shared);
  for (size_t i = 0; i < summaries.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto own = i % 2 == 0 ? shared : Load(Captures());
      const auto estimate = EstimateClocks(*own);
      const auto corrected = Correct(*own, *estimate);
      for (const ClockFigures& clock : estimate->clocks()) {
        summaries[i] += clock.name + " " + std::to_string(clock.offset_ns) + " " +
                        std::to_string(clock.worst_bound_ns.value_or(-1)) + "\n";
      }
      summaries[i] += std::to_string(corrected->messages().inverted_after);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& summary : summaries) EXPECT_EQ(summary, summaries[0]);
}

}  // namespace
}  // namespace syncline
