#include "syncline/correction.h"

#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/int128.h"
#include "model/correct_all.h"

namespace syncline {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Correction Make(std::vector<Correction::Knot> knots) {
  return Correction::FromKnots(std::move(knots)).value();
}

TEST(Time, SumsAndDifferencesSaturate) {
  constexpr Duration kMost{INT64_MAX}, kLeast{INT64_MIN}, kOne{1};
  EXPECT_EQ(kMost + kOne, kMost);
  EXPECT_EQ(kLeast - kOne, kLeast);
  EXPECT_EQ(-kLeast, kMost);
  EXPECT_EQ(GlobalTime{INT64_MAX} + kOne, GlobalTime{INT64_MAX});
  EXPECT_EQ(GlobalTime{INT64_MIN} - kOne, GlobalTime{INT64_MIN});
  EXPECT_EQ(GlobalTime{INT64_MIN} - GlobalTime{1}, kLeast);
  EXPECT_EQ(GlobalTime{INT64_MAX} - GlobalTime{-1}, kMost);
}

TEST(Correction, InterpolatesBetweenKnotsAndGoesOnBeyond) {
  const Correction c = Make({{{0}, {100}}, {{10}, {120}}, {{20}, {130}}});
  EXPECT_EQ(c({5}).ns, 100 + 5 * 20 / 10);
  EXPECT_EQ(c({15}).ns, 120 + 5 * 10 / 10);
  EXPECT_EQ(c({-10}).ns, 100 - 10 * 20 / 10);
  EXPECT_EQ(c({30}).ns, 130 + 10);
}

TEST(Correction, RejectsKnotsThatDoNotIncrease) {
  EXPECT_FALSE(Correction::FromKnots({{{0}, {0}}}));
  EXPECT_FALSE(Correction::FromKnots({{{0}, {0}}, {{0}, {1}}}));
  EXPECT_FALSE(Correction::FromKnots({{{0}, {5}}, {{1}, {5}}}));
}

TEST(Correction, SpansTheWholeRangeExactly) {
  const Correction c = Make({{{kMin}, {kMin}}, {{kMax}, {kMax}}});
  for (const int64_t x : {kMin, kMin + 1, int64_t{-1}, int64_t{0}, int64_t{1}, kMax - 1, kMax}) {
    EXPECT_EQ(c({x}).ns, x);
    EXPECT_EQ(c.Inverse({x}).ticks, x);
  }
}

TEST(Correction, SaturatesBeyondInt64) {
  const Correction c = Make({{{0}, {0}}, {{1}, {1'000'000'000}}});
  EXPECT_EQ(c({kMax}).ns, kMax);
  EXPECT_EQ(c({kMin}).ns, kMin);
}

// The oracle divides step by step in long double from the nearest knot, where 64 bits of mantissa
// hold the small products of this test exactly.
TEST(Correction, IsWithinHalfANanosecondOfTheRationalValue) {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < 2000; ++round) {
    const int64_t x0 = static_cast<int64_t>(random() >> 2);
    const int64_t y0 = static_cast<int64_t>(random() >> 2);
    const int64_t run = 1 + static_cast<int64_t>(random() % 1'000'000);
    const int64_t rise = 1 + static_cast<int64_t>(random() % 1'000'000);
    const Correction c = Make({{{x0}, {y0}}, {{x0 + run}, {y0 + rise}}});
    const int64_t dx = static_cast<int64_t>(random() % 2'000'000) - 1'000'000;
    const int64_t value = c({x0 + dx}).ns - y0;
    // |value·run − dx·rise| ≤ run / 2, in integers.
    EXPECT_LE(2 * std::abs(value * run - dx * rise), run) << "round " << round;
  }
}

TEST(Correction, RoundsHalvesAwayFromTheLeftKnot) {
  const Correction fast = Make({{{0}, {0}}, {{4}, {4 + 2}}});
  const Correction slow = Make({{{0}, {0}}, {{4}, {4 - 2}}});
  EXPECT_EQ(fast({1}).ns, 2);    // 1.5
  EXPECT_EQ(fast({-1}).ns, -2);  // -1.5
  EXPECT_EQ(fast({3}).ns, 5);    // 4.5
  EXPECT_EQ(slow({1}).ns, 1);    // 0.5
  EXPECT_EQ(slow({-1}).ns, -1);  // -0.5
  EXPECT_EQ(slow({3}).ns, 2);    // 1.5
  EXPECT_EQ(slow({-3}).ns, -2);  // -1.5
}

// Against the definition in 128 bits, from drifts and times that 64 bits can multiply to ones that
// they cannot.
TEST(Correction, IsTheRoundedRationalValue) {
  std::mt19937_64 random(20261121);
  for (int round = 0; round < 20'000; ++round) {
    const int64_t x0 = static_cast<int64_t>(random()) >> (random() % 8);
    const int64_t y0 = static_cast<int64_t>(random()) >> (1 + random() % 8);
    const int64_t run = 1 + static_cast<int64_t>(random() >> (16 + random() % 48));
    const int64_t excess = static_cast<int64_t>(random()) >> (32 + random() % 32);
    const Int128 rise = static_cast<Int128>(run) + excess;
    const Int128 x1 = static_cast<Int128>(x0) + run;
    const Int128 y1 = y0 + rise;
    if (rise <= 0 || x1 != Saturate(x1) || y1 != Saturate(y1)) continue;
    const Correction c = Make({{{x0}, {y0}}, {{Saturate(x1)}, {Saturate(y1)}}});
    const int64_t x =
        Saturate(static_cast<Int128>(x0) + (static_cast<int64_t>(random()) >> (random() % 64)));
    const Int128 expected =
        y0 + MulDivRound(static_cast<Int128>(x) - x0, rise, static_cast<UInt128>(run));
    EXPECT_EQ(c({x}).ns, Saturate(expected)) << "round " << round;
  }
}

TEST(CorrectAll, CorrectsEachTimeAsTheCorrectionDoes) {
  const Correction line = Make({{{0}, {100}}, {{10}, {120}}});
  const Correction bent = Make({{{0}, {100}}, {{10}, {120}}, {{20}, {130}}, {{30}, {170}}});
  const Correction whole = Make({{{kMin}, {kMin}}, {{0}, {0}}, {{kMax}, {kMax}}});
  std::vector<LocalTime> local;
  for (const int64_t x : {kMin, kMin + 1, int64_t{-1}, kMax}) local.push_back({x});
  for (int64_t x = -5; x <= 35; ++x) local.push_back({x});
  for (int64_t x = 35; x >= -5; x -= 3) local.push_back({x});
  for (const Correction& c : {line, bent, whole}) {
    std::vector<GlobalTime> corrected(local.size());
    CorrectAll(c, local, corrected);
    for (size_t i = 0; i < local.size(); ++i) {
      EXPECT_EQ(corrected[i], c(local[i])) << "time " << local[i].ticks;
    }
  }
}

TEST(CorrectAll, FillsAsMuchAsThereIsRoomFor) {
  const Correction c = Make({{{0}, {100}}, {{10}, {120}}});
  const std::vector<LocalTime> local = {{1}, {2}, {3}};
  std::vector<GlobalTime> corrected(2);
  CorrectAll(c, local, corrected);
  EXPECT_EQ(corrected, (std::vector<GlobalTime>{{102}, {104}}));
  CorrectAll(c, {}, corrected);
  EXPECT_EQ(corrected, (std::vector<GlobalTime>{{102}, {104}}));
}

TEST(Correction, InverseReturnsWithinOneTick) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int64_t x0 = 1'700'000'000'000'000'000 + static_cast<int64_t>(random() % 1'000'000'000);
    const int64_t run = 60'000'000'000;
    const int64_t rise = run + static_cast<int64_t>(random() % 24'000'000) - 12'000'000;
    const Correction c = Make({{{x0}, {x0 / 2}}, {{x0 + run}, {x0 / 2 + rise}}});
    const int64_t x = x0 + static_cast<int64_t>(random() % 100'000'000'000);
    EXPECT_LE(std::abs(c.Inverse(c({x})).ticks - x), 1);
  }
}

TEST(Correction, ThenIsCompositionWithinRounding) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const int64_t x0 = 1'700'000'000'000'000'000;
    const int64_t step = 10'000'000'000;
    auto drifted = [&](int64_t value) {
      return value + static_cast<int64_t>(random() % 2'000'001) - 1'000'000;
    };
    const int64_t y0 = x0 + 5'000'000'000;
    const Correction first = Make({{{x0}, {drifted(y0)}},
                                   {{x0 + step}, {drifted(y0 + step)}},
                                   {{x0 + 2 * step}, {drifted(y0 + 2 * step)}}});
    const Correction second = Make({{{y0}, {drifted(x0)}},
                                    {{y0 + step / 2}, {drifted(x0 + step / 2)}},
                                    {{y0 + 2 * step}, {drifted(x0 + 2 * step)}}});
    const Correction both = first.Then(second);
    for (int i = 0; i < 20; ++i) {
      const LocalTime x{x0 + static_cast<int64_t>(random() % (2 * step))};
      EXPECT_LE(std::abs(both(x).ns - second({first(x).ns}).ns), 2);
    }
  }
}

TEST(Correction, NominalIsTheClocksOwnTime) {
  const Clock plain{"a"};
  EXPECT_EQ(Correction::Nominal(plain)({1'795'263'385'000'000'001}).ns, 1'795'263'385'000'000'001);
  const Clock coarse{"b", 1'000'000, 500};
  EXPECT_EQ(Correction::Nominal(coarse)({1500}).ns, (1500 + 500) * 1000);
  const Clock fast{"c", 3'000'000'000, 0};
  EXPECT_EQ(Correction::Nominal(fast)({10}).ns, 3);  // 3⅓ ns
  EXPECT_EQ(fast.NominalNs({10}), 3);
  EXPECT_EQ(fast.FromNominalNs(3).ticks, 9);
}

}  // namespace
}  // namespace syncline
