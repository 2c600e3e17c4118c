#include "estimate/drift_bounded/stretches.h"

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

// Clock b is 500 s behind a, whose messages take 1600 s; those with b once a second, from b_from_s
// to b_to_s of a.
struct TwoClocks {
  explicit TwoClocks(int64_t b_from_s = 0, int64_t b_to_s = 1600) {
    for (int64_t s = b_from_s; s < b_to_s; ++s) {
      there.push_back({s * kSecond, (s - 500) * kSecond + 10, 0});
      back.push_back({(s - 500) * kSecond + 20, s * kSecond + 30, 0});
    }
    const std::vector<Direction> directions = {
        {0, 1, 0, there}, {1, 0, 0, back}, {0, 2, 0, at_ends}};
    graph = Graph({{.rate = {}, .is_reference = true},
                   {.rate = RateLimits::Within(1)},
                   {.rate = RateLimits::Within(1)}},
                  directions, 0);
    paths = FindBothPaths({&graph, 1}).front();
  }
  Stretches Share(double share) const {
    return {graph, paths, TrackTable(std::vector<uint32_t>{1, 1, 1}), share};
  }

  static constexpr int64_t kSecond = 1'000'000'000;
  std::vector<Constraint> there, back;
  // To one who never answers.
  std::vector<Constraint> at_ends = {{0, 10, 0}, {1599 * kSecond, 1599 * kSecond + 10, 0}};
  Graph graph;
  BothPaths paths;
};

TEST(Stretches, HoldTheSameTimesOfAllClocks) {
  const TwoClocks clocks;
  const Stretches stretches = clocks.Share(0.25);
  EXPECT_EQ(stretches.share(), 0.25);
  ASSERT_EQ(stretches.all().size(), 16);
  size_t messages = 0;
  for (const Stretches::Stretch& stretch : stretches.all()) {
    const auto of_a = stretches.Within(stretch, 0, clocks.there);
    const auto of_b = stretches.Within(stretch, 1, clocks.back);
    ASSERT_FALSE(of_a.empty());
    ASSERT_FALSE(of_b.empty());
    EXPECT_NEAR(static_cast<double>(of_a.front().s - of_b.front().r), 0, 1.1e9);
    EXPECT_NEAR(static_cast<double>(of_a.back().s - of_b.back().r), 0, 1.1e9);
    for (const int64_t z : stretches.Within(stretch, 0)) {
      EXPECT_GE(z, stretch.from);
      EXPECT_LT(z, stretch.to);
    }
    messages += of_a.size();
  }
  EXPECT_NEAR(static_cast<double>(messages), 400, 16);
}

TEST(Stretches, AllOfTheTimeIsOneOfThem) {
  const TwoClocks clocks;
  const Stretches stretches = clocks.Share(1.5);
  EXPECT_EQ(stretches.share(), 1);
  ASSERT_EQ(stretches.all().size(), 1);
  EXPECT_EQ(stretches.Within(stretches.all().front(), 1, clocks.back).size(), clocks.back.size());
}

TEST(Stretches, PassOverNoClock) {
  // Of 100 s each, 10 s are looked at; b says something in others only.
  EXPECT_EQ(TwoClocks(20, 90).Share(0.1).share(), 1);
  EXPECT_EQ(TwoClocks(0, 400).Share(0.1).share(), 0.1);
}

}  // namespace
}  // namespace syncline::drift_bounded
