#include "read/ctf/ctf_clock.h"

#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int64_t kHalf = int64_t{1} << 62;

TEST(CtfClock, OrdinaryClocksCountTheirCycles) {
  const auto clock =
      WithOrigin({.name = "m", .offset_s = 1795262587, .offset_cycles = 38700051}, "");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->origin, 0);
  EXPECT_EQ(clock->FromCycles(1483860254593).ticks, 1483860254593);
  EXPECT_EQ(clock->ToClock("h").NominalNs({1483860254593}),
            1795262587 * 1'000'000'000LL + 38700051 + 1483860254593);
}

TEST(CtfClock, TimesAndCyclesAreEachOthersInverse) {
  for (const int64_t origin : {int64_t{0}, kHalf, -kHalf, int64_t{-1}}) {
    const CtfClock clock{.origin = origin};
    for (const uint64_t cycles : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 61}) {
      EXPECT_TRUE(clock.Holds(cycles));
      EXPECT_EQ(clock.ToCycles(clock.FromCycles(cycles)), cycles) << origin;
    }
  }
}

TEST(CtfClock, ValuesBeyondTheRangeSaturate) {
  const CtfClock clock;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(clock.Holds(kMost));
  EXPECT_EQ(clock.FromCycles(kMost).ticks, INT64_MAX);
  EXPECT_EQ(clock.ToCycles({-1}), 0);
  const CtfClock late{.origin = INT64_MAX};
  EXPECT_EQ(late.ToCycles({INT64_MAX}), kMost - 1);
}

struct OriginCase {
  uint64_t frequency;
  int64_t offset_s;
  std::optional<int64_t> origin;  // none: impossible
};

TEST(CtfClock, OriginsAreChosenSoThatNothingOverflows) {
  // The offset in cycles is frequency · offset_s; what exceeds 2^62 of it goes into the readings.
  const OriginCase cases[] = {
      {1'000'000'000, 0, 0},
      {1'000'000'000, 1'800'000'000, 0},
      {4'000'000'000, 1'800'000'000, 0},
      {5'000'000'000, 0, kHalf},
      // 5e9 · 1.8e9 + 2^62 does not fit 63 bits: readings become cycles + 5e9 · 1.8e9 − 2^62.
      {5'000'000'000, 1'800'000'000, kHalf - 5'000'000'000 * 1'800'000'000},
      {1, -9'000'000'000, 0},
      {1, 9'300'000'000, std::nullopt},                  // 9.3e18 ns
      {1'000'000'000'000, 1'800'000'000, std::nullopt},  // 1.8e21 cycles
      {uint64_t{1} << 63, 0, std::nullopt},
  };
  for (const OriginCase& c : cases) {
    const auto clock =
        WithOrigin({.name = "c", .frequency = c.frequency, .offset_s = c.offset_s}, "file");
    ASSERT_EQ(clock.has_value(), c.origin.has_value()) << c.frequency << ' ' << c.offset_s;
    if (!clock) {
      EXPECT_EQ(clock.error().code, ErrorCode::kUnsupported);
      continue;
    }
    EXPECT_EQ(clock->origin, *c.origin) << c.frequency << ' ' << c.offset_s;
    // Whatever the origin, the clock claims the same time.
    const Int128 claimed = static_cast<Int128>(c.offset_s) * 1'000'000'000 + 7'000'000'000;
    EXPECT_EQ(clock->ToClock("").NominalNs(clock->FromCycles(7 * c.frequency)), Saturate(claimed));
  }
}

TEST(CtfClock, SlowClocksSayHowFarTheyResolve) {
  EXPECT_EQ((CtfClock{.frequency = 1'000'000}.ToClock("").reading_ns), 1000);
  EXPECT_EQ((CtfClock{.frequency = 3'000'000'000}.ToClock("").reading_ns), 0);
}

}  // namespace
}  // namespace syncline
