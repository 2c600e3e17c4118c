#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "logical/controller_original.h"
#include "logical/controller_revised.h"
#include "logical/logical_clocks.h"

namespace syncline {
namespace {

constexpr double kTolerance = 1e-8;

RevisedControllerOptions WithoutFloor(double gamma_max) {
  RevisedControllerOptions options;
  options.gamma_max = gamma_max;
  options.gamma_floor = 0;
  return options;
}

TEST(RevisedController, RunsAtGammaMaxWhileOneProcessIsNotAhead) {
  RevisedController controller(WithoutFloor(0.9));
  controller.Resize(2);
  controller.Update(0, 1000, 1000, 1000);
  controller.Update(1, 900, 1000, 1000);
  EXPECT_NEAR(controller.Choose(1).gamma.ToDouble(), 0.9, kTolerance);
  EXPECT_EQ(controller.Choose(1).by, Regulator::kA);
}

TEST(RevisedController, BSlowsEveryProcessDownWhenAllAreAhead) {
  RevisedController controller(WithoutFloor(0.9));
  controller.Resize(2);
  controller.Update(0, 950, 1000, 1000);              // d = 50
  EXPECT_EQ(controller.Choose(0).by, Regulator::kA);  // not before every process has had an event
  controller.Update(1, 900, 1000, 1000);              // d = 100
  for (const size_t process : {0u, 1u}) {
    EXPECT_NEAR(controller.Choose(process).gamma.ToDouble(), 0.9 * (1 - 0.5 * 0.5), kTolerance);
    EXPECT_EQ(controller.Choose(process).by, Regulator::kB);
  }
}

struct CubicCase {
  double q;
  double share;  // of γmax
};

TEST(RevisedController, CFallsAsACubicBetweenItsLimits) {
  const auto cubic = [](double t) { return 1 - t * t * (3 - 2 * t); };
  for (const auto& [q, share] :
       {CubicCase{1.2, 1}, CubicCase{1.65, cubic(0.25)}, CubicCase{2.1, 0.5},
        CubicCase{2.55, cubic(0.75)}, CubicCase{3, 0}, CubicCase{4, 0}}) {
    RevisedController controller(WithoutFloor(0.9));
    controller.Resize(2);
    controller.Update(0, 0, 0, 0);
    controller.Update(1, 0, 1'000'000, static_cast<int64_t>(q * 1e6));  // MAX = 1 ms
    EXPECT_NEAR(controller.Choose(1).gamma.ToDouble(), 0.9 * share, 1e-6) << q;
  }
}

TEST(RevisedController, CTakesAnyLeadWithoutSimpleLeadForTooMuch) {
  RevisedController controller(WithoutFloor(0.9));
  controller.Resize(1);
  controller.Update(0, 100, 100, 101);
  EXPECT_EQ(controller.Choose(0).gamma.units, 0);
  EXPECT_EQ(controller.Choose(0).by, Regulator::kC);
}

TEST(RevisedController, DIsAFloor) {
  RevisedControllerOptions options;
  options.gamma_floor = 0.5;
  RevisedController controller(options);
  controller.Resize(1);
  controller.Update(0, 0, 0, 100);
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.5, kTolerance);
  EXPECT_EQ(controller.Choose(0).by, Regulator::kD);
}

// MAX = 1 ms falls by ½ · 0.2 · time, however many events there are on the way.
TEST(RevisedController, LeadsFadeWithTimeNotWithEvents) {
  for (const int64_t step : {10'000, 100'000, 1'000'000}) {
    RevisedController controller(WithoutFloor(0.8));
    controller.Resize(2);
    controller.Update(0, 0, 0, 0);
    controller.Update(1, 0, 1'000'000, 1'000'000);
    for (int64_t t = 1'000'000 + step; t <= 5'000'000; t += step) {
      controller.Update(1, t, t, t + 1'260'000);
    }
    // MAX = 1 − 0.1 · 4 ms = 0.6 ms: q = 2.1, the middle of the cubic.
    EXPECT_NEAR(controller.Choose(1).gamma.ToDouble(), 0.8 * 0.5, 1e-5) << step;
  }
}

OriginalControllerOptions SmallOriginal() {
  OriginalControllerOptions options;
  options.q_init_ns = options.q_min_ns = 100;
  return options;
}

TEST(OriginalController, StepsDownAndUpAgain) {
  OriginalController controller(SmallOriginal());
  controller.Resize(1);
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95, kTolerance);
  controller.Update(0, 0, 100, 201);  // D' = 201 > 2.0 · D
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95 * 0.9, kTolerance);
  controller.Update(0, 0, 100, 190);  // D' = 191 lies between the limits
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95 * 0.9, kTolerance);
  controller.Update(0, 0, 100, 100);  // D' = 0.9 · 91 + 100 = 181
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95 * 0.9, kTolerance);
  controller.Update(0, 0, 100, 100);  // D' = 172
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95, kTolerance);
  controller.Update(0, 0, 100, 100);
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95, kTolerance);
}

TEST(OriginalController, RecoversFromAnyDepth) {
  OriginalController controller(SmallOriginal());
  controller.Resize(1);
  for (int i = 0; i < 1000; ++i) controller.Update(0, 0, 0, 1'000'000);
  EXPECT_EQ(controller.Choose(0).gamma.units, 1);
  for (int i = 0; i < 1000; ++i) controller.Update(0, 0, 0, 0);
  EXPECT_NEAR(controller.Choose(0).gamma.ToDouble(), 0.95, kTolerance);
}

TEST(LogicalClocks, MinimumGapSeparatesEqualTimes) {
  LogicalClocks clocks = LogicalClocks::Simple(7);
  clocks.Resize(1);
  EXPECT_EQ(clocks.Advance(0, 100, {}).controlled, 100);
  EXPECT_EQ(clocks.Advance(0, 100, {}).controlled, 107);
  EXPECT_EQ(clocks.Advance(0, 50, {}).controlled, 114);  // backwards
  EXPECT_EQ(clocks.Advance(0, 500, {}).controlled, 500);
}

TEST(LogicalClocks, JumpIsWhatTheMessageAdds) {
  LogicalClocks clocks = LogicalClocks::Controlled(0, WithoutFloor(0.5));
  clocks.Resize(2);                                        // B waits for the other
  EXPECT_EQ(clocks.Advance(0, 100, {150, 150}).jump, 50);  // a first event, too
  const ClockStep step = clocks.Advance(0, 120, {130, 170});
  EXPECT_EQ(step.controlled, 170);
  EXPECT_EQ(step.simple, 150);
  EXPECT_EQ(step.jump, 170 - (150 + 20 / 2));
  EXPECT_EQ(clocks.Advance(0, 200, {10, 10}).jump, 0);
}

// Both processes are ahead, by 50 and 100: B sets γ for the next events at 2000 and 3000.
TEST(LogicalClocks, TellGammaOverTimeWhereItIsAskedFor) {
  LogicalClocks clocks = LogicalClocks::Controlled(0, WithoutFloor(0.9));
  clocks.KeepGammaOverTime();
  clocks.Resize(2);
  clocks.Advance(0, 950, {1000, 1000});
  clocks.Advance(1, 900, {1000, 1000});
  clocks.Advance(0, 1100, {});
  clocks.Advance(1, 1150, {});
  const GammaReport& report = clocks.gamma_report();
  const TimeBins<GammaBin>& over_time = report.over_time;
  ASSERT_EQ(over_time.width_ns(), 1);
  EXPECT_EQ(over_time.start_ns(), 1100);  // the first events of processes have no γ
  const auto bins = over_time.bins();
  ASSERT_EQ(bins.size(), 1150 - 1100 + 1);
  EXPECT_EQ(bins[0].events[static_cast<size_t>(Regulator::kB)], 1);
  EXPECT_NEAR(bins[0].smallest, 0.9 * (1 - 0.5 * 0.5), kTolerance);
  GammaBin sum;
  for (const GammaBin& bin : bins) sum.Merge(bin);
  EXPECT_EQ(sum.events, report.events);
  EXPECT_EQ(sum.smallest, report.smallest);
}

TEST(LogicalClocks, KeepNoGammaOverTimeUnasked) {
  LogicalClocks clocks = LogicalClocks::Controlled(0, WithoutFloor(0.9));
  clocks.Resize(1);
  clocks.Advance(0, 0, {});
  clocks.Advance(0, 10, {});
  EXPECT_EQ(clocks.gamma_report().events[0], 1);
  EXPECT_TRUE(clocks.gamma_report().over_time.bins().empty());
}

}  // namespace
}  // namespace syncline
