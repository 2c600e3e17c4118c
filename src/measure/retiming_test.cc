#include "measure/retiming.h"

#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

Correction Shift(int64_t ns) {
  return Correction::FromKnots({{{0}, {ns}}, {{1'000'000'000}, {1'000'000'000 + ns}}}).value();
}

Message Between(int64_t send, int64_t receive) {
  return {{ProcessId(0), 5, {send}}, {ProcessId(1), 9, {receive}}};
}

TEST(Retiming, WritesCorrectedTimesAtTheOutputsResolution) {
  const Retiming times({{Shift(100), 1'000'000'000}, {Shift(-700), 1'000'000}});
  EXPECT_EQ(times({ProcessId(0), 0, {5}}).ns, 105);
  EXPECT_EQ(times({ProcessId(1), 0, {10'000}}).ns, 9000);  // 9300 to the microsecond
}

TEST(Retiming, MovesAReceiveThatOnlyRoundingPutBeforeItsSend) {
  // Sent at 9300 (ns file), received at 9400, written as 9000 in the µs file.
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000}});
  const Message m = Between(9300, 9400);
  ASSERT_LT(times(m.receive), times(m.send));
  EXPECT_TRUE(times.RepairRounding(m, {0}));
  EXPECT_EQ(times(m.receive).ns, 10'000);
  EXPECT_EQ(times.moved(), 1U);
  EXPECT_FALSE(times.RepairRounding(m, {0}));
}

// Receives in a file of seconds at 20.1 s, which is written as 21, and sends at 20.2 s.
TEST(Retiming, TakesWhatFollowsAMovedReceiveAlong) {
  constexpr int64_t kMs = 1'000'000;
  const Correction same = Shift(0);
  Retiming times({{same, 1'000'000'000}, {same, 1}});
  const auto at = [](uint32_t process, uint64_t index, int64_t ms) {
    return EventRef{ProcessId(process), index, {ms * kMs}};
  };
  const Message there{at(0, 0, 20'050), at(1, 4, 20'100)};
  const Message back{at(1, 5, 20'200), at(0, 1, 20'300)};
  EXPECT_FALSE(times.RepairRounding(back, {0}));  // sent at 20 as yet
  EXPECT_TRUE(times.RepairRounding(there, {0}));
  EXPECT_EQ(times(there.receive).ns, 21'000 * kMs);
  EXPECT_EQ(times(back.send).ns, 21'000 * kMs);
  EXPECT_EQ(times(at(1, 3, 20'100)).ns, 20'000 * kMs);  // before it
  EXPECT_EQ(times(at(1, 5, 20'000)).ns, 20'000 * kMs);  // recorded before it
  EXPECT_EQ(times(at(1, 6, 23'000)).ns, 23'000 * kMs);
  EXPECT_TRUE(times.RepairRounding(back, {0}));
  EXPECT_EQ(times(back.receive).ns, 21'000 * kMs);
  EXPECT_FALSE(times.RepairRounding(back, {0}));
  std::vector<LocalTime> local = {{20'200 * kMs}, {23'000 * kMs}};
  std::vector<GlobalTime> written(2);
  times.Retime(ProcessId(1), 5, local, written);
  EXPECT_EQ(written[0].ns, 21'000 * kMs);
  EXPECT_EQ(written[1].ns, 23'000 * kMs);
  // What had come after it, and was moved already, by less.
  const Message later{at(0, 1, 20'300), at(1, 7, 20'400)};
  EXPECT_FALSE(times.RepairRounding(later, {0}));
  EXPECT_EQ(times(later.receive).ns, 21'000 * kMs);
}

TEST(Retiming, LetsMinimumDelaysNotAddUpWithinATick) {
  constexpr int64_t kMs = 1'000'000;
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1}});
  const auto at = [](uint32_t process, uint64_t index, int64_t ms) {
    return EventRef{ProcessId(process), index, {ms * kMs}};
  };
  // Round trips of 100 ms, each of whose ways takes 50 ms at least.
  for (uint32_t i = 0; i < 5; ++i) {
    const int64_t ms = 20'010 + 100 * i;
    times.RepairRounding({at(0, 2 * i, ms), at(1, 2 * i, ms + 50)}, {50 * kMs});
    times.RepairRounding({at(1, 2 * i, ms + 50), at(0, 2 * i + 1, ms + 100)}, {50 * kMs});
  }
  EXPECT_EQ(times(at(1, 8, 20'460)).ns, 21'000 * kMs);
  EXPECT_EQ(times(at(0, 9, 20'510)).ns, 21'000 * kMs);
}

TEST(Retiming, IsTheSameInAnotherProcess) {
  Retiming here(
      {{Shift(100), 1'000'000'000, {{2, Shift(200)}, {4, Shift(300)}}}, {Shift(0), 1'000'000}});
  ASSERT_TRUE(here.is_of_corrections_alone());
  Parcel there;
  here.Put(there);
  ParcelReader task(there.bytes());
  Retiming elsewhere = Retiming::Take(task);
  EXPECT_TRUE(task.is_at_end());
  for (uint64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(elsewhere({ProcessId(0), i, {5}}), here({ProcessId(0), i, {5}}));
  }
  const Message m = Between(9000, 9400);  // in the third epoch of its sender
  EXPECT_TRUE(elsewhere.RepairRounding(m, {0}));
  Parcel back;
  elsewhere.PutMoved(back);
  ParcelReader moved(back.bytes());
  here.AdoptMoved(moved);
  EXPECT_TRUE(moved.is_at_end());
  EXPECT_EQ(here.moved(), 1U);
  EXPECT_EQ(here(m.receive).ns, 10'000);
  EXPECT_FALSE(here.is_of_corrections_alone());
}

TEST(Retiming, KnowsWhetherItIsOfCorrectionsAlone) {
  Retiming shifted({{Shift(0)}});
  shifted.SetShifts(ProcessId(0), {7});
  EXPECT_FALSE(shifted.is_of_corrections_alone());
  Retiming as_read({{Shift(0)}});
  as_read.SetAsRead(ProcessId(0), [](LocalTime t) { return GlobalTime{t.ticks}; });
  EXPECT_FALSE(as_read.is_of_corrections_alone());
}

TEST(Retiming, LeavesAMessageThatIsReallyInverted) {
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000'000}});
  EXPECT_FALSE(times.RepairRounding(Between(9300, 9200), {0}));
  EXPECT_EQ(times.moved(), 0U);
}

TEST(Retiming, RestoresTheMinimumDelayThatRoundingCutByANanosecond) {
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000'000}});
  const Message m = Between(1000, 1099);
  EXPECT_TRUE(times.RepairRounding(m, {100}));
  EXPECT_EQ(times(m.receive).ns, 1100);
}

TEST(Retiming, CorrectsEachEventInItsEpoch) {
  // Set back before event 2, again before event 4, with an epoch between that this process lacks.
  const Retiming times(
      {{Shift(100), 1'000'000'000, {{2, Shift(200)}, {4, Shift(300)}, {4, Shift(400)}}}});
  const int64_t expected[] = {105, 105, 205, 205, 405, 405};
  for (uint64_t i = 0; i < 6; ++i) EXPECT_EQ(times({ProcessId(0), i, {5}}).ns, expected[i]);
  EXPECT_EQ(times.Plain(ProcessId(0), 2, {5}).ns, 305);
  EXPECT_EQ(times.Plain(ProcessId(0), 9, {5}).ns, 405);  // the last that is known
}

TEST(Retiming, CorrectsRowsOfEventsAsOneByOne) {
  const auto make = [] {
    return Retiming({{Shift(100),
                      1'000'000'000,
                      {{0, Shift(150)}, {3, Shift(200)}, {3, Shift(250)}, {7, Shift(300)}}}});
  };
  Retiming plain = make();
  Retiming shifted = make();
  shifted.SetShifts(ProcessId(0), {0, 1, 2, 3, 4, 5});
  for (const Retiming* times : {&plain, &shifted}) {
    for (uint64_t first = 0; first < 10; ++first) {
      for (size_t count = 0; first + count <= 10; ++count) {
        std::vector<LocalTime> local(count);
        for (size_t i = 0; i < count; ++i) local[i] = {static_cast<int64_t>(50 * (first + i))};
        std::vector<GlobalTime> written(count);
        times->Retime(ProcessId(0), first, local, written);
        for (size_t i = 0; i < count; ++i) {
          EXPECT_EQ(written[i], (*times)({ProcessId(0), first + i, local[i]}));
        }
      }
    }
  }
}

// Its clock was set back before event 2, from 1000 to 500.
TEST(Retiming, KeepsEpochsInOrder) {
  const auto make = [](int64_t later_ns) {
    return Retiming({{Shift(100),
                      1'000'000'000,
                      {{2, Shift(later_ns), std::pair(LocalTime{1000}, LocalTime{500})}}}});
  };
  const auto at = [](const Retiming& times, uint64_t event, int64_t reading) {
    return times({ProcessId(0), event, {reading}}).ns;
  };
  Retiming ordered = make(600);
  EXPECT_FALSE(ordered.KeepEpochsInOrder());
  EXPECT_TRUE(ordered.is_of_corrections_alone());
  Retiming times = make(200);
  EXPECT_TRUE(times.KeepEpochsInOrder());
  EXPECT_EQ(at(times, 0, 900), 1000);
  EXPECT_EQ(at(times, 1, 1000), 1100);
  EXPECT_EQ(at(times, 2, 500), 1100);
  EXPECT_EQ(at(times, 3, 850), 1100);
  EXPECT_EQ(at(times, 4, 950), 1150);
  EXPECT_EQ(times.MostMovedNs(ProcessId(0)), 1100 - 700);
  EXPECT_EQ(times.moved(), 0U);
  EXPECT_FALSE(times.is_of_corrections_alone());
  const Retiming unrounded = times.Unrounded();
  EXPECT_EQ(at(unrounded, 2, 500), 700);
}

TEST(Retiming, RepairsRoundingInAReceiversLaterEpoch) {
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000, {{9, Shift(5'000)}}}});
  // Sent at 9300, received at 4400 of the epoch that is 5000 later, written as 9000 in the µs file.
  const Message m = Between(9300, 4400);
  ASSERT_EQ(times(m.receive).ns, 9000);
  EXPECT_TRUE(times.RepairRounding(m, {0}));
  EXPECT_EQ(times(m.receive).ns, 10'000);
}

TEST(ProgramOrder, TakesFollowingEventsAlongButKeepsRecordedSteps) {
  ProgramOrder order;
  EXPECT_EQ(order.Place({10}, {1000}).ns, 1000);
  EXPECT_EQ(order.Place({11}, {990}).ns, 1000);  // recorded later, written earlier
  EXPECT_EQ(order.Place({5}, {400}).ns, 400);    // the recorded clock stepped back
}

TEST(ProgramOrder, WhatComesFirstOfItsReadingWaitsForEarlierOnesAlone) {
  constexpr auto kFirst = ReadingRank::kFirst;
  ProgramOrder order;
  EXPECT_EQ(order.Place({10}, {1000}).ns, 1000);
  EXPECT_EQ(order.Place({11}, {1200}).ns, 1200);
  EXPECT_EQ(order.Place({11}, {1100}, 0, kFirst).ns, 1100);
  EXPECT_EQ(order.Place({11}, {900}, 0, kFirst).ns, 1000);
  EXPECT_EQ(order.Place({11}, {1100}).ns, 1200);
  EXPECT_EQ(order.Place({12}, {1100}, 0, kFirst).ns, 1200);
}

TEST(ProgramOrder, WhatComesLastNeitherWaitsNorIsWaitedFor) {
  ProgramOrder order;
  EXPECT_EQ(order.Place({10}, {1000}).ns, 1000);
  EXPECT_EQ(order.Place({9}, {1300}, 0, ReadingRank::kLast).ns, 1300);
  EXPECT_EQ(order.Place({10}, {900}).ns, 1000);
  EXPECT_EQ(order.Place({11}, {1200}).ns, 1200);
}

TEST(ProgramOrder, HoldsWhereAnEpochBegins) {
  ProgramOrder order;
  EXPECT_EQ(order.Place({10}, {1000}, 0).ns, 1000);
  EXPECT_EQ(order.Place({5}, {999}, 1).ns, 1000);  // the correction of the next epoch, rounded
  EXPECT_EQ(order.Place({4}, {998}, 1).ns, 998);   // out of order within it
  EXPECT_EQ(order.Place({3}, {1200}, 4).ns, 1200);
  EXPECT_EQ(order.Place({9}, {1100}, 3).ns, 1100);  // a packet that came late
}

}  // namespace
}  // namespace syncline
