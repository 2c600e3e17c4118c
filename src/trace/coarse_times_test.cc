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

}  // namespace
}  // namespace syncline
