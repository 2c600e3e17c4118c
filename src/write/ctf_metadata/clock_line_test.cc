#include "write/ctf_metadata/clock_line.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/ticks.h"

namespace syncline::ctf_metadata {
namespace {

// 100 s of a clock that counts 35 ppm too fast: 100 003 500 000 cycles.
TEST(ClockLine, RateInWholeHertzIsMetExactly) {
  const CorrectedSpan span = {.first = 0,
                              .last = 100'003'500'000,
                              .first_ns = 5 * kNsPerSecond,
                              .last_ns = 105 * kNsPerSecond};
  const auto line = NearestLine(span);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->freq, 1'000'035'000U);
  EXPECT_EQ(line->base_ns, 5 * kNsPerSecond);
  EXPECT_EQ(DeviationNs(span, *line), 0);
}

// A rate 0.3 ppb above 1 GHz: 1000 s are 300 cycles more. At 1 GHz the line is 300 ns too long, 150
// at each end.
TEST(ClockLine, WhatIsLeftOfTheRateIsSharedByBothEnds) {
  const CorrectedSpan span = {
      .first = 0, .last = 1000 * kNsPerSecond + 300, .first_ns = 0, .last_ns = 1000 * kNsPerSecond};
  const auto line = NearestLine(span);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->freq, 1'000'000'000U);
  EXPECT_EQ(line->base_ns, -150);
  EXPECT_EQ(DeviationNs(span, *line), 150);
}

TEST(ClockLine, NoLineForEmptyOrAbsurdSpans) {
  EXPECT_FALSE(NearestLine({.first = 5, .last = 5, .first_ns = 0, .last_ns = 1}));
  EXPECT_FALSE(NearestLine({.first = 5, .last = 6, .first_ns = 1, .last_ns = 1}));
  EXPECT_FALSE(NearestLine({.first = 0, .last = UINT64_MAX, .first_ns = 0, .last_ns = 1}));
  // A slow clock far from its zero: the base would lie centuries back.
  EXPECT_FALSE(NearestLine(
      {.first = UINT64_MAX - 1, .last = UINT64_MAX, .first_ns = 0, .last_ns = kNsPerSecond}));
}

TEST(ClockLine, ExtremeValuesDoNotOverflow) {
  for (const CorrectedSpan& span :
       {CorrectedSpan{0, UINT64_MAX, INT64_MIN, INT64_MAX},
        CorrectedSpan{0, 1, INT64_MIN, INT64_MAX},
        CorrectedSpan{UINT64_MAX - 1, UINT64_MAX, INT64_MAX - 1, INT64_MAX}}) {
    const auto line = NearestLine(span);
    EXPECT_GE(line ? DeviationNs(span, *line) : 0, 0);
  }
}

struct RandomSpan {
  CorrectedSpan span;
  explicit RandomSpan(uint64_t seed) {
    std::mt19937_64 random(seed);
    const uint64_t rate = uint64_t{1} << (random() % 32);
    span.first = random() >> (4 + random() % 50);
    const uint64_t length_ns = 1 + random() % (uint64_t{1} << (30 + random() % 10));
    const auto cycles = static_cast<UInt128>(length_ns) * rate / kNsPerSecond;
    span.last = span.first + 1 + static_cast<uint64_t>(cycles) + random() % 100;
    span.first_ns = static_cast<int64_t>(random() % (uint64_t{1} << 61));
    span.last_ns = span.first_ns + static_cast<int64_t>(length_ns);
  }
};

// At the worse end, not rounded.
long double Distance(const CorrectedSpan& span, const ClockLine& line) {
  const auto at = [&](uint64_t cycles, int64_t ns) {
    const Int128 scaled = static_cast<Int128>(cycles) * kNsPerSecond -
                          (static_cast<Int128>(ns) - line.base_ns) * static_cast<Int128>(line.freq);
    return static_cast<long double>(scaled < 0 ? -scaled : scaled) / line.freq;
  };
  return std::max(at(span.first, span.first_ns), at(span.last, span.last_ns));
}

TEST(ClockLine, NoLineNearbyIsNearer) {
  uint64_t compared = 0;
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE(seed);
    const CorrectedSpan span = RandomSpan(seed).span;
    const auto line = NearestLine(span);
    if (!line) continue;
    ++compared;
    const long double least = Distance(span, *line);
    for (int64_t rate = -2; rate <= 2; ++rate) {
      const uint64_t freq = line->freq + static_cast<uint64_t>(rate);
      if (freq == 0 || freq > (uint64_t{1} << 40)) continue;
      const Int128 first = static_cast<Int128>(span.first_ns) - ExactNs({freq, 0, 0}, span.first);
      const Int128 last = static_cast<Int128>(span.last_ns) - ExactNs({freq, 0, 0}, span.last);
      for (int64_t shift = -2; shift <= 2; ++shift) {
        const Int128 base = FloorDiv(first + last, 2) + shift;
        if (Saturate(base) != base) continue;
        const ClockLine other = {freq, static_cast<int64_t>(base)};
        EXPECT_LE(least, Distance(span, other) + 0.5L) << rate << " " << shift;
      }
    }
  }
  EXPECT_GT(compared, 3000U);
}

TEST(ClockLine, SettingGivesTheBaseToACycleAndANanosecond) {
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const ClockLine line = {.freq = 1 + (random() >> (24 + random() % 40)),
                            .base_ns = static_cast<int64_t>(random()) / 4};
    const auto setting = SettingOf(line);
    ASSERT_TRUE(setting);
    EXPECT_EQ(setting->freq, line.freq);
    EXPECT_LT(setting->offset, setting->freq);
    const int64_t base = BabeltraceClock::Make(*setting)->base_ns();
    const int64_t half_cycle =
        kNsPerSecond / 2 / static_cast<int64_t>(std::min<uint64_t>(line.freq, kNsPerSecond));
    const bool is_fine = line.freq >= uint64_t{kNsPerSecond};
    EXPECT_LE(std::abs(base - line.base_ns), is_fine ? 0 : half_cycle + 1);
  }
}

TEST(ClockLine, SettingOfOneGigahertzIsExactEverywhere) {
  for (const int64_t base : {int64_t{0}, int64_t{-1}, int64_t{999'999'999}, -5 * kNsPerSecond,
                             INT64_MIN + 2 * kNsPerSecond, INT64_MAX - 3 * kNsPerSecond}) {
    const auto setting = SettingOf({1'000'000'000, base});
    ASSERT_TRUE(setting) << base;
    EXPECT_EQ(BabeltraceClock::Make(*setting)->base_ns(), base);
  }
  EXPECT_FALSE(SettingOf({1'000'000'000, INT64_MAX}));
}

}  // namespace
}  // namespace syncline::ctf_metadata
