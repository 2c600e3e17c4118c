#include "logical/amortizer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "logical/testing/amortizer_oracle.h"

namespace syncline {
namespace {

using oracle::AmortizedEvent;
using ::testing::ElementsAre;
using Hold = Amortizer::Hold;

constexpr int64_t kNone = INT64_MAX;

// Jumps of up to 50 are spread over 1000.
constexpr AmortizationOptions kTwentieth = {1, 20, 50};

// Whatever is final, in order.
std::vector<int64_t> PopAll(Amortizer& amortizer) {
  std::vector<int64_t> times;
  while (const auto final = amortizer.Pop()) times.push_back(final->after_ns);
  return times;
}

Amortizer Fed(const AmortizationOptions& options, const std::vector<AmortizedEvent>& events) {
  Amortizer amortizer(options);
  for (const AmortizedEvent& event : events) {
    const uint64_t sequence = amortizer.Add(event.clock_ns, event.jump_ns, Hold::kNone);
    if (event.latest_ns != kNone) amortizer.Limit(sequence, event.latest_ns);
  }
  amortizer.Finish();
  return amortizer;
}

std::vector<int64_t> AmortizedTimes(const AmortizationOptions& options,
                                    const std::vector<AmortizedEvent>& events) {
  Amortizer amortizer = Fed(options, events);
  return PopAll(amortizer);
}

TEST(Amortizer, LeavesTimesWithoutJumpsAsTheyAre) {
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{-5}, {0}, {0}, {7, 0, 8}, {90'000}}),
              ElementsAre(-5, 0, 0, 7, 90'000));
}

TEST(Amortizer, SpreadsAJumpLinearlyOverTheInterval) {
  // The receive would be at 5000 without its jump: the interval is [4000, 5000].
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{0}, {3999}, {4000}, {4400}, {5000}, {5050, 50}, {6000}}),
              ElementsAre(0, 3999, 4000, 4400 + 400 * 50 / 1000, 5000 + 50, 5050, 6000));
}

TEST(Amortizer, SendsBelowTheLineBendItToTheirLowerHull) {
  // The situation of figure 4.12: of three sends below the line (2000, 0) – (3000, 50), that at
  // 2400 lies above the hull's edge from (2200, 2) to (2600, 10).
  const std::vector<AmortizedEvent> events = {{0},
                                              {2100},
                                              {2200, 0, 2200 + 2},
                                              {2400, 0, 2400 + 9},
                                              {2500},
                                              {2600, 0, 2600 + 10},
                                              {2800},
                                              {2900, 0, 2900 + 48},
                                              {3050, 50}};
  EXPECT_THAT(AmortizedTimes(kTwentieth, events),
              ElementsAre(0, 2100 + 1, 2200 + 2, 2400 + 2 + 8 / 2, 2500 + 2 + 8 * 3 / 4, 2600 + 10,
                          2800 + 10 + 40 / 2, 2900 + 10 + 40 * 3 / 4, 3050));
}

TEST(Amortizer, ASendThatAllowsNothingKeepsAllBeforeItInPlace) {
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{0}, {2500}, {2600, 0, 2600}, {2800}, {3050, 50}}),
              ElementsAre(0, 2500, 2600, 2800 + 50 / 2, 3050));
}

TEST(Amortizer, ALimitThatIsBrokenAlreadyCountsAsReached) {
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{0}, {2600, 0, 2500}, {2800}, {3050, 50}}),
              ElementsAre(0, 2600, 2800 + 50 / 2, 3050));
}

TEST(Amortizer, ASendAtTheTimeOfTheReceiveLeavesAStep) {
  Amortizer amortizer = Fed(kTwentieth, {{0}, {2500}, {3000, 0, 3020}, {3000}, {3050, 50}});
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 2500 + 20 / 2, 3000 + 20, 3000 + 20, 3050));
  EXPECT_EQ(amortizer.figures().largest_slope.rise_ns, 50 - 20);
  EXPECT_EQ(amortizer.figures().largest_slope.run_ns, 0U);
}

TEST(Amortizer, ShiftsAllByTheJumpWhenNothingLiesBeforeTheInterval) {
  Amortizer amortizer = Fed(kTwentieth, {{100}, {200, 0, 250}, {350, 50}});
  EXPECT_THAT(PopAll(amortizer), ElementsAre(100 + 50, 200 + 50, 350));
  EXPECT_EQ(amortizer.figures().constant_shifts, 1U);
  EXPECT_EQ(amortizer.figures().largest_slope.rise_ns, 0);
}

TEST(Amortizer, BeginsWithTheLowestSendWhenNothingLiesBeforeTheInterval) {
  // (100, 20) is where the hull begins, flat up to the lowest send at 300.
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{100}, {200, 0, 230}, {300, 0, 320}, {400}, {550, 50}}),
              ElementsAre(100 + 20, 200 + 20, 300 + 20, 400 + 20 + 30 / 2, 550));
}

TEST(Amortizer, RoundsRisesDown) {
  // 7/1000 per nanosecond.
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{0}, {2142}, {2143}, {2999}, {3007, 7}}),
              ElementsAre(0, 2142, 2143 + 1, 2999 + 6, 3007));
}

TEST(Amortizer, AddsTheRisesOfSeveralReceives) {
  // The first raises [2000, 3000] and the second, at x = 3200 without jumps, [2200, 3200].
  EXPECT_THAT(
      AmortizedTimes(kTwentieth, {{0}, {2600}, {3050, 50}, {3290, 40}}),
      ElementsAre(0, 2600 + 50 * 600 / 1000 + 40 * 400 / 1000, 3050 + 40 * 800 / 1000, 3290));
}

TEST(Amortizer, ASendUsesUpItsAllowance) {
  // The first receive takes 25 of the 30; only 5 are left for the second.
  EXPECT_THAT(AmortizedTimes(kTwentieth, {{0}, {2500, 0, 2530}, {3050, 50}, {3100, 50}}),
              ElementsAre(0, 2500 + 25 + 5, 3050 + 5 + 45, 3100));
}

TEST(Amortizer, ALimitThatComesLateCountsFromWhatTheSendIsRaisedBy) {
  Amortizer amortizer(kTwentieth);
  amortizer.Add(0, 0, Hold::kNone);
  const uint64_t early = amortizer.Add(2200, 0, Hold::kNone);
  const uint64_t later = amortizer.Add(2600, 0, Hold::kNone);
  amortizer.Limit(later, 2660);
  amortizer.Add(3050, 50, Hold::kNone);
  EXPECT_EQ(amortizer.Present(early), 2200 + 10);
  EXPECT_EQ(amortizer.Present(later), 2600 + 30);
  // 2 and 30 are left: the second jump rises from (2200, 2) to (3000, 50), over (2600, 26).
  amortizer.Limit(early, 2213);
  amortizer.Limit(early, 2212);
  amortizer.Limit(early, 2214);
  amortizer.Add(3100, 50, Hold::kNone);
  amortizer.Finish();
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 2200 + 10 + 2, 2600 + 30 + 26, 3050 + 50, 3100));
}

TEST(Amortizer, ALateLimitBeforeASendThatAllowsNothingDoesNotCount) {
  Amortizer amortizer(kTwentieth);
  amortizer.Add(0, 0, Hold::kNone);
  const uint64_t early = amortizer.Add(2200, 0, Hold::kNone);
  amortizer.Limit(amortizer.Add(2600, 0, Hold::kNone), 2600);
  amortizer.Add(3050, 50, Hold::kNone);
  amortizer.Limit(early, 2200);
  amortizer.Add(3100, 50, Hold::kNone);
  amortizer.Finish();
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 2200, 2600, 3050 + 50, 3100));
}

TEST(Amortizer, TheIntervalGrowsWithTheLargestJumpButNotOverFinalEvents) {
  // From 3000 on no jump reaches the events up to 1999. One of 200 asks for [-500, 3500].
  Amortizer amortizer(kTwentieth);
  for (const int64_t clock : {0, 1900, 2100, 3000}) amortizer.Add(clock, 0, Hold::kNone);
  amortizer.Add(3700, 200, Hold::kNone);
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 1900));
  amortizer.Finish();
  // From the last final event on: 200 over [1900, 3500].
  EXPECT_THAT(PopAll(amortizer), ElementsAre(2100 + 200 / 8, 3000 + 200 * 11 / 16, 3700));
  const AmortizationFigures& figures = amortizer.figures();
  EXPECT_TRUE(figures.exceeded_start);
  EXPECT_EQ(figures.largest_jump_ns, 200);
  EXPECT_EQ(figures.jumps, 1U);
  EXPECT_EQ(figures.largest_slope.rise_ns, 200);
  EXPECT_EQ(figures.largest_slope.run_ns, 3500U - 1900U);
  EXPECT_EQ(figures.largest_slope.sequence, 4U);
}

TEST(Amortizer, AHeldSendHoldsBackTheJumpsThatCouldMoveIt) {
  Amortizer amortizer(kTwentieth);
  amortizer.Add(0, 0, Hold::kNone);
  amortizer.Add(1500, 0, Hold::kNone);
  const uint64_t send = amortizer.Add(2500, 0, Hold::kWaits);
  amortizer.Add(3050, 50, Hold::kNone);
  amortizer.Add(9000, 0, Hold::kNone);
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 1500));
  EXPECT_EQ(amortizer.LowerBound(), 2500);
  EXPECT_EQ(amortizer.buffered(), 3U);
  amortizer.Limit(send, 2530);
  amortizer.Limit(send, 2510);
  amortizer.Limit(send, 2520);
  EXPECT_FALSE(amortizer.Pop());
  amortizer.Release(send);
  EXPECT_THAT(PopAll(amortizer), ElementsAre(2500 + 10, 3050));
  EXPECT_EQ(amortizer.LowerBound(), 9000);
  amortizer.Finish();
  EXPECT_THAT(PopAll(amortizer), ElementsAre(9000));
}

TEST(Amortizer, AHeldSendOutOfReachHoldsNothingBack) {
  Amortizer amortizer(kTwentieth);
  const uint64_t send = amortizer.Add(0, 0, Hold::kWaits);
  amortizer.Add(3050, 50, Hold::kNone);
  EXPECT_THAT(PopAll(amortizer), ElementsAre(0));
  amortizer.Limit(send, -10);
  EXPECT_FALSE(amortizer.Release(send));
  amortizer.Finish();
  EXPECT_THAT(PopAll(amortizer), ElementsAre(3050));
}

TEST(Amortizer, WhatLiesBeforeALongTimeIsFinalWheneverHoldsEnd) {
  for (const bool ends_early : {true, false}) {
    Amortizer amortizer(kTwentieth);  // W = 1000
    amortizer.Add(0, 0, Hold::kNone);
    const uint64_t send = amortizer.Add(1000, 0, Hold::kWaits);
    amortizer.Add(1550, 50, Hold::kNone);
    if (ends_early) amortizer.Release(send);
    // More than 8 W later. The jump there makes W 40 000, which reaches back to the beginning.
    amortizer.Foresee(1550 + 8100);
    amortizer.Add(1550 + 8100 + 2000, 2000, Hold::kNone);
    if (!ends_early) amortizer.Release(send);
    amortizer.Finish();
    EXPECT_THAT(PopAll(amortizer), ElementsAre(0, 1000 + 50 * 500 / 1000, 1550, 11'650));
  }
}

TEST(Amortizer, HoldsOfEventsThatHaveLeftMayEndLater) {
  Amortizer amortizer(kTwentieth);
  constexpr int64_t kEvents = 2000;
  for (int64_t i = 0; i < kEvents; ++i) {
    amortizer.Add(100 * i, 0, Hold::kWaits);
    amortizer.Pop();
  }
  // 11 are in reach.
  EXPECT_LE(amortizer.buffered(), 11 + RaisedEvents::kBatch);
  for (int64_t i = 0; i < kEvents; ++i) {
    amortizer.Limit(static_cast<uint64_t>(i), 0);
    amortizer.Release(static_cast<uint64_t>(i));
  }
  amortizer.Finish();
  const std::vector<int64_t> rest = PopAll(amortizer);
  EXPECT_EQ(rest.back(), 100 * (kEvents - 1));
}

TEST(Amortizer, FinishEndsAllHolds) {
  Amortizer amortizer(kTwentieth);
  amortizer.Add(0, 0, Hold::kWaits);
  amortizer.Add(150, 50, Hold::kNone);
  amortizer.Finish();
  EXPECT_THAT(PopAll(amortizer), ElementsAre(50, 150));
}

TEST(Amortizer, TellsHowFarAnEventIsMovedSoFar) {
  Amortizer amortizer(kTwentieth);
  for (const int64_t clock : {0, 1500, 2500}) amortizer.Add(clock, 0, Hold::kNone);
  EXPECT_EQ(amortizer.Present(2), 2500);
  amortizer.Add(3050, 50, Hold::kNone);
  EXPECT_EQ(amortizer.Present(2), 2500 + 25);
  const auto final = amortizer.Pop();
  ASSERT_TRUE(final);
  EXPECT_EQ(final->sequence, 0U);
  EXPECT_EQ(final->after_ns, 0);
  EXPECT_EQ(amortizer.Present(0), std::nullopt);
  EXPECT_EQ(amortizer.Present(1), 1500);
  EXPECT_EQ(amortizer.Present(4), std::nullopt);
}

TEST(Amortizer, AJumpAtTheFirstEventOnlyLengthensTheInterval) {
  Amortizer amortizer = Fed(kTwentieth, {{1000, 100}, {1200}, {3300, 100}});
  EXPECT_THAT(PopAll(amortizer), ElementsAre(1000, 1200 + 0, 3300));
  EXPECT_EQ(amortizer.figures().largest_jump_ns, 100);
}

// --- Random traces against the naive implementation ---

struct Shape {
  std::string name;
  AmortizationOptions options;
  int64_t start_ns = 0;
  int64_t largest_gap_ns = 0;
  int64_t largest_jump_ns = 0;
  int64_t largest_slack_ns = 0;
  int sends_of_8 = 3;
  int receives_of_8 = 2;
  size_t events = 0;
};

class RandomTrace : public ::testing::TestWithParam<Shape> {};

std::vector<AmortizedEvent> RandomAmortizedEvents(const Shape& shape, std::mt19937_64& random) {
  const auto below = [&](int64_t limit) {
    // Mostly small values, of all magnitudes.
    const int bits = static_cast<int>(random() % 63);
    return static_cast<int64_t>((random() >> 1 >> bits) % (static_cast<uint64_t>(limit) + 1));
  };
  std::vector<AmortizedEvent> events;
  int64_t clock = shape.start_ns;
  for (size_t i = 0; i < shape.events; ++i) {
    const int kind = static_cast<int>(random() % 8);
    AmortizedEvent event;
    if (kind >= shape.sends_of_8 && kind < shape.sends_of_8 + shape.receives_of_8) {
      event.jump_ns = below(shape.largest_jump_ns);
    }
    clock = Saturate(Int128{clock} + below(shape.largest_gap_ns));
    const int64_t before = i == 0 ? INT64_MIN : events.back().clock_ns;
    clock = Saturate(Int128{clock} + event.jump_ns);
    event.jump_ns =
        static_cast<int64_t>(std::min<Int128>(event.jump_ns, i == 0 ? 0 : Int128{clock} - before));
    event.clock_ns = clock;
    if (kind < shape.sends_of_8) {
      event.latest_ns = Saturate(Int128{clock} + below(shape.largest_slack_ns));
    }
    events.push_back(event);
  }
  return events;
}

// Feeds events one after the other, ends holds in random order, and pops at random times.
std::vector<int64_t> Streamed(const Shape& shape, const std::vector<AmortizedEvent>& events,
                              std::mt19937_64& random) {
  Amortizer amortizer(shape.options);
  std::vector<int64_t> times;
  std::vector<uint64_t> waiting;
  int64_t bound = INT64_MIN;
  const auto take = [&] {
    EXPECT_GE(amortizer.LowerBound(), bound);
    bound = amortizer.LowerBound();
    while (random() % 4 != 0) {
      const auto final = amortizer.Pop();
      if (!final) break;
      EXPECT_EQ(final->sequence, times.size());
      EXPECT_GE(final->after_ns, bound);
      times.push_back(final->after_ns);
    }
  };
  const auto release = [&](size_t place) {
    const uint64_t sequence = waiting[place];
    waiting[place] = waiting.back();
    waiting.pop_back();
    amortizer.Limit(sequence, events[sequence].latest_ns);
    amortizer.Release(sequence);
  };
  for (const AmortizedEvent& event : events) {
    const bool waits = event.latest_ns != kNone && random() % 2 == 0;
    const uint64_t sequence =
        amortizer.Add(event.clock_ns, event.jump_ns, waits ? Hold::kWaits : Hold::kNone);
    if (waits) {
      waiting.push_back(sequence);
    } else {
      amortizer.Limit(sequence, event.latest_ns);
    }
    while (!waiting.empty() && random() % 16 < waiting.size()) release(random() % waiting.size());
    take();
  }
  while (!waiting.empty()) release(waiting.size() - 1);
  amortizer.Finish();
  while (const auto final = amortizer.Pop()) times.push_back(final->after_ns);
  EXPECT_EQ(amortizer.buffered(), 0U);
  return times;
}

TEST_P(RandomTrace, IsAmortizedAsByTheNaiveImplementation) {
  for (uint64_t seed = 1; seed <= RandomCases(25); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<AmortizedEvent> events = RandomAmortizedEvents(GetParam(), random);
    const std::vector<int64_t> expected = oracle::Amortize(events, GetParam().options).after_ns;
    ASSERT_EQ(Streamed(GetParam(), events, random), expected);
  }
}

// Some limits come up to 30 events after their send, when jumps may have raised it; others are
// replaced by lower or higher ones. The limits of a broadcast's later receives come like that.
std::vector<AmortizedEvent> WithLateLimits(std::vector<AmortizedEvent> events,
                                           std::mt19937_64& random) {
  for (size_t i = 0; i < events.size(); ++i) {
    AmortizedEvent& event = events[i];
    if (event.latest_ns == kNone || random() % 2 == 0) continue;
    event.late_after = i + random() % 30;
    const Int128 slack = Int128{event.latest_ns} - event.clock_ns;
    event.late_ns = Saturate(event.clock_ns + slack * static_cast<int64_t>(random() % 5) / 3);
    if (random() % 2 == 0) event.latest_ns = kNone;
  }
  return events;
}

// Without holds, so that each jump is spread as soon as it is known.
std::vector<int64_t> StreamedWithLateLimits(const Shape& shape,
                                            const std::vector<AmortizedEvent>& events,
                                            std::mt19937_64& random) {
  Amortizer amortizer(shape.options);
  std::multimap<size_t, uint64_t> to_come;  // by the event that they come after
  std::vector<int64_t> times;
  for (const AmortizedEvent& event : events) {
    const uint64_t sequence = amortizer.Add(event.clock_ns, event.jump_ns, Hold::kNone);
    amortizer.Limit(sequence, event.latest_ns);
    if (event.late_ns != kNone) to_come.emplace(event.late_after, sequence);
    for (auto it = to_come.begin(); it != to_come.end() && it->first == sequence;
         it = to_come.erase(it)) {
      amortizer.Limit(it->second, events[it->second].late_ns);
    }
    while (random() % 4 != 0) {
      const auto final = amortizer.Pop();
      if (!final) break;
      times.push_back(final->after_ns);
    }
  }
  amortizer.Finish();
  while (const auto final = amortizer.Pop()) times.push_back(final->after_ns);
  return times;
}

TEST_P(RandomTrace, LimitsThatComeLateCountForLaterJumps) {
  for (uint64_t seed = 201; seed <= 200 + RandomCases(25); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<AmortizedEvent> events =
        WithLateLimits(RandomAmortizedEvents(GetParam(), random), random);
    const std::vector<int64_t> expected = oracle::Amortize(events, GetParam().options).after_ns;
    ASSERT_EQ(StreamedWithLateLimits(GetParam(), events, random), expected);
  }
}

TEST_P(RandomTrace, KeepsOrderDistancesAndLimits) {
  for (uint64_t seed = 101; seed <= 110; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<AmortizedEvent> events = RandomAmortizedEvents(GetParam(), random);
    const std::vector<int64_t> times = Streamed(GetParam(), events, random);
    ASSERT_EQ(times.size(), events.size());
    ASSERT_EQ(times.back(), events.back().clock_ns);
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_GE(times[i], events[i].clock_ns) << "event " << i;
      ASSERT_LE(times[i], std::max(events[i].latest_ns, events[i].clock_ns)) << "event " << i;
      if (i == 0) continue;
      // Without the jump.
      const Int128 distance =
          Int128{events[i].clock_ns} - events[i - 1].clock_ns - events[i].jump_ns;
      ASSERT_GE(Int128{times[i]} - times[i - 1], distance) << "event " << i;
    }
  }
}

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr int64_t kHuge = INT64_MAX;

INSTANTIATE_TEST_SUITE_P(
    Shapes, RandomTrace,
    ::testing::Values(
        Shape{"Typical", {}, kEpoch, 300'000, 2'000, 100'000, 3, 2, 2000},
        Shape{"TinyJumps", {}, kEpoch, 300'000, 3, 20, 3, 2, 1500},
        Shape{"TightSends", {}, kEpoch, 200'000, 50'000, 100, 3, 2, 1500},
        Shape{"FewSends", {}, kEpoch, 200'000, 50'000, 500'000, 1, 4, 1500},
        Shape{"GrowingInterval", {1, 10, 5}, -1000, 30, 400, 300, 3, 2, 1500},
        Shape{"ShortIntervals", {1, 2, 3}, 0, 10, 6, 9, 3, 2, 1500},
        Shape{"EqualTimes", {1, 4, 2}, 0, 1, 2, 3, 3, 2, 1500},
        Shape{"NeverFinal", {1, kHuge, kHuge}, kEpoch, 100, 90, 500, 3, 2, 400},
        Shape{"WholeRange", {1, 3, 1000}, INT64_MIN, kHuge / 20, kHuge / 30, kHuge, 3, 2, 60},
        Shape{"WholeRangeSteep", {kHuge, 1, 0}, INT64_MIN, kHuge / 20, kHuge, kHuge, 3, 2, 60},
        Shape{"AtTheEnd", {1, 50, 10}, kHuge - 5000, 100, 100, 100, 3, 2, 300}),
    [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace syncline
