#include "estimate/joint/rate_bounds.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(RateBounds, OneMessageEachWayBoundsTheInstantOfTheMessageAndWidensFromThere) {
  // 1000 ppm: 1 µs per ms. Sent at 5 s, received 300 µs later; and back, 200 µs.
  RateBounds pair(0, 10 * kSecond, 10, PriorRange(1000));
  pair.AddAToB(5 * kSecond, 5 * kSecond + 300'000);
  pair.AddBToA(5 * kSecond, 5 * kSecond + 200'000);
  const auto bounds = pair.Find();
  ASSERT_TRUE(bounds && bounds->upper && bounds->lower);
  const auto upper = [&](int64_t x) { return static_cast<double>(bounds->upper->Ceil(x) - x); };
  const auto lower = [&](int64_t x) { return static_cast<double>(bounds->lower->Floor(x) - x); };
  EXPECT_NEAR(upper(5 * kSecond), 300'000, 3);
  EXPECT_NEAR(upper(7 * kSecond), 300'000 + 2'000'000, 5);
  EXPECT_NEAR(upper(2 * kSecond), 300'000 + 3'000'000, 5);
  EXPECT_NEAR(upper(20 * kSecond), 300'000 + 15'000'000, 20);
  // The answer reached a at 5.0002 s when b's clock showed 5 s.
  EXPECT_NEAR(lower(7 * kSecond), -200'000 - 1'999'800, 5'000);
  EXPECT_LE(lower(5 * kSecond + 200'000), -200'000);
}

TEST(RateBounds, MessagesThatNeedALargerDifferenceOfRatesContradictTheLimit) {
  RateBounds pair(0, 10 * kSecond, 100, PriorRange(200));
  // b gains 400 µs in a second, but for 2 µs on the way.
  pair.AddAToB(1 * kSecond, 1 * kSecond + 1000);
  pair.AddBToA(2 * kSecond + 400'000, 2 * kSecond + 1000);
  EXPECT_FALSE(pair.Find());
}

TEST(RateBounds, OneDirectionBoundsOneSide) {
  RateBounds pair(0, kSecond, 4, PriorRange(200));
  pair.AddBToA(1000, 2000);
  const auto bounds = pair.Find();
  ASSERT_TRUE(bounds);
  EXPECT_FALSE(bounds->upper);
  EXPECT_TRUE(bounds->lower);
}

// Against the definition, with clocks whose rate changes within the limit.
TEST(RateBounds, HoldTheTruthAndAreNoWiderThanTheDefinitionByMoreThanABin) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int64_t origin = seed % 2 == 0 ? 1'800'000'000 * kSecond : 0;
    constexpr size_t kBins = 500;
    constexpr int64_t kLength = 10 * kSecond;
    // b − a in ns: a bend of up to 400 ppm at 3 s and back at 6 s.
    const int64_t ppm = static_cast<int64_t>(random() % 801) - 400;
    const auto ahead = [&](int64_t t) {
      return ppm * (std::clamp<int64_t>(t, 3 * kSecond, 6 * kSecond) - 3 * kSecond) / 1'000'000;
    };
    RateBounds pair(origin, origin + kLength, kBins, PriorRange(500));
    struct Message {
      int64_t a, b;
      bool is_a_to_b;
    };
    std::vector<Message> messages;
    for (int i = 0; i < 300; ++i) {
      const int64_t at = static_cast<int64_t>(random() % kLength);
      const int64_t delay = 100'000 + static_cast<int64_t>(random() % 400'000);
      const bool is_a_to_b = random() % 2 == 0;
      const int64_t b_at = is_a_to_b ? at + delay : at;
      const int64_t a_at = is_a_to_b ? at : at + delay;
      messages.push_back({origin + a_at, origin + b_at + ahead(b_at), is_a_to_b});
      is_a_to_b ? pair.AddAToB(messages.back().a, messages.back().b)
                : pair.AddBToA(messages.back().b, messages.back().a);
    }
    const auto bounds = pair.Find();
    ASSERT_TRUE(bounds && bounds->upper && bounds->lower);
    const int64_t slack = kLength / kBins * 1001 / 1'000'000 + 10;
    for (int64_t t = 0; t <= kLength; t += kLength / 997) {
      double upper = 1e18;
      double lower = -1e18;
      for (const Message& m : messages) {
        const auto run = static_cast<double>(origin + t - m.a);
        const auto at = static_cast<double>(m.b - origin);
        const double faster = at + run * (1 + 500e-6);
        const double slower = at + run * (1 - 500e-6);
        if (m.is_a_to_b) upper = std::min(upper, std::max(faster, slower));
        if (!m.is_a_to_b) lower = std::max(lower, std::min(faster, slower));
      }
      const auto u = static_cast<double>(bounds->upper->Ceil(origin + t) - origin);
      const auto l = static_cast<double>(bounds->lower->Floor(origin + t) - origin);
      EXPECT_GE(u, upper - 1) << t;
      EXPECT_LE(u, upper + static_cast<double>(slack)) << t;
      EXPECT_LE(l, lower + 1) << t;
      EXPECT_GE(l, lower - static_cast<double>(slack)) << t;
      EXPECT_GE(u, static_cast<double>(t + ahead(t)));
      EXPECT_LE(l, static_cast<double>(t + ahead(t)));
    }
  }
}

}  // namespace
}  // namespace syncline
