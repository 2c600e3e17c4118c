#include "stream_clock.h"

#include <random>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline::babeltrace_plugin {
namespace {

StreamClock Make(const CtfClock& clock, std::vector<Correction::Knot> knots) {
  return *StreamClock::Make(clock, *Correction::FromKnots(std::move(knots)), "test");
}

TEST(StreamClock, CorrectsCyclesAndFindsThemAgain) {
  // The clock began at 100 s of its own time and is 2 s ahead.
  const StreamClock clock =
      Make({.offset_s = 100}, {{{0}, {98 * kSecond}}, {{kSecond}, {99 * kSecond}}});
  EXPECT_EQ(clock.NominalNs(5), 100 * kSecond + 5);
  EXPECT_EQ(clock.Corrected(5).ns, 98 * kSecond + 5);
  EXPECT_EQ(clock.ToCycles({100 * kSecond + 7}), 7U);
  EXPECT_EQ(clock.ToCycles({100 * kSecond}), 0U);
  EXPECT_EQ(clock.ToCycles({100 * kSecond - 1}), std::nullopt);
}

TEST(StreamClock, TakesTheNearestOfCoarseCycles) {
  // Cycles of 100 ns, 3 of them before the second begins.
  const StreamClock clock = Make({.frequency = 10'000'000, .offset_s = 1, .offset_cycles = 3},
                                 {{{0}, {kSecond}}, {{10'000'000}, {2 * kSecond}}});
  EXPECT_EQ(clock.NominalNs(4), kSecond + 700);
  EXPECT_EQ(clock.Corrected(4).ns, kSecond + 400);
  EXPECT_EQ(clock.ToCycles({kSecond + 340}), 0U);
  EXPECT_EQ(clock.ToCycles({kSecond + 360}), 1U);
  EXPECT_EQ(clock.ToCycles({kSecond + 949}), 6U);
}

TEST(StreamClock, RoundsTimesBeforeTheEpochDown) {
  const StreamClock clock = Make({.frequency = 3, .offset_s = -1}, {{{0}, {0}}, {{3}, {kSecond}}});
  EXPECT_EQ(clock.NominalNs(0), -kSecond);
  EXPECT_EQ(clock.NominalNs(1), -666'666'667);
}

TEST(StreamClock, HoldsTimesAtTheEndsOfTheirRange) {
  const StreamClock clock = Make({}, {{{0}, {0}}, {{2}, {3}}});
  EXPECT_EQ(clock.Corrected(UINT64_MAX).ns, INT64_MAX);
  EXPECT_EQ(clock.ToCycles({INT64_MAX}), static_cast<uint64_t>(INT64_MAX));
  EXPECT_EQ(clock.ToCycles({INT64_MIN}), std::nullopt);
}

TEST(StreamClock, RefusesClocksBeyondAllTimes) {
  const auto correction = Correction::FromKnots({{{0}, {0}}, {{1}, {1}}});
  const auto clock = StreamClock::Make({.offset_s = INT64_MAX}, *correction, "alpha");
  ASSERT_FALSE(clock.has_value());
  EXPECT_EQ(clock.error().code, ErrorCode::kUnsupported);
}

// The bound that decides when a message may go out.
TEST(StreamClock, NothingFromANominalTimeOnIsEarlierThanTheBound) {
  for (const uint64_t frequency : {1'000'000'000UL, 10'000'000UL, 2'399'998'000UL, 1'000UL}) {
    SCOPED_TRACE(testing::Message() << frequency << " Hz, seed 7");
    std::mt19937_64 random(7);
    const auto second = static_cast<int64_t>(frequency);
    const StreamClock clock =
        Make({.frequency = frequency, .offset_s = 1'795'262'587, .offset_cycles = frequency / 3},
             {{{0}, {1'795'262'500 * kSecond}},
              {{40 * second}, {1'795'262'541 * kSecond}},
              {{90 * second}, {1'795'262'580 * kSecond}}});
    for (int i = 0; i < 2'000; ++i) {
      const uint64_t cycles = random() % (frequency * 100);
      const GlobalTime bound = clock.EarliestFrom(clock.NominalNs(cycles));
      EXPECT_LE(bound, clock.Corrected(cycles));
      EXPECT_GE(bound.ns, clock.Corrected(cycles).ns - 2'000 - 5 * kSecond / second);
    }
  }
}

}  // namespace
}  // namespace syncline::babeltrace_plugin
