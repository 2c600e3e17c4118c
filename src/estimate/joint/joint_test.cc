#include "estimate/joint/joint.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "base/testing/times.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

std::vector<TrueClock> RandomClocks(size_t count, std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> offset(-2 * kSecond, 2 * kSecond);
  std::uniform_int_distribution<int64_t> drift_ppb(-90'000, 90'000);
  std::vector<TrueClock> clocks = {{}};  // the first keeps true time
  while (clocks.size() < count) clocks.push_back({offset(random), drift_ppb(random)});
  return clocks;
}

// 2 to 6 clocks along a random tree with a few more pairs, from one message a direction on.
ClockGroup RandomGroup(uint64_t seed, int64_t start = 0) {
  std::mt19937_64 random(seed);
  const size_t count = 2 + random() % 5;
  ClockGroup group(RandomClocks(count, random), start);
  const auto talk = [&](size_t a, size_t b) {
    group.Stream(a, b, 1 + static_cast<int>(random() % 40),
                 1000 + static_cast<int64_t>(random() % 500'000), random);
    group.Stream(b, a, 1 + static_cast<int>(random() % 40),
                 1000 + static_cast<int64_t>(random() % 500'000), random);
  };
  for (size_t b = 1; b < count; ++b) talk(random() % b, b);
  for (size_t i = random() % 4; i > 0; --i) {
    const size_t a = random() % count;
    const size_t b = random() % count;
    if (a != b) talk(a, b);
  }
  return group;
}

int64_t WidthAt(const ClockEstimate& clock, LocalTime t) {
  return clock.bounds.Upper(t)->ns - clock.bounds.Lower(t)->ns;
}

void ExpectTruthWithin(const ClockGroup& group, const GroupEstimate& estimate) {
  for (const ClockMessage& m : group.messages()) {
    for (const auto& [clock, t] : {std::pair(m.from, m.send_ns), std::pair(m.to, m.receive_ns)}) {
      const ClockEstimate& e = estimate.clocks[clock];
      const Line to_true = group.Truth(clock).Inverted();
      ASSERT_LE(e.bounds.Lower({t})->ns, to_true.Floor(t));
      ASSERT_GE(e.bounds.Upper({t})->ns, to_true.Ceil(t));
    }
  }
}

TEST(EstimateJoint, RandomLinearClocksStayWithinBoundsTighterThanTheTrees) {
  for (uint64_t seed = 1; seed <= RandomCases(250); ++seed) {
    SCOPED_TRACE(seed);
    const ClockGroup group = RandomGroup(seed);
    const std::vector<PairInput> pairs = group.Pairs();
    const JointEstimate joint = EstimateJoint(group.inputs(), pairs, {.reference = ClockId(0)});
    const GroupEstimate tree = EstimateTree(group.inputs(), pairs, {.reference = ClockId(0)});
    ASSERT_EQ(joint.components.size(), 1u);
    ASSERT_EQ(joint.components[0].state, JointFinding::State::kJoint);
    EXPECT_EQ(group.Inversions(joint.group), 0u);
    ExpectTruthWithin(group, joint.group);
    for (size_t i = 1; i < group.size(); ++i) {
      const ClockEstimate& clock = joint.group.clocks[i];
      ASSERT_EQ(clock.quality, Quality::kAccurate);
      for (const LocalTime t : {group.inputs()[i].first, group.inputs()[i].last}) {
        EXPECT_LE(WidthAt(clock, t), WidthAt(tree.clocks[i], t));
      }
    }
  }
}

// Messages at 10 and 50 s that take `there_ns` and `back_ns`.
void Exchange(ClockGroup& group, size_t a, size_t b, int64_t there_ns, int64_t back_ns) {
  for (const int64_t at : {10 * kSecond, 50 * kSecond}) {
    group.Send(a, b, at, there_ns);
    group.Send(b, a, at, back_ns);
  }
}

constexpr JointOptions kEqualRatesFromFirst{.reference = ClockId(0), .max_drift_ppm = 0};

JointEstimate EstimateEqualRates(const ClockGroup& group) {
  return EstimateJoint(group.inputs(), group.Pairs({.max_drift_ppm = 0}), kEqualRatesFromFirst);
}

int64_t CorrectionOf(const GroupEstimate& estimate, size_t clock, int64_t local) {
  return estimate.clocks[clock].correction(LocalTime{local}).ns - local;
}

TEST(EstimateJoint, TwoClocksAreSetMidway) {
  // b is 1 ms ahead; messages to it take 100 µs, from it 40 µs, so it looks 30 µs further ahead.
  ClockGroup group(std::vector<TrueClock>{{}, {1'000'000, 0}});
  Exchange(group, 0, 1, 100'000, 40'000);
  const JointEstimate joint = EstimateEqualRates(group);
  EXPECT_NEAR(static_cast<double>(CorrectionOf(joint.group, 1, 30 * kSecond)),
              -1'000'000 - (100'000 - 40'000) / 2.0, 1);
  EXPECT_EQ(joint.group.clocks[1].quality, Quality::kAccurate);
  EXPECT_EQ(joint.group.clocks[1].offset_ns, 1'030'000);
  for (const auto& side :
       {joint.group.clocks[1].bound, joint.group.clocks[1].below, joint.group.clocks[1].above}) {
    EXPECT_NEAR(static_cast<double>(side->worst_ns), (100'000 + 40'000) / 2.0, 2);
  }
}

TEST(EstimateJoint, MessagesBesideTheTreeAreNotInverted) {
  // By way of b, c is set midway between −20 and 40 µs, at 10; but messages c → a take only 5 µs.
  ClockGroup group(std::vector<TrueClock>(3));
  Exchange(group, 0, 1, 10'000, 20'000);
  Exchange(group, 1, 2, 10'000, 20'000);
  Exchange(group, 0, 2, 900'000, 5'000);
  const GroupEstimate tree =
      EstimateTree(group.inputs(), group.Pairs({.max_drift_ppm = 0}), {.reference = ClockId(0)});
  EXPECT_EQ(group.Inversions(tree), 2u);
  const JointEstimate joint = EstimateEqualRates(group);
  EXPECT_EQ(group.Inversions(joint.group), 0u);
  const ClockEstimate& c = joint.group.clocks[2];
  EXPECT_NEAR(static_cast<double>(c.bounds.Upper({0})->ns), 5'000, 2);
  EXPECT_NEAR(static_cast<double>(c.bounds.Lower({0})->ns), -20'000, 2);
  // The sides are those of the correction, which is not the middle.
  const int64_t corrected = CorrectionOf(joint.group, 2, 30 * kSecond);
  EXPECT_NEAR(static_cast<double>(c.below->best_ns), static_cast<double>(corrected + 20'000), 4);
  EXPECT_NEAR(c.above->mean_ns, static_cast<double>(5'000 - corrected), 4);
  EXPECT_EQ(c.bound->worst_ns, std::max(c.below->worst_ns, c.above->worst_ns));
}

TEST(EstimateJoint, EstimatesAChainAMeshAndASilentPair) {
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  const Pairs chain = {{0, 1}, {1, 2}, {2, 3}};
  const Pairs mesh = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const Pairs one_silent = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}};
  for (const Pairs& talk : {chain, mesh, one_silent}) {
    SCOPED_TRACE(talk.size());
    std::mt19937_64 random(7);
    ClockGroup group({{}, {kSecond, 35'000}, {-kSecond, -12'000}, {5'000, 5'000}});
    for (const auto& [a, b] : talk) {
      group.Stream(a, b, 300, 50'000, random);
      group.Stream(b, a, 300, 90'000, random);
    }
    const JointEstimate joint =
        EstimateJoint(group.inputs(), group.Pairs(), {.reference = ClockId(0)});
    EXPECT_EQ(group.Inversions(joint.group), 0u);
    ExpectTruthWithin(group, joint.group);
    for (size_t i = 0; i < group.size(); ++i) {
      EXPECT_EQ(joint.group.clocks[i].quality, Quality::kAccurate);
      // A chain adds up asymmetries of 20 µs each.
      const double allowed = 20'000 * static_cast<double>(i) + 10'000;
      const LocalTime t = group.inputs()[i].first;
      EXPECT_NEAR(static_cast<double>(joint.group.clocks[i].correction(t).ns -
                                      group.Truth(i).Inverted().Nearest(t.ticks)),
                  0, allowed);
    }
    EXPECT_NEAR(joint.group.clocks[1].drift_ppm, 35, 0.5);
  }
}

TEST(EstimateJoint, AnIsolatedClockIsAComponentOfItsOwn) {
  ClockGroup group(std::vector<TrueClock>(3));
  Exchange(group, 0, 2, 1'000, 1'000);
  const JointEstimate joint = EstimateEqualRates(group);
  ASSERT_EQ(joint.components.size(), 2u);
  EXPECT_EQ(joint.components[0].state, JointFinding::State::kJoint);
  EXPECT_EQ(joint.components[1].state, JointFinding::State::kSingle);
  EXPECT_EQ(joint.group.clocks[1].quality, Quality::kAbsent);
  EXPECT_EQ(joint.group.clocks[2].quality, Quality::kAccurate);
}

TEST(EstimateJoint, AClockThatOnlyReceivesIsSetToTheLeastDelay) {
  ClockGroup group(std::vector<TrueClock>(3));
  Exchange(group, 0, 1, 10'000, 10'000);
  // c is 1 ms ahead. Its fastest messages, from b, take 7 µs, those from a 30 µs.
  for (const int64_t at : {10 * kSecond, 50 * kSecond}) {
    group.Send(1, 2, at, 1'007'000);
    group.Send(0, 2, at, 1'030'000);
  }
  const JointEstimate joint = EstimateEqualRates(group);
  const ClockEstimate& c = joint.group.clocks[2];
  EXPECT_EQ(c.quality, Quality::kIncomplete);
  EXPECT_NE(c.reason, "");
  EXPECT_EQ(group.Inversions(joint.group), 0u);
  EXPECT_NEAR(static_cast<double>(CorrectionOf(joint.group, 2, 30 * kSecond)), -1'007'000, 2);
  EXPECT_FALSE(c.bounds.Upper({0}).has_value());
  // No earlier than a's sends, and than b's less what b can be behind a.
  EXPECT_GE(c.bounds.Lower({0})->ns, -1'030'000);
  EXPECT_FALSE(c.bound.has_value());
  EXPECT_FALSE(c.above.has_value());
  EXPECT_LE(c.below->worst_ns, 1'030'000 - 1'007'000 + 2);
}

TEST(EstimateJoint, ACircleOfOneWayMessagesBoundsBothSides) {
  // Around a → b → c → a the delays add up to 60 µs, 20 for each.
  ClockGroup group({{}, {500'000, 0}, {-300'000, 0}});
  for (const int64_t at : {10 * kSecond, 50 * kSecond}) {
    group.Send(0, 1, at, 10'000);
    group.Send(1, 2, at, 20'000);
    group.Send(2, 0, at, 30'000);
  }
  const JointEstimate joint = EstimateEqualRates(group);
  EXPECT_EQ(joint.group.clocks[1].quality, Quality::kAccurate);
  EXPECT_EQ(joint.group.clocks[2].quality, Quality::kAccurate);
  const auto error = [&](size_t i, int64_t offset) {
    return static_cast<double>(CorrectionOf(joint.group, i, 0) + offset);
  };
  EXPECT_NEAR(error(1, 500'000), 20'000 - 10'000, 2);
  EXPECT_NEAR(error(2, -300'000), (20'000 - 10'000) + (20'000 - 20'000), 2);
  ExpectTruthWithin(group, joint.group);
}

// Too long for programmes of all clocks around it: what is known are the ways round.
TEST(EstimateJoint, ALongCircleOfOneWayMessagesBoundsBothSides) {
  std::mt19937_64 random(7);
  constexpr size_t kCount = 150;
  ClockGroup group(RandomClocks(kCount, random));
  for (size_t i = 0; i < kCount; ++i) group.Stream(i, (i + 1) % kCount, 10, 20'000, random);
  const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), {});
  for (size_t i = 1; i < kCount; ++i) {
    EXPECT_EQ(joint.group.clocks[i].quality, Quality::kAccurate);
    EXPECT_TRUE(joint.group.clocks[i].bound.has_value());
  }
  ExpectTruthWithin(group, joint.group);
}

TEST(EstimateJoint, PairsThatContradictEachOtherLeaveTheTreesLinesWithoutClaims) {
  // c is at most 1 µs from b and b from a, but at least 10 µs from a.
  ClockGroup group(std::vector<TrueClock>(3));
  Exchange(group, 0, 1, 1'000, 1'000);
  Exchange(group, 1, 2, 1'000, 1'000);
  Exchange(group, 0, 2, 12'000, -10'000);
  const JointEstimate joint = EstimateEqualRates(group);
  EXPECT_EQ(joint.components[0].state, JointFinding::State::kFallback);
  EXPECT_NE(joint.components[0].reason, "");
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(joint.group.clocks[i].quality, Quality::kApproximate);
    EXPECT_EQ(joint.group.clocks[i].reason, joint.components[0].reason);
    EXPECT_FALSE(joint.group.clocks[i].bounds.Upper({0}).has_value());
    EXPECT_FALSE(joint.group.clocks[i].bound.has_value());
  }
}

TEST(EstimateJoint, APairWithoutAdmissibleLineLeavesTheTreesLinesWithoutClaims) {
  // Both pairs of b contradict themselves, so the tree blames b and still bounds c.
  ClockGroup group(std::vector<TrueClock>(3));
  Exchange(group, 0, 1, -5'000, 1'000);
  Exchange(group, 1, 2, -5'000, 1'000);
  Exchange(group, 0, 2, 1'000, 1'000);
  const std::vector<PairInput> pairs = group.Pairs();
  const JointEstimate joint = EstimateJoint(group.inputs(), pairs, {.reference = ClockId(0)});
  const GroupEstimate tree = EstimateTree(group.inputs(), pairs, {.reference = ClockId(0)});
  EXPECT_EQ(joint.components[0].state, JointFinding::State::kFallback);
  EXPECT_EQ(tree.clocks[2].quality, Quality::kAccurate);
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(joint.group.clocks[i].correction, tree.clocks[i].correction);
    EXPECT_EQ(joint.group.clocks[i].quality, Quality::kApproximate);
    EXPECT_NE(joint.group.clocks[i].reason, "");
    EXPECT_FALSE(joint.group.clocks[i].bounds.Upper({0}).has_value());
    EXPECT_FALSE(joint.group.clocks[i].bound.has_value());
  }
}

TEST(EstimateJoint, EpochSizeTimesGiveTheSameResultToTheNanosecond) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const ClockGroup small = RandomGroup(seed);
    const ClockGroup large = RandomGroup(seed, kEpoch);
    const GroupEstimate here =
        EstimateJoint(small.inputs(), small.Pairs(), {.reference = ClockId(0)}).group;
    const GroupEstimate there =
        EstimateJoint(large.inputs(), large.Pairs(), {.reference = ClockId(0)}).group;
    for (size_t i = 0; i < small.size(); ++i) {
      for (int64_t k = 0; k <= 4; ++k) {
        const LocalTime t{small.inputs()[i].first.ticks + 15 * k * kSecond};
        const LocalTime u{t.ticks + kEpoch};
        const auto near = [&](GlobalTime a, GlobalTime b) {
          return std::abs(a.ns + kEpoch - b.ns) <= 1;
        };
        EXPECT_PRED2(near, here.clocks[i].correction(t), there.clocks[i].correction(u));
        EXPECT_PRED2(near, *here.clocks[i].bounds.Upper(t), *there.clocks[i].bounds.Upper(u));
        EXPECT_PRED2(near, *here.clocks[i].bounds.Lower(t), *there.clocks[i].bounds.Lower(u));
      }
    }
  }
}

TEST(EstimateJoint, ClocksMayBeDecadesApartAndRatesUnlimited) {
  constexpr int64_t kYears = 900'000'000 * kSecond;
  std::mt19937_64 random(3);
  ClockGroup group({{}, {kYears, 80'000'000}, {-kYears, -300'000'000}, {5, 0}});
  for (const auto& [a, b] : {std::pair<size_t, size_t>(0, 1), {1, 2}, {0, 2}, {2, 3}}) {
    group.Stream(a, b, 50, 20'000, random);
    group.Stream(b, a, 50, 60'000, random);
  }
  const JointEstimate joint =
      EstimateJoint(group.inputs(), group.Pairs({.max_drift_ppm = std::nullopt}),
                    {.reference = ClockId(0), .max_drift_ppm = std::nullopt});
  ASSERT_EQ(joint.components[0].state, JointFinding::State::kJoint);
  EXPECT_EQ(group.Inversions(joint.group), 0u);
  ExpectTruthWithin(group, joint.group);
  EXPECT_NEAR(joint.group.clocks[2].drift_ppm, -300'000, 5);
}

TEST(EstimateJoint, CoarseReadingsMayMakeMessagesLookInstant) {
  // Readings of whole microseconds: a → b and b → a take 0.4 µs, so both show a delay of 0.
  const Clock coarse{.ticks_per_second = 1'000'000, .reading_ns = 1000};
  const std::vector<ClockInput> clocks(2, {coarse, {0}, {60'000'000}});
  PairPoints points;
  for (const int64_t at : {10 * kSecond, 50 * kSecond}) {
    points.AddAToB(at, at);
    points.AddBToA(at + 5000, at + 5000);
  }
  const PairOptions options{.reading_a_ns = 1000, .reading_b_ns = 1000};
  const std::vector<PairInput> pairs = {{ClockId(0), ClockId(1), EstimatePair(points, options)}};
  const JointEstimate joint = EstimateJoint(clocks, pairs, {.reference = ClockId(0)});
  EXPECT_EQ(joint.components[0].state, JointFinding::State::kJoint);
  const ClockEstimate& b = joint.group.clocks[1];
  EXPECT_EQ(b.quality, Quality::kAccurate);
  EXPECT_EQ(b.correction(LocalTime{30'000'000}).ns, 30 * kSecond);
  // The true instant is up to a microsecond later than either reading.
  EXPECT_GE(b.bounds.Upper({30'000'000})->ns, 30 * kSecond + 1000);
  EXPECT_LE(b.bounds.Lower({30'000'000})->ns, 30 * kSecond - 1000);
}

TEST(EstimateJoint, MinimumDelaysNarrowTheBounds) {
  ClockGroup group(std::vector<TrueClock>(2));
  Exchange(group, 0, 1, 100'000, 40'000);
  const std::vector<PairInput> pairs =
      group.Pairs({.max_drift_ppm = 0, .min_delays = {90'000, 10'000}});
  const JointEstimate joint = EstimateJoint(group.inputs(), pairs, kEqualRatesFromFirst);
  const ClockEstimate& b = joint.group.clocks[1];
  EXPECT_NEAR(static_cast<double>(b.bounds.Upper({0})->ns), 40'000 - 10'000, 2);
  EXPECT_NEAR(static_cast<double>(b.bounds.Lower({0})->ns), -(100'000 - 90'000), 2);
}

TEST(EstimateJoint, NoClocksAndTimesAtTheEndsOfTheRange) {
  EXPECT_TRUE(EstimateJoint({}, {}, {}).components.empty());
  const std::vector<ClockInput> clocks = {{{}, {INT64_MIN}, {INT64_MAX}},
                                          {{}, {INT64_MIN}, {INT64_MAX}}};
  PairPoints points;
  points.AddAToB(INT64_MAX - 5, INT64_MAX);
  points.AddAToB(0, 10);
  points.AddBToA(20, 40);
  const std::vector<PairInput> pairs = {{ClockId(0), ClockId(1), EstimatePair(points, {})}};
  const JointEstimate joint = EstimateJoint(clocks, pairs, {.reference = ClockId(0)});
  EXPECT_EQ(joint.components[0].state, JointFinding::State::kFallback);
}

}  // namespace
}  // namespace syncline
