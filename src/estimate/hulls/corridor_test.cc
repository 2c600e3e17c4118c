#include "estimate/hulls/corridor.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

struct Messages {
  std::vector<Point> upper;
  std::vector<Point> lower;
};

PairPoints Collect(const Messages& messages) {
  PairPoints points;
  for (const Point p : messages.upper) points.AddAToB(p.x, p.y);
  for (const Point p : messages.lower) points.AddBToA(p.y, p.x);
  return points;
}

// Every vertex of the polygon of admissible lines: through two points, or through one point with a
// limiting slope; checked against every point.
std::vector<Line> AdmissibleVertices(const Messages& messages, SlopeRange prior) {
  std::vector<Point> all = messages.upper;
  all.insert(all.end(), messages.lower.begin(), messages.lower.end());
  std::vector<Line> candidates;
  for (const Point p : all) {
    candidates.push_back({p, prior.min});
    candidates.push_back({p, prior.max});
    for (const Point q : all) {
      if (p.x != q.x) candidates.push_back({p, SlopeOf(p, q)});
    }
  }
  std::erase_if(candidates, [&](const Line& line) {
    return line.slope < prior.min || line.slope > prior.max ||
           !IsAdmissible({messages.upper, messages.lower}, line);
  });
  return candidates;
}

std::optional<int64_t> Highest(const std::vector<Line>& lines, int64_t x) {
  std::optional<int64_t> best;
  for (const Line& line : lines) best = std::max(best.value_or(line.Ceil(x)), line.Ceil(x));
  return best;
}

std::optional<int64_t> Lowest(const std::vector<Line>& lines, int64_t x) {
  std::optional<int64_t> best;
  for (const Line& line : lines) best = std::min(best.value_or(line.Floor(x)), line.Floor(x));
  return best;
}

Messages RandomMessages(uint32_t seed) {
  std::mt19937 random(seed);
  const int64_t noise = seed % 5 == 0 ? 400 : 40 + 20 * (seed % 7);
  const int64_t lift = seed % 6 == 0 ? -25 : 3;  // now and then hulls that cross
  const int64_t gain = seed % 9 == 0 ? 2 : 1;    // and a rate outside the prior
  std::uniform_int_distribution<int64_t> time(0, 200);
  std::uniform_int_distribution<int64_t> delay(0, noise);
  Messages messages;
  for (uint32_t i = 0; i <= seed % 11; ++i) {
    const int64_t x = time(random);
    messages.upper.push_back({x, gain * x + lift + delay(random)});
  }
  for (uint32_t i = 0; i <= seed % 8; ++i) {
    const int64_t x = time(random);
    messages.lower.push_back({x, gain * x - lift - delay(random)});
  }
  return messages;
}

TEST(Corridor, MatchesBruteForceOverAllLinesThroughTwoPoints) {
  int open = 0, by_prior = 0, empty = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const Messages messages = RandomMessages(seed);
    const SlopeRange prior =
        seed % 2 == 0 ? SlopeRange{{8, 10}, {12, 10}} : PriorRange(std::nullopt);
    const Corridor corridor = FindCorridor(ShiftedHulls(Collect(messages), {}), prior);
    const std::vector<Line> lines = AdmissibleVertices(messages, prior);
    ASSERT_EQ(corridor.state == Corridor::State::kOpen, !lines.empty());
    if (lines.empty()) {
      const bool fits = !AdmissibleVertices(messages, PriorRange(std::nullopt)).empty();
      EXPECT_EQ(corridor.state == Corridor::State::kEmptyByPrior, fits);
      fits ? ++by_prior : ++empty;
      continue;
    }
    ++open;
    const auto by_slope = [](const Line& a, const Line& b) { return a.slope < b.slope; };
    const auto [low, high] = std::minmax_element(lines.begin(), lines.end(), by_slope);
    EXPECT_EQ(corridor.slopes.min, low->slope);
    EXPECT_EQ(corridor.slopes.max, high->slope);
    for (int64_t x = -150; x <= 350; x += 13) {
      EXPECT_EQ(corridor.bounds.upper->Ceil(x), Highest(lines, x)) << x;
      EXPECT_EQ(corridor.bounds.lower->Floor(x), Lowest(lines, x)) << x;
    }
  }
  EXPECT_GT(open, 200);
  EXPECT_GT(by_prior, 3);
  EXPECT_GT(empty, 3);
}

// The true line stays inside, whatever the offset, drift and asymmetry.
TEST(Corridor, HoldsTheTrueLineOfSimulatedClocks) {
  constexpr int64_t kYear = 31'557'600'000'000'000;
  constexpr int64_t kStart = 1'795'263'390'669'396'121 - 10 * kYear;
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int64_t offset = std::uniform_int_distribution<int64_t>(-10, 10)(random) * kYear;
    const int64_t drift = std::uniform_int_distribution<int64_t>(-150'000, 150'000)(random);
    const Line truth{{kStart, kStart + offset}, {1'000'000'000 + drift, 1'000'000'000}};
    std::exponential_distribution<double> jitter(1.0 / 120'000);
    PairPoints points;
    const int64_t slower_way = seed % 3 == 0 ? 8'000'000 : 100'000;
    for (int i = 0; i < 300; ++i) {
      const int64_t x = kStart + static_cast<int64_t>(random() % 60'000'000'000);
      points.AddAToB(x, truth.Ceil(x) + slower_way + static_cast<int64_t>(jitter(random)));
      const int64_t z = kStart + static_cast<int64_t>(random() % 60'000'000'000);
      points.AddBToA(truth.Floor(z) - 1000 - static_cast<int64_t>(jitter(random)), z);
    }
    const Corridor corridor = FindCorridor(ShiftedHulls(points, {1000, 0}), PriorRange(200));
    ASSERT_EQ(corridor.state, Corridor::State::kOpen);
    EXPECT_LE(corridor.slopes.min, truth.slope);
    EXPECT_GE(corridor.slopes.max, truth.slope);
    const Bounds inverse = corridor.bounds.Inverted();
    for (int64_t t = -600'000'000'000; t <= 600'000'000'000; t += 7'777'777'777) {
      const int64_t x = kStart + t;
      EXPECT_GE(corridor.bounds.upper->Ceil(x), truth.Ceil(x));
      EXPECT_LE(corridor.bounds.lower->Floor(x), truth.Floor(x));
      const int64_t y = kStart + offset + t;
      EXPECT_GE(inverse.upper->Ceil(y), truth.Inverted().Ceil(y));
      EXPECT_LE(inverse.lower->Floor(y), truth.Inverted().Floor(y));
    }
  }
}

TEST(Corridor, MinimumDelaysMoveTheHullsTogether) {
  const PairPoints points = Collect({{{0, 100}}, {{0, -50}}});
  const Corridor corridor = FindCorridor(ShiftedHulls(points, {30, 20}), PriorRange(200));
  EXPECT_EQ(corridor.bounds.upper->Ceil(0), 100 - 30);
  EXPECT_EQ(corridor.bounds.lower->Floor(0), -50 + 20);
}

TEST(Corridor, PriorLimitsHowBoundsWidenAwayFromMessages) {
  const PairPoints points = Collect({{{0, 100}}, {{0, -100}}});
  const Corridor corridor = FindCorridor(ShiftedHulls(points, {}), PriorRange(200));
  // Up to 1/(1 − 200 ppm) and from 1 − 200 ppm.
  EXPECT_EQ(corridor.bounds.upper->Ceil(1'000'000), 1'000'000 + 100 + 201);
  EXPECT_EQ(corridor.bounds.upper->Ceil(-1'000'000), -1'000'000 + 100 + 200);
  EXPECT_EQ(corridor.bounds.lower->Floor(1'000'000), 1'000'000 - 100 - 200);
  EXPECT_EQ(corridor.bounds.lower->Floor(-1'000'000), -1'000'000 - 100 - 201);
}

TEST(Corridor, OneDirectionBoundsOneSide) {
  const PairPoints forth = Collect({{{0, 10}, {100, 120}}, {}});
  const Corridor corridor = FindCorridor(ShiftedHulls(forth, {}), PriorRange(std::nullopt));
  EXPECT_EQ(corridor.state, Corridor::State::kOneSided);
  EXPECT_EQ(corridor.bounds.upper->Ceil(50), (10 + 120) / 2);
  EXPECT_FALSE(corridor.bounds.lower.has_value());
  const PairPoints back = Collect({{}, {{0, 10}, {100, 120}}});
  const Corridor other = FindCorridor(ShiftedHulls(back, {}), PriorRange(std::nullopt));
  EXPECT_EQ(other.bounds.lower->Floor(50), (10 + 120) / 2);
  EXPECT_FALSE(other.bounds.upper.has_value());
}

TEST(Corridor, TouchingHullsLeaveExactlyOneLine) {
  const Corridor corridor = FindCorridor(
      ShiftedHulls(Collect({{{0, 0}, {20, 20}}, {{10, 10}}}), {}), PriorRange(std::nullopt));
  ASSERT_EQ(corridor.state, Corridor::State::kOpen);
  EXPECT_EQ(corridor.slopes.min, (Slope{1, 1}));
  EXPECT_EQ(corridor.slopes.max, (Slope{1, 1}));
  EXPECT_EQ(corridor.bounds.upper->Ceil(35), 35);
  EXPECT_EQ(corridor.bounds.lower->Floor(-35), -35);
}

TEST(Corridor, OneUnitDecidesBetweenOpenAndEmptyAtHugeCoordinates) {
  constexpr int64_t kFar = (int64_t{1} << 60) - 1;
  const std::vector<Point> upper = {{-kFar, -kFar}, {kFar, kFar}};
  const auto state = [&](Point lower) {
    return FindCorridor(ShiftedHulls(Collect({upper, {lower}}), {}), PriorRange(200)).state;
  };
  EXPECT_EQ(state({1, 1}), Corridor::State::kOpen);
  EXPECT_EQ(state({1, 2}), Corridor::State::kEmpty);
}

TEST(Corridor, NoMessagesLeaveEverythingOpen) {
  const Corridor corridor = FindCorridor({}, PriorRange(200));
  EXPECT_EQ(corridor.state, Corridor::State::kNoMessages);
  EXPECT_FALSE(corridor.bounds.upper.has_value() || corridor.bounds.lower.has_value());
}

TEST(PriorRange, IsExactForWholePartsPerMillionAndOtherwiseRoundedOutward) {
  EXPECT_EQ(PriorRange(200).max, (Slope{1'000'000, 999'800}));
  EXPECT_EQ(PriorRange(200).min, (Slope{999'800, 1'000'000}));
  EXPECT_EQ(PriorRange(0).min, (Slope{1, 1}));
  EXPECT_EQ(PriorRange(1e-7).max, (Slope{1'000'000'000'000, 999'999'999'999}));
  EXPECT_EQ(PriorRange(1e9).max, PriorRange(std::nullopt).max);
}

}  // namespace
}  // namespace syncline
