#include "measure/concurrency/measures.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Measures, OfARegion) {
  const RegionMeasures m = MeasureRegion({.computed_ns = 10,
                                          .delayed_ns = 30,
                                          .height_ns = 16,
                                          .weight_ns = 25,
                                          .volume_ns = 53,
                                          .events = 7,
                                          .event_height = 4,
                                          .event_volume = 9});
  EXPECT_DOUBLE_EQ(*m.alpha, (25.0 - 16) / (53 - 16));
  EXPECT_DOUBLE_EQ(*m.efficiency, 10.0 / (10 + 30));
  EXPECT_DOUBLE_EQ(*m.loss, 30.0 / (10 + 30));
  EXPECT_DOUBLE_EQ(*m.share, 10.0 / 25);
  EXPECT_DOUBLE_EQ(*m.path_share, 16.0 / 25);
  EXPECT_DOUBLE_EQ(*m.fidge, (7.0 - 4) / (7 - 1));
  EXPECT_DOUBLE_EQ(*m.event_alpha, (7.0 - 4) / (9 - 4));
}

TEST(Measures, QuotientsOfNothingAreUndefined) {
  const RegionMeasures m = MeasureRegion({});
  EXPECT_FALSE(m.alpha || m.efficiency || m.loss || m.share || m.path_share || m.fidge ||
               m.event_alpha);
  const ComputationMeasures none = MeasureComputation({});
  EXPECT_FALSE(none.alpha || none.efficiency || none.loss || none.path_share || none.mean_load_ns ||
               none.balance || none.speed_load_ns || none.fidge || none.event_alpha);
  const ProcessTotals idle[2] = {{.delayed_ns = 5}, {.delayed_ns = 7}};
  const ComputationMeasures waited = MeasureComputation(idle);
  EXPECT_DOUBLE_EQ(*waited.alpha, 0.0 / (5 + 7));
  EXPECT_FALSE(waited.balance || waited.path_share || waited.shares[0]);
}

TEST(Measures, OneProcessHasNoConcurrency) {
  const ProcessTotals alone[1] = {
      {.computed_ns = 10, .delayed_ns = 5, .height_ns = 10, .events = 3, .event_height = 3}};
  const ComputationMeasures m = MeasureComputation(alone);
  EXPECT_FALSE(m.alpha);
  EXPECT_FALSE(m.event_alpha);  // n − 1 = 0
  EXPECT_DOUBLE_EQ(*m.efficiency, 10.0 / 15);
}

TEST(Measures, SpeedsWeighTheLoad) {
  constexpr RelativeSpeed kHalf{500'000'000};
  const ProcessTotals processes[3] = {{.computed_ns = 30, .height_ns = 30},
                                      {.computed_ns = 12, .height_ns = 12, .speed = kHalf},
                                      {.computed_ns = 8, .height_ns = 8}};
  const ComputationMeasures m = MeasureComputation(processes);
  const double rho = 1 + 0.5 + 1;
  const double load = (30 + 12 + 8) / rho;
  const double deviation = ((30 - load) + (load - 12) + (load - 8)) / rho;
  EXPECT_DOUBLE_EQ(m.speed, rho);
  EXPECT_DOUBLE_EQ(*m.speed_load_ns, load);
  EXPECT_DOUBLE_EQ(*m.speed_load_deviation_ns, deviation);
  EXPECT_DOUBLE_EQ(*m.speed_balance, (load - deviation) / load);
  EXPECT_DOUBLE_EQ(*m.mean_load_ns, 50.0 / 3);
}

TEST(Measures, HugeTimesDoNotOverflow) {
  const ProcessTotals huge[2] = {
      {.computed_ns = INT64_MAX, .delayed_ns = INT64_MAX, .height_ns = INT64_MAX},
      {.computed_ns = INT64_MAX, .delayed_ns = INT64_MAX, .height_ns = 0}};
  const ComputationMeasures m = MeasureComputation(huge);
  EXPECT_EQ(m.volume_ns, INT64_MAX);
  EXPECT_DOUBLE_EQ(*m.alpha, (2.0 - 1) / (4 - 1));
}

}  // namespace
}  // namespace syncline
