#include "measure/logical_figures.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

RetimedMessage RetimedBetween(uint32_t from, uint32_t to, int64_t delay_before,
                              int64_t delay_after) {
  RetimedMessage m;
  m.sender = ProcessId(from);
  m.receiver = ProcessId(to);
  m.receive_before = {delay_before};
  m.receive_after = {delay_after};
  m.minimum_delay = {100};
  return m;
}

TEST(LogicalFigures, CountsMessagesByClock) {
  LogicalFigures figures;
  for (const uint32_t clock : {0, 0, 1}) figures.AddProcess(ClockId(clock));
  figures.OnMessage(RetimedBetween(0, 2, -500, 100));
  figures.OnMessage(RetimedBetween(1, 2, 50, 100));
  const DirectionQuality& before = figures.before().direction(ClockId(0), ClockId(1));
  EXPECT_EQ(before.inverted, 1U);
  EXPECT_EQ(before.too_fast, 1U);
  EXPECT_EQ(figures.after().inverted() + figures.after().too_fast(), 0U);
}

TEST(LogicalFigures, CountsEndsOfCollectivesApart) {
  LogicalFigures figures;
  for (const uint32_t clock : {0, 1}) figures.AddProcess(ClockId(clock));
  RetimedMessage end = RetimedBetween(0, 1, -1, 100);
  end.kind = RetimedMessage::Kind::kCollective;
  figures.OnMessage(end);
  EXPECT_EQ(figures.collectives().ends, 1U);
  EXPECT_EQ(figures.collectives().violated_before, 1U);
  EXPECT_EQ(figures.collectives().violated_after, 0U);
  EXPECT_EQ(figures.before().messages(), 0U);
}

TEST(LogicalFigures, HalvesTheLeastRoundTripOfPairsWithBothDirections) {
  LogicalFigures figures;
  for (const uint32_t clock : {0, 1, 2}) figures.AddProcess(ClockId(clock));
  EXPECT_FALSE(figures.FindHalfRoundTrips().has_value());
  figures.OnMessage(RetimedBetween(0, 1, -1'000'000, 0));
  figures.OnMessage(RetimedBetween(1, 0, 1'000'700, 0));
  figures.OnMessage(RetimedBetween(1, 0, 1'000'400, 0));
  figures.OnMessage(RetimedBetween(2, 0, 5, 0));  // one way only
  figures.OnMessage(RetimedBetween(1, 2, 300, 0));
  figures.OnMessage(RetimedBetween(2, 1, 300, 0));
  const auto trips = figures.FindHalfRoundTrips();
  ASSERT_TRUE(trips.has_value());
  EXPECT_EQ(trips->pairs, 2U);
  EXPECT_EQ(trips->min_ns, (-1'000'000 + 1'000'400) / 2);
  EXPECT_EQ(trips->max_ns, 300);
  EXPECT_EQ(trips->mean_ns, (200 + 300) / 2);
}

TEST(LogicalFigures, ComparesIntervalsOfEachProcess) {
  LogicalFigures figures;
  for (const uint32_t clock : {0, 1}) figures.AddProcess(ClockId(clock));
  figures.AddEvent(ProcessId(0), 0, {0});
  figures.AddEvent(ProcessId(1), 1000, {5000});
  figures.AddEvent(ProcessId(0), 100, {100});
  figures.AddEvent(ProcessId(1), 1100, {5200});
  EXPECT_EQ(figures.intervals().unchanged(), 1U);
  ASSERT_TRUE(figures.intervals().largest().has_value());
  EXPECT_EQ(figures.intervals().largest()->process, ProcessId(1));
}

}  // namespace
}  // namespace syncline
