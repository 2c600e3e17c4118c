#include "estimate/joint/piecewise_programme.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Clock 0 keeps time; clock 1's guess is the same, with knots at these seconds.
PiecewiseProblem TwoClocks(const std::vector<int64_t>& knots_s, size_t bins) {
  PiecewiseProblem problem;
  problem.clocks = {0, 1};
  problem.knotted.push_back({{{0, 0}, {10 * kSecond, 10 * kSecond}}});
  KnottedClock bent;
  for (const int64_t s : knots_s) bent.knots.push_back({s * kSecond, s * kSecond});
  problem.knotted.push_back(bent);
  problem.readings_ns = {0, 0};
  problem.pairs = {{0, 1, {}}};
  problem.pair_of[{0, 1}] = 0;
  problem.end_ns = 10 * kSecond;
  problem.bins = bins;
  return problem;
}

RecordedMessage From(uint32_t from, int64_t sent, uint32_t to, int64_t received) {
  return {ClockId(from), ClockId(to), {sent}, {received}, sent, received};
}

WishedRates NoWishes(const PiecewiseProblem& problem) {
  WishedRates wished;
  for (const KnottedClock& clock : problem.knotted) {
    wished.emplace_back(clock.knots.size() - 1);
  }
  return wished;
}

TEST(KnottedClock, FindsItsSegments) {
  const KnottedClock clock{{{0, 100}, {10, 120}, {20, 130}}};
  EXPECT_EQ(clock.SegmentAt(-5), 0U);
  EXPECT_EQ(clock.SegmentAt(9), 0U);
  EXPECT_EQ(clock.SegmentAt(10), 1U);
  EXPECT_EQ(clock.SegmentAt(99), 1U);
  EXPECT_EQ(clock.GuessAt(5), 110);
  EXPECT_EQ(clock.GuessAt(30), 140);
  EXPECT_EQ(clock.Preimage(110), 5);
  EXPECT_EQ(clock.Preimage(125), 15);
}

// Messages take 100 µs each way; clock 1 is 300 µs behind at first, and 700 µs from 5 s on.
TEST(SolvePiecewise, FollowsABendAtAKnotAndSaysWhatLacksWithoutOne) {
  const auto behind = [](int64_t t) { return t < 5 * kSecond ? 300'000 : 700'000; };
  for (const bool has_knots : {true, false}) {
    const PiecewiseProblem problem =
        TwoClocks(has_knots ? std::vector<int64_t>{0, 4, 6, 10} : std::vector<int64_t>{0, 10}, 10);
    SegmentHulls hulls(problem);
    MessagePlaces places(problem, 2);
    for (int64_t t = 0; t < 10 * kSecond; t += kSecond / 4) {
      if (t >= 4 * kSecond && t <= 6 * kSecond) continue;
      const int64_t there = t + 100'000;
      hulls.Add(*places.Of(From(0, t, 1, there - behind(there))));
      hulls.Add(*places.Of(From(1, t - behind(t), 0, t + 100'000)));
    }
    const std::vector<PiecewiseRow> rows = hulls.Rows();
    const auto solution = SolvePiecewise(problem, rows, NoWishes(problem), 1);
    ASSERT_TRUE(solution);
    if (!has_knots) {
      EXPECT_GT(solution->lack_us, 1);
      continue;
    }
    EXPECT_LT(solution->lack_us, 1e-5);
    ASSERT_EQ(solution->moves_us[1].size(), 4U);
    EXPECT_NEAR(solution->moves_us[1][0], 300, 1);
    EXPECT_NEAR(solution->moves_us[1][1], 300, 1);
    EXPECT_NEAR(solution->moves_us[1][2], 700, 1);
    EXPECT_NEAR(solution->moves_us[1][3], 700, 1);
    for (const PiecewiseRow& row : rows) {
      EXPECT_GE(SlackUs(row, solution->moves_us), 0.001 - 1e-6);
    }
  }
}

TEST(SolvePiecewise, KeepsTheWishedRateAndChoosesTheOffset) {
  const PiecewiseProblem problem = TwoClocks({0, 10}, 5);
  SegmentHulls hulls(problem);
  MessagePlaces places(problem, 2);
  for (int64_t t = 0; t < 10 * kSecond; t += kSecond / 4) {
    hulls.Add(*places.Of(From(0, t, 1, t + 200'000)));
    hulls.Add(*places.Of(From(1, t, 0, t + 200'000)));
  }
  WishedRates wished = NoWishes(problem);
  wished[1][0] = 10;  // ppm: 100 µs in 10 s
  const auto solution = SolvePiecewise(problem, hulls.Rows(), wished, 1);
  ASSERT_TRUE(solution);
  EXPECT_NEAR(solution->moves_us[1][1] - solution->moves_us[1][0], 100, 0.01);
  EXPECT_NEAR(solution->moves_us[1][0], -50, 20);
}

// Every message is satisfied wherever those on the hulls are.
TEST(SegmentHulls, HullsSpeakForAllMessages) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    PiecewiseProblem problem = TwoClocks({0, 3, 7, 10}, 4);
    MessagePlaces places(problem, 2);
    SegmentHulls hulls(problem);
    struct Sent {
      ClockId from, to;
      int64_t sent, received;
    };
    std::vector<Sent> messages;
    for (int i = 0; i < 2000; ++i) {
      const auto at = static_cast<int64_t>(random() % (10 * kSecond));
      const auto delay = static_cast<int64_t>(random() % 1'000'000);
      const bool is_there = random() % 2 == 0;
      messages.push_back({ClockId(is_there ? 0 : 1), ClockId(is_there ? 1 : 0), at, at + delay});
      hulls.Add(*places.Of({messages.back().from, messages.back().to, {}, {}, at, at + delay}));
    }
    const std::vector<PiecewiseRow> rows = hulls.Rows();
    EXPECT_LT(rows.size(), messages.size() / 4);
    std::vector<std::vector<double>> moves = {{0, 0}, {}};
    for (int i = 0; i < 4; ++i) {
      moves[1].push_back(static_cast<double>(random() % 2'000'000) / 1000 - 1000);
    }
    double least_row = 1e18;
    for (const PiecewiseRow& row : rows) least_row = std::min(least_row, SlackUs(row, moves));
    const auto corrected = [&](ClockId clock, int64_t t) {
      const auto time_us = static_cast<double>(t) / 1000;
      if (clock.value == 0) return time_us;
      const size_t s = problem.knotted[1].SegmentAt(t);
      const auto& knots = problem.knotted[1].knots;
      const double share =
          static_cast<double>(t - knots[s].x) / static_cast<double>(knots[s + 1].x - knots[s].x);
      return time_us + moves[1][s] * (1 - share) + moves[1][s + 1] * share;
    };
    double least = 1e18;
    for (const Sent& m : messages) {
      least = std::min(least, corrected(m.to, m.received) - corrected(m.from, m.sent));
    }
    EXPECT_NEAR(least_row, least, 0.01);
  }
}

}  // namespace
}  // namespace syncline
