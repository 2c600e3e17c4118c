#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/clock/clock_command.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A counter of 2 GHz, so that two ticks are a nanosecond.
MachineCalibration Example() {
  MachineCalibration c;
  c.facts.processor = "Example 1";
  c.facts.kernel = "Linux 6.1 x86_64";
  c.facts.counters = {CounterKind::kRdtscp, CounterKind::kRdtsc, CounterKind::kSystemClock};
  c.facts.is_invariant = true;
  c.facts.clock_source = "tsc";
  c.choice = {CounterKind::kRdtscp, "invariant"};
  c.reference = "CLOCK_MONOTONIC_RAW";
  c.by_elapsed = {{.hz = 2'000'004'000,
                   .low_hz = 1'999'904'000,
                   .high_hz = 2'000'104'000,
                   .elapsed_ns = 1'000'000},
                  {.hz = 2'000'000'000,
                   .low_hz = 1'999'999'000,
                   .high_hz = 2'000'001'000,
                   .elapsed_ns = 100'000'000}};
  c.costs.readings = {{.name = "RDTSCP",
                       .warm = {20, 24},
                       .cold = {60, 200},
                       .steps = {.least = 26, .common = 2},
                       .step_unit = StepUnit::kTicks}};
  c.costs.evicted_data_bytes = 4 << 20;
  c.cores = {{.core = 1, .against = 0, .low_ticks = -90, .high_ticks = 110, .exchanges = 5000}};
  return c;
}

TEST(Calibration, WantedTimeFollowsFromTheErrorThatStaysTheSame) {
  // 501 parts in 10^9 (0.5 ppm, rounded up) of 100 ms are 50.1 ns; they are 1 ppm of 50.1 ms.
  EXPECT_EQ(Example().WantedElapsedNs(), 501 * 100'000'000LL / 1000);
}

TEST(Calibration, TextShowsTicksAndNanoseconds) {
  const std::string text = CalibrationText(Example());
  EXPECT_THAT(text, HasSubstr("Example 1, Linux 6.1 x86_64\n"));
  EXPECT_THAT(text, HasSubstr("Frequency: 2000.000000 MHz ± 0.501 ppm, by CLOCK_MONOTONIC_RAW."));
  EXPECT_THAT(text, HasSubstr("1.000 ms  2000.004000 MHz  50.003 ppm     +2.000 ppm\n"));
  EXPECT_THAT(text, HasSubstr("A bound of 1.000 ppm takes 50.100 ms on this machine.\n"));
  EXPECT_THAT(text, HasSubstr("24.0  12.0 ns         60.0           200  100.0 ns    26 ticks\n"));
  EXPECT_THAT(text, HasSubstr("−90 ticks  110 ticks"));
  EXPECT_THAT(text, HasSubstr("code stayed warm"));
  EXPECT_THAT(Example().Weaknesses(), IsEmpty());
}

TEST(Calibration, JsonHoldsTheSameFigures) {
  const auto json = nlohmann::json::parse(CalibrationJson(Example()));
  EXPECT_EQ(json["frequency"]["best"]["hz"], 2'000'000'000);
  EXPECT_EQ(json["frequency"]["best"]["bound_ppb"], 501);
  EXPECT_EQ(json["frequency"]["by_elapsed"].size(), 2);
  EXPECT_EQ(json["costs"][0]["warm"]["median_ns"], 12);
  EXPECT_EQ(json["costs"][0]["cold"]["median_ticks"], 200);
  EXPECT_EQ(json["costs"][0]["step_unit"], "ticks");
  EXPECT_EQ(json["cores"][0]["may_be_equal"], true);
  EXPECT_TRUE(json["weaknesses"].empty());
}

TEST(Calibration, WeaknessesAreNamed) {
  MachineCalibration unsteady = Example();
  unsteady.facts.is_invariant = false;
  EXPECT_THAT(unsteady.Weaknesses(), ElementsAre("the processor's counter is not steady"));
  EXPECT_THAT(CalibrationText(unsteady), HasSubstr("\nweakness: the processor's counter"));
  MachineCalibration unequal = Example();
  unequal.cores[0].low_ticks = 5;
  EXPECT_THAT(unequal.Weaknesses(), ElementsAre("the counters of cores 0 and 1 differ"));
  MachineCalibration hasty = Example();
  hasty.by_elapsed.pop_back();
  EXPECT_THAT(hasty.Weaknesses(), ElementsAre(HasSubstr("wanted bound was not reached")));
  MachineCalibration bare = Example();
  bare.facts.counters = {CounterKind::kSystemClock};
  bare.by_elapsed.clear();
  EXPECT_THAT(bare.Weaknesses(), ElementsAre(HasSubstr("cannot read"), HasSubstr("frequency")));
  EXPECT_THAT(CalibrationText(bare), HasSubstr("Frequency: unknown"));
  EXPECT_EQ(nlohmann::json::parse(CalibrationJson(bare))["costs"][0]["warm"]["median_ns"], nullptr);
}

}  // namespace
}  // namespace syncline
