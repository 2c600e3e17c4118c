#include "logical/ordered_output.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Event = OrderedOutput::Event;

constexpr ProcessId kFirst{0};
constexpr ProcessId kSecond{1};
constexpr ProcessId kThird{2};

OrderedOutput WithProcesses(size_t count) {
  OrderedOutput output;
  for (size_t i = 0; i < count; ++i) output.AddProcess();
  return output;
}

// The tags of what can be given out, in order.
std::vector<uint64_t> PopTags(OrderedOutput& output) {
  std::vector<uint64_t> tags;
  while (const auto event = output.Pop()) tags.push_back(event->tag);
  return tags;
}

TEST(OrderedOutput, OfNoProcessesIsEmpty) {
  OrderedOutput output;
  EXPECT_EQ(output.Pop(), std::nullopt);
  EXPECT_EQ(output.WaitingFor(), std::nullopt);
}

TEST(OrderedOutput, GivesAnEventOnceEveryOtherProcessHasALaterOne) {
  OrderedOutput output = WithProcesses(2);
  output.Push(kFirst, 10, 1);
  output.Push(kFirst, 30, 3);
  EXPECT_THAT(PopTags(output), IsEmpty());
  EXPECT_EQ(output.WaitingFor(), kSecond);
  output.Push(kSecond, 20, 2);
  EXPECT_EQ(output.Pop(), (Event{kFirst, 10, 1}));
  EXPECT_EQ(output.Pop(), (Event{kSecond, 20, 2}));
  EXPECT_EQ(output.Pop(), std::nullopt);
  EXPECT_EQ(output.WaitingFor(), kSecond);
  output.End(kSecond);
  EXPECT_EQ(output.Pop(), (Event{kFirst, 30, 3}));
  EXPECT_EQ(output.Pop(), std::nullopt);
  EXPECT_EQ(output.WaitingFor(), kFirst);
  output.End(kFirst);
  EXPECT_EQ(output.Pop(), std::nullopt);
  EXPECT_EQ(output.WaitingFor(), std::nullopt);
  EXPECT_EQ(output.late(), 0U);
}

TEST(OrderedOutput, EqualTimesGoByProcessNumber) {
  OrderedOutput output = WithProcesses(3);
  for (const ProcessId process : {kThird, kFirst, kSecond}) {
    output.Push(process, 5, process.value);
    output.End(process);
  }
  EXPECT_THAT(PopTags(output), ElementsAre(0, 1, 2));
}

TEST(OrderedOutput, ALowerBoundAtTheTimeIsEnoughOnlyFromALaterProcess) {
  OrderedOutput output = WithProcesses(3);
  output.Push(kSecond, 5, 7);
  output.SetLowerBound(kFirst, 5);
  output.SetLowerBound(kThird, 5);
  EXPECT_THAT(PopTags(output), IsEmpty());
  EXPECT_EQ(output.WaitingFor(), kFirst);
  output.SetLowerBound(kFirst, 4);  // without effect
  output.SetLowerBound(kFirst, 6);
  EXPECT_THAT(PopTags(output), ElementsAre(7));
}

TEST(OrderedOutput, LateEventsGoOutAtOnceAndAreCounted) {
  OrderedOutput output = WithProcesses(2);
  output.Push(kFirst, 100, 1);
  output.SetLowerBound(kSecond, 200);
  EXPECT_THAT(PopTags(output), ElementsAre(1));
  output.Push(kSecond, 50, 2);
  output.Push(kSecond, 60, 3);
  EXPECT_THAT(PopTags(output), ElementsAre(2, 3));
  EXPECT_EQ(output.late(), 2U);
  output.Push(kSecond, 150, 4);
  EXPECT_THAT(PopTags(output), IsEmpty());
  output.Push(kFirst, 140, 5);
  EXPECT_THAT(PopTags(output), ElementsAre(5));
  EXPECT_EQ(output.late(), 2U);
  EXPECT_EQ(output.buffered(), 1U);
}

TEST(OrderedOutput, AProcessAddedLaterHoldsBackWhatFollows) {
  OrderedOutput output = WithProcesses(1);
  output.Push(kFirst, 10, 1);
  EXPECT_THAT(PopTags(output), ElementsAre(1));
  output.AddProcess();
  output.Push(kFirst, 20, 2);
  EXPECT_THAT(PopTags(output), IsEmpty());
  output.Push(kSecond, 15, 3);
  EXPECT_THAT(PopTags(output), ElementsAre(3));
  EXPECT_EQ(output.late(), 0U);
}

TEST(OrderedOutput, EventsAtTheEndOfTimeComeOutThough) {
  OrderedOutput output = WithProcesses(2);
  output.End(kFirst);
  output.Push(kSecond, INT64_MIN, 1);
  output.Push(kSecond, INT64_MAX, 2);
  EXPECT_THAT(PopTags(output), ElementsAre(1, 2));
}

// One process's events, not decreasing in time.
std::vector<Event> RandomEvents(ProcessId process, std::mt19937_64& random) {
  const int64_t largest_step = int64_t{1} << (random() % 8);
  std::vector<Event> events;
  int64_t time = 0;
  const size_t count = random() % 200;
  for (size_t i = 0; i < count; ++i) {
    time += static_cast<int64_t>(random()) & (largest_step - 1);
    events.push_back({process, time, i});
  }
  return events;
}

TEST(OrderedOutput, SortsRandomEventsHoweverTheyInterleave) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    OrderedOutput output;
    std::vector<std::vector<Event>> events;
    std::vector<Event> sorted;
    const size_t processes = 1 + random() % 20;
    for (uint32_t i = 0; i < processes; ++i) {
      events.push_back(RandomEvents(output.AddProcess(), random));
      sorted.insert(sorted.end(), events.back().begin(), events.back().end());
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Event& a, const Event& b) {
      return std::pair(a.after_ns, a.process) < std::pair(b.after_ns, b.process);
    });

    std::vector<size_t> pushed(processes, 0);
    std::vector<Event> merged;
    size_t ended = 0;
    while (ended < processes) {
      const auto process = static_cast<uint32_t>(random() % processes);
      size_t& next = pushed[process];
      if (next > events[process].size()) continue;
      if (next == events[process].size()) {
        output.End(ProcessId(process));
        ++ended;
        ++next;
      } else if (random() % 2 == 0) {
        output.SetLowerBound(ProcessId(process), events[process][next].after_ns);
      } else {
        const Event& event = events[process][next++];
        output.Push(event.process, event.after_ns, event.tag);
      }
      while (const auto event = output.Pop()) merged.push_back(*event);
    }
    ASSERT_EQ(merged, sorted);
    ASSERT_EQ(output.late(), 0U);
    ASSERT_EQ(output.buffered(), 0U);
  }
}

}  // namespace
}  // namespace syncline
