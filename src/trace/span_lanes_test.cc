#include "trace/span_lanes.h"

#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;

SpanOfLane SpanOf(int64_t start, int64_t end, std::optional<size_t> parent = std::nullopt) {
  return {LocalTime{start}, LocalTime{end}, parent};
}

// "+n" where span n begins, "-n" where it ends, "n" for its other events.
std::vector<std::string> Lines(const SpanLanes& found) {
  std::vector<std::string> lines;
  for (const auto& lane : found.lanes) {
    std::string& line = lines.emplace_back();
    for (const LaneEvent& event : lane) {
      const char* sign = event.kind == EventKind::kEnter   ? "+"
                         : event.kind == EventKind::kLeave ? "-"
                                                           : "";
      line += fmt::format("{}{}{}", line.empty() ? "" : " ", sign, event.span);
    }
  }
  return lines;
}

TEST(SpanLanes, AChildLiesInItsParent) {
  EXPECT_THAT(Lines(PutIntoLanes(std::vector{SpanOf(0, 100), SpanOf(10, 20, 0), SpanOf(12, 18, 1),
                                             SpanOf(30, 40, 0)},
                                 {})),
              ElementsAre("+0 +1 +2 -2 -1 +3 -3 -0"));
}

TEST(SpanLanes, WhatRunsBesideItGetsALaneOfItsOwn) {
  EXPECT_THAT(
      Lines(PutIntoLanes(
          std::vector{SpanOf(0, 100), SpanOf(10, 50, 0), SpanOf(20, 60, 0), SpanOf(70, 80)}, {})),
      ElementsAre("+0 +1 -1 -0", "+2 -2 +3 -3"));
}

TEST(SpanLanes, AChildThatOutlivesItsParentLeavesItsLane) {
  EXPECT_THAT(Lines(PutIntoLanes(std::vector{SpanOf(0, 100), SpanOf(10, 150, 0)}, {})),
              ElementsAre("+0 -0", "+1 -1"));
}

// Which of two that touch came first, nothing says.
TEST(SpanLanes, SpansThatTouchDoNotFollowEachOther) {
  EXPECT_THAT(
      Lines(PutIntoLanes(std::vector{SpanOf(0, 5), SpanOf(5, 5), SpanOf(5, 9), SpanOf(9, 9)}, {})),
      ElementsAre("+0 -0 +3 -3", "+2 -2", "+1 -1"));
  EXPECT_THAT(
      Lines(PutIntoLanes(
          std::vector{SpanOf(0, 9), SpanOf(0, 5, 0), SpanOf(5, 9, 0), SpanOf(6, 6, 2)}, {})),
      ElementsAre("+0 +1 -1 -0", "+2 +3 -3 -2"));
}

// Readings are late by up to 3: what ends at 5 is over by 8, and may last longer than what begins
// at 7.
TEST(SpanLanes, SpansWithinAReadingDoNotFollowEachOther) {
  constexpr int64_t kReadingNs = 3;
  EXPECT_THAT(
      Lines(PutIntoLanes(std::vector{SpanOf(0, 5), SpanOf(7, 7), SpanOf(8, 9)}, {}, kReadingNs)),
      ElementsAre("+0 -0 +2 -2", "+1 -1"));
  EXPECT_THAT(Lines(PutIntoLanes(
                  std::vector{SpanOf(0, 20), SpanOf(1, 5, 0), SpanOf(7, 7, 0), SpanOf(8, 9, 0)}, {},
                  kReadingNs)),
              ElementsAre("+0 +1 -1 +3 -3 -0", "+2 -2"));
}

TEST(SpanLanes, MomentsStandInTheirSpansLane) {
  const std::vector<SpanMark> moments = {{1, 2, {25}}, {0, 2, {200}}};
  EXPECT_THAT(Lines(PutIntoLanes(std::vector{SpanOf(0, 100), SpanOf(20, 60)}, moments)),
              ElementsAre("+0 -0 0", "+1 1 -1"));
}

TEST(SpanLanes, WhatIsNoSpanLeavesMarks) {
  const SpanLanes found =
      PutIntoLanes(std::vector{SpanOf(50, 10), SpanOfLane{LocalTime{20}, std::nullopt, {}}}, {});
  EXPECT_THAT(Lines(found), ElementsAre("0 1 0"));
  EXPECT_EQ(found.backward, 1U);
  EXPECT_EQ(found.incomplete, 1U);
}

TEST(SpanLanes, ThereIsALimitOfLanes) {
  const std::vector<SpanOfLane> spans(kMostLanes + 7, SpanOf(0, 10));
  const SpanLanes found = PutIntoLanes(spans, {});
  EXPECT_EQ(found.lanes.size(), kMostLanes);
  EXPECT_EQ(found.crowded, 7U);
  EXPECT_EQ(found.lanes[0].size(), 2U + 2U * 7U);
}

// Every span has its events once, in order of time, and no two of a lane cross.
TEST(SpanLanes, LanesAreSequencesOfNestedSpans) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<SpanOfLane> spans;
    for (size_t i = 0; i < 60; ++i) {
      const auto start = static_cast<int64_t>(random() % 40);
      spans.push_back(SpanOf(start, start + static_cast<int64_t>(random() % 12)));
      if (i > 0 && random() % 2 == 0) spans.back().parent = random() % spans.size();
    }
    std::vector<int> events(spans.size());
    for (const auto& lane : PutIntoLanes(spans, {}).lanes) {
      std::vector<uint32_t> open;
      LocalTime last{-1};
      for (const LaneEvent& event : lane) {
        EXPECT_GE(event.time, last);
        last = event.time;
        ++events[event.span];
        if (event.kind == EventKind::kEnter) {
          EXPECT_EQ(event.time, *spans[event.span].start);
          open.push_back(event.span);
        } else {
          ASSERT_FALSE(open.empty());
          EXPECT_EQ(open.back(), event.span);
          EXPECT_EQ(event.time, *spans[event.span].end);
          open.pop_back();
        }
      }
      EXPECT_TRUE(open.empty());
    }
    EXPECT_THAT(events, testing::Each(2));
  }
}

}  // namespace
}  // namespace syncline
