#include "trace/coarse_times.h"

#include <random>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

constexpr int64_t kSomeTime = 1'795'394'196'905'347'957;

TEST(CoarseTimes, TimesThatAreAllWholeAreAsCoarse) {
  CoarseTimes ms, us;
  for (int64_t i = 1; i <= 5; ++i) {
    ms.Add(7 * i * kMs);
    us.Add(7 * i * kUs);
  }
  EXPECT_EQ(ms.ReadingNs(0), kMs);
  EXPECT_EQ(us.ReadingNs(0), kUs);
  EXPECT_EQ(ms.ReadingNs(2 * kUs), kMs + 2 * kUs);
  EXPECT_EQ(us.ReadingNs(2 * kUs), 2 * kUs);
  EXPECT_EQ(CoarseTimes().ReadingNs(0), 0);
  CoarseTimes second;
  second.Add(7'000 * kMs);
  EXPECT_EQ(second.ReadingNs(0), 1'000 * kMs);
}

TEST(CoarseTimes, SomeThatWereCutOffMakeAllCoarse) {
  // Every fourth one begins by a coarse clock, the others follow it exactly.
  for (const int64_t child_ns : {int64_t{1}, kUs}) {
    CoarseTimes times;
    for (int64_t i = 0; i < 12; ++i) {
      times.Add((1001 * (i / 4) + 7) * kMs + (i % 4) * 1'234'567 * child_ns);
    }
    EXPECT_EQ(times.ReadingNs(0), kMs);
  }
}

TEST(CoarseTimes, WhatChanceMakesWholeIsNotCoarse) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    CoarseTimes ns, us;
    for (int i = 0; i < 3000; ++i) {
      const int64_t time = kSomeTime + static_cast<int64_t>(random() % (1000 * kMs));
      ns.Add(time);
      us.Add(time / kUs * kUs);
    }
    EXPECT_EQ(ns.ReadingNs(0), 0);
    EXPECT_EQ(us.ReadingNs(0), kUs);
  }
}

TEST(CoarseTimes, TicksOfTimesWithZerosAreThoseOfTheirClock) {
  CoarseTimes ms, again;
  for (int64_t i = 1; i <= 6; ++i) {
    EXPECT_EQ(ms.TickNs(1), 1) << i;  // a handful may be whole
    ms.Add(7 * i * kMs);
    for (int times = 0; times < 2; ++times) again.Add(7 * (i / 2) * kMs);
  }
  EXPECT_EQ(ms.TickNs(1), kMs);
  EXPECT_EQ(ms.MultiplesOf(kMs), 6);
  EXPECT_EQ(ms.TickNs(kMs), kMs);
  EXPECT_EQ(again.TickNs(1), 1);
  CoarseTimes timed;  // each other begins with a second
  for (int64_t i = 1; i <= 100; ++i) timed.Add((1'000 * (i / 2) + 7 * i * (i % 2)) * kMs);
  EXPECT_EQ(timed.TickNs(kMs), kMs);
  // Of two decimals of a second one in a hundred is whole by chance, of floating-point numbers
  // more.
  for (const int64_t written_ns : {int64_t{100}, 10 * kMs}) {
    CoarseTimes times;
    for (int64_t i = 1; i <= 1'000; ++i) times.Add((kSomeTime / written_ns + 7 * i) * written_ns);
    EXPECT_EQ(times.TickNs(written_ns), written_ns);
  }
}

TEST(CoarseTimes, TicksBetweenTheUnitsShowWhereAllTimesHaveThem) {
  for (const int64_t tick_ns : {100 * kMs, 10 * kMs, 100 * kUs, 10 * kUs, int64_t{100}}) {
    CoarseTimes coarse, mixed;
    for (int64_t i = 1; i <= 15; ++i) {
      EXPECT_EQ(coarse.TickNs(tick_ns / 10), tick_ns / 10) << i;
      coarse.Add(7 * (i + i / 10) * tick_ns);
    }
    for (int64_t i = 1; i <= 100; ++i) mixed.Add(7 * i * (i % 8 == 0 ? 1 : 10) * tick_ns / 10);
    EXPECT_EQ(coarse.TickNs(tick_ns / 10), tick_ns);
    EXPECT_EQ(coarse.ReadingNs(0), tick_ns);
    EXPECT_EQ(mixed.TickNs(tick_ns / 10), tick_ns / 10);
  }
}

TEST(CoarseTimes, RoundDurationsAreNotCoarseWhereOthersAreExact) {
  CoarseTimes durations;
  for (int64_t i = 1; i <= 20; ++i) durations.Add(7 * i * kMs);
  EXPECT_EQ(durations.TickOfAllNs(1), kMs);
  durations.Add(kSomeTime);
  EXPECT_EQ(durations.TickOfAllNs(1), 1);
  EXPECT_EQ(durations.TickNs(1), kMs);
}

TEST(CoarseTimes, FloatingPointNumbersAreAsFineAsWritten) {
  CoarseTimes seconds;  // as Python's time.time() tells them: 2^-22 s apart, to 100 ns
  for (int64_t i = 1; i <= 3'000; ++i) {
    const int64_t of_float = 7'654'321 * i;
    seconds.Add((of_float * 10'000'000 / (1 << 22) + 17'953'941'960'000'000) * 100);
  }
  EXPECT_EQ(seconds.TickNs(100), 100);
}

}  // namespace
}  // namespace syncline
