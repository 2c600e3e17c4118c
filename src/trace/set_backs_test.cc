#include "trace/set_backs.h"

#include <random>

#include <gtest/gtest.h>

#include "base/parcel.h"

namespace syncline {
namespace {

constexpr SetBackRule kSequence{1'000, 0};
constexpr int64_t kMs = 1'000'000;

SeenSetBacks FindInReadings(SetBackRule rule, const std::vector<int64_t>& readings) {
  SetBackFinder finder(rule);
  for (size_t i = 0; i < readings.size(); ++i) finder.Add(i, {readings[i]});
  return finder.Finish();
}

using Found = std::vector<SetBack>;

TEST(SetBackRule, AllowsAMicrosecondAndATick) {
  const auto tolerance = [](int64_t ticks_per_second, int64_t reading_ns) {
    Clock clock{.name = "c", .ticks_per_second = ticks_per_second};
    clock.reading_ns = reading_ns;
    return SetBackRuleOf(clock).tolerance_ticks;
  };
  EXPECT_EQ(tolerance(1'000'000'000, 0), 1'000U);
  EXPECT_EQ(tolerance(1'000'000'000, 1 * kMs), 1'000'000U);  // coarse readings in nanoseconds
  EXPECT_EQ(tolerance(1'000, 0), 1U);
  EXPECT_EQ(tolerance(3, 0), 1U);
  EXPECT_EQ(tolerance(2'500'000'000, 0), 2'500U);
}

TEST(SetBackFinder, FindsWhereReadingsRepeat) {
  EXPECT_EQ(FindInReadings(kSequence, {}).found, Found());
  EXPECT_EQ(FindInReadings(kSequence, {5}).found, Found());
  EXPECT_EQ(FindInReadings(kSequence, {0, 9'000, 9'500, 4'000, 5'000, 12'000}).found,
            (Found{{3, {9'500}, {4'000}}}));
  EXPECT_EQ(FindInReadings(kSequence, {0, 9'000, 4'000, 5'000}).highest.ticks, 5'000);
}

TEST(SetBackFinder, FindsThemAtTheFirstAndTheLastEventAndOneAfterTheOther) {
  EXPECT_EQ(FindInReadings(kSequence, {5'000, 0}).found, (Found{{1, {5'000}, {0}}}));
  EXPECT_EQ(FindInReadings(kSequence, {9'000, 6'000, 3'000, 0}).found,
            (Found{{1, {9'000}, {6'000}}, {2, {6'000}, {3'000}}, {3, {3'000}, {0}}}));
}

TEST(SetBackFinder, TakesSmallStepsForReorderingButNotTheirSum) {
  EXPECT_EQ(FindInReadings(kSequence, {5'000, 4'000, 5'000, 4'000}).found,
            Found());  // exactly a microsecond
  EXPECT_EQ(FindInReadings(kSequence, {5'000, 3'999}).found, (Found{{1, {5'000}, {3'999}}}));
  EXPECT_EQ(FindInReadings(kSequence, {5'000, 4'400, 3'800}).found, (Found{{2, {5'000}, {3'800}}}));
  EXPECT_EQ(FindInReadings({1, 0}, {7, 6, 5}).found, (Found{{2, {7}, {5}}}));  // ticks
}

TEST(SetBackFinder, HoldsAtTheEndsOfTheRange) {
  EXPECT_EQ(FindInReadings(kSequence, {INT64_MIN, INT64_MAX, INT64_MIN}).found,
            (Found{{2, {INT64_MAX}, {INT64_MIN}}}));
  EXPECT_EQ(FindInReadings({UINT64_MAX, 0}, {INT64_MAX, INT64_MIN}).found, Found());
}

TEST(SetBackFinder, APacketOutOfOrderBeginsNoEpoch) {
  constexpr SetBackRule k = kCaptureSetBacks;
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 50 * kMs, 101 * kMs, 102 * kMs}).found, Found());
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 50 * kMs, 51 * kMs, 52 * kMs, 101 * kMs}).found, Found());
  const SetBack after_three{1, {100 * kMs}, {50 * kMs}};
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 50 * kMs, 51 * kMs, 52 * kMs, 53 * kMs, 101 * kMs}).found,
            Found{after_three});
  // As far as there are any.
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 50 * kMs}).found, Found{after_three});
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 50 * kMs, 51 * kMs}).found, Found{after_three});
  // Up to a millisecond, nothing.
  EXPECT_EQ(FindInReadings(k, {100 * kMs, 99 * kMs, 99 * kMs, 99 * kMs, 99 * kMs}).found, Found());
}

TEST(SetBackFinder, FindsSetBacksThatFollowOneAnotherInCaptures) {
  EXPECT_EQ(FindInReadings(kCaptureSetBacks, {100 * kMs, 50 * kMs, 40 * kMs, 41 * kMs, 42 * kMs,
                                              43 * kMs, 44 * kMs, 45 * kMs})
                .found,
            (Found{{1, {100 * kMs}, {50 * kMs}}, {2, {50 * kMs}, {40 * kMs}}}));
}

TEST(SetBackFinder, ACaptureInNoOrderSaysNothingOfItsClock) {
  const auto every = [](int64_t packets, int64_t set_backs) {
    std::vector<int64_t> readings;
    for (int64_t k = 0; k <= set_backs; ++k) {
      // The first one goes highest.
      const int64_t from = k == 0 ? 900 : 10 * (set_backs - k);
      for (int64_t i = 0; i < packets; ++i) readings.push_back((from + i) * kMs);
    }
    return readings;
  };
  EXPECT_EQ(FindInReadings(kCaptureSetBacks, every(5, 8)).found.size(), 8U);
  EXPECT_EQ(FindInReadings(kCaptureSetBacks, every(16, 9)).found.size(), 9U);
  const SeenSetBacks unordered = FindInReadings(kCaptureSetBacks, every(5, 9));
  EXPECT_EQ(unordered.found, Found());
  EXPECT_EQ(unordered.highest.ticks, (900 + 4) * kMs);
  EXPECT_EQ(unordered.first.ticks, 900 * kMs);
  EXPECT_EQ(FindInReadings(kSequence, every(5, 9)).found.size(), 9U);
  // Also where there are more than are kept.
  const SeenSetBacks many = FindInReadings(kCaptureSetBacks, every(5, 2 * kMostSetBacks));
  EXPECT_EQ(many.found, Found());
  EXPECT_FALSE(many.are_too_many);
}

// The definition, over all events at once.
Found Naive(SetBackRule rule, const std::vector<int64_t>& readings) {
  Found found;
  int64_t highest = INT64_MIN;
  for (size_t i = 0; i < readings.size(); ++i) {
    const bool is_below =
        readings[i]<highest&& static_cast<uint64_t>(highest) - static_cast<uint64_t>(readings[i])>
            rule.tolerance_ticks;
    bool is_confirmed = is_below;
    for (size_t j = i + 1; j <= i + rule.confirmed_by && j < readings.size(); ++j) {
      is_confirmed = is_confirmed && readings[j] < highest;
    }
    if (is_confirmed) found.push_back({i, {highest}, {readings[i]}});
    if (is_confirmed || !is_below)
      highest = is_confirmed ? readings[i] : std::max(highest, readings[i]);
  }
  return found;
}

TEST(SetBackFinder, FindsWhatTheDefinitionSays) {
  std::mt19937_64 random(20261);
  for (int run = 0; run < 2000; ++run) {
    std::vector<int64_t> readings(random() % 20);
    const int64_t range = 1 + static_cast<int64_t>(random() % 12);
    int64_t base = 0;
    for (int64_t& reading : readings) {
      base += static_cast<int64_t>(random() % 3);
      if (random() % 7 == 0) base -= static_cast<int64_t>(random() % 12);
      reading = base + static_cast<int64_t>(random()) % range;
    }
    for (const SetBackRule rule :
         {SetBackRule{0, 0}, SetBackRule{2, 0}, SetBackRule{1, 1}, SetBackRule{2, 3}}) {
      EXPECT_EQ(FindInReadings(rule, readings).found, Naive(rule, readings)) << "run " << run;
    }
  }
}

TEST(SeenSetBacks, ArriveInAnotherProcess) {
  const SeenSetBacks seen = FindInReadings(kSequence, {3, 9'000, 9'500, 4'000, 5'000, 1'000});
  ASSERT_EQ(seen.found.size(), 2);
  Parcel parcel;
  parcel.Put(seen);
  ParcelReader reader(parcel.bytes());
  const auto arrived = reader.Take<SeenSetBacks>();
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(arrived.found, seen.found);
  EXPECT_EQ(arrived.first, seen.first);
  EXPECT_EQ(arrived.highest, seen.highest);
  EXPECT_TRUE(arrived.has_events);
  EXPECT_FALSE(arrived.are_too_many);
}

TEST(SetBackFinder, GivesUpBeyondAMost) {
  SetBackFinder finder({0, 0});
  for (uint64_t i = 0; i < 2 * kMostSetBacks + 4; ++i) finder.Add(i, {i % 2 == 0 ? 5 : 0});
  const SeenSetBacks seen = finder.Finish();
  EXPECT_TRUE(seen.are_too_many);
  EXPECT_EQ(seen.found.size(), kMostSetBacks);
}

}  // namespace
}  // namespace syncline
