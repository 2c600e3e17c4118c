#include "estimate/groups/tree_error.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;

// A clock of known truth: nominal = start + offset + (1 + drift) · (true − start).
struct TrueClock {
  int64_t offset_ns = 0;
  int64_t drift_ppb = 0;

  Line FromTrue() const { return {{kEpoch, kEpoch + offset_ns}, {kSecond + drift_ppb, kSecond}}; }
  // Sends stamp early, receives late, by the fraction of a nanosecond that a reading rounds away.
  int64_t Send(int64_t true_ns) const { return FromTrue().Floor(true_ns); }
  int64_t Receive(int64_t true_ns) const { return FromTrue().Ceil(true_ns); }
};

// `count` messages each way over a minute, delays at least `least_ns`.
PairEstimate Simulated(TrueClock a, TrueClock b, int count, int64_t least_ns, uint64_t seed,
                       bool is_two_way = true) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1.0 / 120'000);
  PairPoints points;
  for (int i = 0; i < count; ++i) {
    const auto when = [&] { return kEpoch + static_cast<int64_t>(random() % (60 * kSecond)); };
    const auto delay = [&] { return least_ns + static_cast<int64_t>(jitter(random)); };
    const int64_t there = when();
    points.AddAToB(a.Send(there), b.Receive(there + delay()));
    const int64_t back = when();
    if (is_two_way) points.AddBToA(b.Send(back), a.Receive(back + delay()));
  }
  return EstimatePair(points, {});
}

ClockInput Input(std::string name, TrueClock clock) {
  return {{.name = std::move(name)},
          {clock.FromTrue().Nearest(kEpoch)},
          {clock.FromTrue().Nearest(kEpoch + 60 * kSecond)}};
}

PairInput EstimatedPair(uint32_t a, uint32_t b, PairEstimate estimate) {
  return {ClockId(a), ClockId(b), std::move(estimate)};
}

constexpr TrueClock kA{0, 0};
constexpr TrueClock kB{1'700'000'000, 35'000};
constexpr TrueClock kC{-420'000'000, -12'000};
constexpr TrueClock kD{95'000'000, 5'000};

// What the reference a reads when the clock reads `t`, exactly and rounded outward.
int64_t TrueFloor(TrueClock clock, LocalTime t) {
  return clock.FromTrue().Inverted().Floor(t.ticks);
}
int64_t TrueCeil(TrueClock clock, LocalTime t) { return clock.FromTrue().Inverted().Ceil(t.ticks); }

TEST(EstimateTree, ComposedBoundsAlongAChainHoldTheTruth) {
  const std::vector<TrueClock> truth = {kA, kB, kC, kD};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<ClockInput> clocks = {Input("a", kA), Input("b", kB), Input("c", kC),
                                            Input("d", kD)};
    // The middle pair is given against the direction of the path.
    const std::vector<PairInput> pairs = {
        EstimatedPair(0, 1, Simulated(kA, kB, 300, 1000, seed)),
        EstimatedPair(2, 1, Simulated(kC, kB, 300, 1000, seed + 100)),
        EstimatedPair(2, 3, Simulated(kC, kD, 300, 1000, seed + 200))};
    const GroupEstimate group = EstimateTree(clocks, pairs, {.reference = ClockId(0)});
    EXPECT_THAT(group.roots, ElementsAre(ClockId(0)));
    for (size_t i = 0; i < truth.size(); ++i) {
      SCOPED_TRACE(clocks[i].clock.name);
      const ClockEstimate& clock = group.clocks[i];
      EXPECT_EQ(clock.quality, Quality::kAccurate);
      ASSERT_TRUE(clock.bound.has_value());
      for (int64_t k = -10; k <= 110; ++k) {  // also beyond the traced interval
        const int64_t length = clocks[i].last.ticks - clocks[i].first.ticks;
        const LocalTime t{clocks[i].first.ticks + length / 100 * k};
        EXPECT_LE(clock.bounds.Lower(t)->ns, TrueFloor(truth[i], t));
        EXPECT_GE(clock.bounds.Upper(t)->ns, TrueCeil(truth[i], t));
        if (k < 0 || k > 100) continue;
        const int64_t error = std::abs(clock.correction(t).ns - TrueFloor(truth[i], t));
        EXPECT_LE(error, clock.bound->worst_ns + 1);
        EXPECT_GE(clock.correction(t).ns, clock.bounds.Lower(t)->ns - 1);
        EXPECT_LE(clock.correction(t).ns, clock.bounds.Upper(t)->ns + 1);
      }
    }
    EXPECT_EQ(group.clocks[3].parent, ClockId(2));
    EXPECT_EQ(group.clocks[2].parent, ClockId(1));
    EXPECT_EQ(group.clocks[0].parent, std::nullopt);
  }
}

TEST(EstimateTree, DriftAndOffsetHaveTheSignOfTheClockThatIsFastAndAhead) {
  const std::vector<ClockInput> clocks = {Input("a", kA), Input("b", kB)};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 1, Simulated(kA, kB, 3000, 1000, 5))};
  const ClockEstimate b = EstimateTree(clocks, pairs, {.reference = ClockId(0)}).clocks[1];
  EXPECT_NEAR(b.drift_ppm, 35, 1);
  EXPECT_NEAR(static_cast<double>(b.offset_ns), 1.7e9 + 35e-6 * 30e9, 10e3);
}

TEST(EstimateTree, SummaryHasTheLargerDistanceToTheBounds) {
  // Bounds of b: ±1 µs at x = 0, widening by the prior, 200 ppm, over ±1 s; which a clock that is
  // 200 ppm slow takes 1/(1 − 200 ppm) s for; the line is in the middle, 20 ns further in 1 s.
  PairPoints points;
  points.AddAToB(0, 1000);
  points.AddBToA(-1000, 0);
  const std::vector<ClockInput> clocks = {{{.name = "a"}, {-kSecond}, {kSecond}},
                                          {{.name = "b"}, {-kSecond}, {kSecond}}};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 1, EstimatePair(points, {}))};
  const GroupEstimate group = EstimateTree(clocks, pairs, {.reference = ClockId(1)});
  ASSERT_TRUE(group.clocks[0].bound.has_value());
  EXPECT_EQ(group.clocks[0].bound->best_ns, 1000);
  EXPECT_EQ(group.clocks[0].bound->worst_ns, 1000 + 200'021);
  EXPECT_NEAR(group.clocks[0].bound->mean_ns, 1000 + 200'020 / 2.0, 1);
  EXPECT_EQ(group.clocks[1].bound->worst_ns, 0);
}

TEST(EstimateTree, PrefersTheDetourOfSmallerError) {
  const std::vector<ClockInput> clocks = {Input("a", kA), Input("b", kB), Input("c", kC)};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 2, Simulated(kA, kC, 100, 5'000'000, 1)),
                                        EstimatedPair(0, 1, Simulated(kA, kB, 100, 1000, 2)),
                                        EstimatedPair(1, 2, Simulated(kB, kC, 100, 1000, 3))};
  const GroupEstimate by_error = EstimateTree(clocks, pairs, {.reference = ClockId(0)});
  EXPECT_EQ(by_error.clocks[2].parent, ClockId(1));
  const GroupEstimate by_hops = EstimateTree(
      clocks, pairs, {.reference = ClockId(0), .weights = TreeOptions::Weights::kHops});
  EXPECT_EQ(by_hops.clocks[2].parent, ClockId(0));
  EXPECT_THAT(EstimateTree(clocks, pairs, {}).roots, ElementsAre(ClockId(1)));
}

TEST(EstimateTree, IncompletePairsConnectOnlyWhatNothingElseDoes) {
  const std::vector<ClockInput> clocks = {Input("a", kA), Input("b", kB), Input("c", kC),
                                          Input("d", kD)};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 2, Simulated(kA, kC, 100, 10, 1, false)),
                                        EstimatedPair(0, 1, Simulated(kA, kB, 100, 9'000'000, 2)),
                                        EstimatedPair(1, 2, Simulated(kB, kC, 100, 9'000'000, 3)),
                                        EstimatedPair(2, 3, Simulated(kC, kD, 100, 10, 4, false))};
  const GroupEstimate group = EstimateTree(clocks, pairs, {.reference = ClockId(0)});
  EXPECT_EQ(group.clocks[2].parent, ClockId(1));
  EXPECT_EQ(group.clocks[2].quality, Quality::kAccurate);
  EXPECT_EQ(group.clocks[3].quality, Quality::kIncomplete);
  EXPECT_NE(group.clocks[3].reason, "");
  EXPECT_FALSE(group.clocks[3].bound.has_value());
  // c → d messages bound d's time at c from below only: they were received after they were sent.
  const LocalTime t = clocks[3].first;
  EXPECT_LE(group.clocks[3].bounds.Lower(t).value_or(GlobalTime{INT64_MAX}).ns, TrueFloor(kD, t));
  EXPECT_EQ(group.clocks[3].bounds.Upper(t), std::nullopt);
}

TEST(EstimateTree, ApproximatePairsClaimNoBound) {
  PairPoints crossing;
  crossing.AddAToB(0, 0);
  crossing.AddBToA(500, 0);
  const std::vector<ClockInput> clocks = {{{.name = "a"}, {0}, {kSecond}},
                                          {{.name = "b"}, {0}, {kSecond}}};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 1, EstimatePair(crossing, {}))};
  const GroupEstimate group = EstimateTree(clocks, pairs, {.reference = ClockId(0)});
  EXPECT_EQ(group.clocks[1].quality, Quality::kApproximate);
  EXPECT_EQ(group.clocks[1].bounds.Lower({0}), std::nullopt);
  EXPECT_EQ(group.clocks[1].bounds.Upper({0}), std::nullopt);
  EXPECT_FALSE(group.clocks[1].bound.has_value());
}

TEST(EstimateTree, UnrelatedClocksFormComponentsOfTheirOwn) {
  const std::vector<ClockInput> clocks = {Input("alone", kA), Input("b", kB), Input("c", kC),
                                          Input("silent", kD)};
  const std::vector<PairInput> pairs = {EstimatedPair(2, 1, Simulated(kC, kB, 100, 1000, 1)),
                                        EstimatedPair(0, 3, PairEstimate{})};
  const GroupEstimate group = EstimateTree(clocks, pairs, {});
  EXPECT_THAT(group.roots, ElementsAre(ClockId(1), ClockId(0), ClockId(3)));
  EXPECT_EQ(group.clocks[2].component, 0u);
  EXPECT_EQ(group.clocks[0].component, 1u);
  EXPECT_EQ(group.clocks[0].quality, Quality::kAbsent);
  EXPECT_NE(group.clocks[0].reason, "");
  EXPECT_FALSE(group.clocks[0].bound.has_value());
  EXPECT_EQ(group.clocks[0].correction({123}).ns, 123);
}

TEST(EstimateTree, KnotsAreTheEndsOfTheTraceAndWithinHalfANanosecondOfTheLine) {
  const std::vector<ClockInput> clocks = {Input("a", kA), Input("b", kB)};
  const std::vector<PairInput> pairs = {EstimatedPair(1, 0, Simulated(kB, kA, 100, 1000, 1))};
  const ClockEstimate b = EstimateTree(clocks, pairs, {.reference = ClockId(0)}).clocks[1];
  const Line line = *pairs[0].estimate.line;
  ASSERT_EQ(b.correction.knots().size(), 2u);
  EXPECT_EQ(b.correction.knots()[0].local, clocks[1].first);
  EXPECT_EQ(b.correction.knots()[1].local, clocks[1].last);
  for (int64_t k = 0; k <= 1000; ++k) {
    const LocalTime t{clocks[1].first.ticks + 60'000'007 * k};
    EXPECT_NEAR(static_cast<double>(b.correction(t).ns - line.Nearest(t.ticks)), 0, 1);
  }
}

TEST(EstimateTree, ShortTracesStillGetKnotsOneSecondApart) {
  PairPoints points;
  points.AddAToB(5, 1005);
  points.AddBToA(-995, 5);
  for (const int64_t at : {INT64_MIN, int64_t{5}, INT64_MAX}) {
    const std::vector<ClockInput> clocks = {{{.name = "a"}, {at}, {at}}, {{.name = "b"}, {5}, {5}}};
    const std::vector<PairInput> pairs = {EstimatedPair(0, 1, EstimatePair(points, {}))};
    const ClockEstimate a = EstimateTree(clocks, pairs, {.reference = ClockId(1)}).clocks[0];
    const auto knots = a.correction.knots();
    EXPECT_GE(static_cast<uint64_t>(knots.back().local.ticks) -
                  static_cast<uint64_t>(knots.front().local.ticks),
              static_cast<uint64_t>(kSecond));
  }
}

TEST(EstimateTree, CorrectionsTakeTheClocksOwnTicks) {
  // A counter of 2.5 GHz that started 100 s after the reference's epoch, exact at 10 s.
  const Clock counter{.name = "tsc", .ticks_per_second = 2'500'000'000, .offset_ticks = 0};
  PairPoints points;
  for (int64_t s = 0; s <= 10; ++s) {
    const int64_t nominal = counter.NominalNs({s * 2'500'000'000});
    points.AddAToB(nominal, nominal + 100 * kSecond + 1000);
    points.AddBToA(nominal + 100 * kSecond - 1000, nominal);
  }
  const std::vector<ClockInput> clocks = {{counter, {0}, {25'000'000'000}},
                                          {{.name = "b"}, {100 * kSecond}, {110 * kSecond}}};
  const std::vector<PairInput> pairs = {EstimatedPair(0, 1, EstimatePair(points, {}))};
  const ClockEstimate tsc = EstimateTree(clocks, pairs, {.reference = ClockId(1)}).clocks[0];
  EXPECT_EQ(tsc.correction({0}).ns, 100 * kSecond);
  EXPECT_EQ(tsc.correction({5}).ns, 100 * kSecond + 2);
  EXPECT_EQ(tsc.correction({25'000'000'000}).ns, 110 * kSecond);
  EXPECT_EQ(tsc.bounds.Upper({5})->ns, 100 * kSecond + 2 + 1000);
  EXPECT_NEAR(tsc.drift_ppm, 0, 1e-9);
  EXPECT_EQ(tsc.offset_ns, -100 * kSecond);
}

TEST(EstimateTree, OfNothingIsEmpty) {
  const GroupEstimate group = EstimateTree({}, {}, {});
  EXPECT_TRUE(group.clocks.empty());
  EXPECT_TRUE(group.roots.empty());
}

}  // namespace
}  // namespace syncline
