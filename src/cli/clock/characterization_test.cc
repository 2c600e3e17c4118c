#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/clock/clock_command.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

// 1 µs ahead and 10 ppm fast, every 10 ms, with readings that alternate by ±5 ns.
ClockCharacterization Sample(size_t samples) {
  ClockCharacterization c;
  c.clock = "a <clock>";
  c.reference = "another";
  c.wanted_interval_ns = 10'000'000;
  c.resolution = Resolution{25, 1};
  c.measurement.wanted = samples;
  for (size_t i = 0; i < samples; ++i) {
    const auto k = static_cast<int64_t>(i);
    c.measurement.samples.push_back(
        {1'750'000'000'000'000'000 + k * 10'000'000, 1000 + k * 100 + (k % 2 == 0 ? 5 : -5), 30});
  }
  c.measurement.elapsed_ns = static_cast<int64_t>(samples) * 10'000'000;
  c.measurement.cpu_ns = c.measurement.elapsed_ns / 50;
  c.measurement.effort = {48 * samples, 0};
  c.character = CharacterOf(c.measurement.samples);
  return c;
}

TEST(Characterization, TextTellsEveryFigure) {
  const std::string text = CharacterizationText(Sample(101));
  EXPECT_THAT(text, HasSubstr("a <clock> against another: 101 measurements in 1.010000 s."));
  EXPECT_THAT(text, HasSubstr("25 ns between readings that differ"));
  EXPECT_THAT(text, HasSubstr("1.0 µs at first, 11.0 µs at last, ± 30 ns"));
  EXPECT_THAT(text, HasSubstr("+10.0000 ppm; from +9.9400 ppm to +10.0600 ppm"));
  EXPECT_THAT(text, HasSubstr("10 ns from one to the next; 5 ns around the line"));
  EXPECT_THAT(text, HasSubstr("(2.00 %)"));
  // Second differences of ±20 ns: 20 / (√2 · 10 ms).
  EXPECT_THAT(text, HasSubstr("1.414e-06"));
  EXPECT_THAT(text, Not(HasSubstr("weakness")));
}

TEST(Characterization, JsonHoldsTheSamplesButNotTooMany) {
  const auto few = nlohmann::json::parse(CharacterizationJson(Sample(101)));
  EXPECT_EQ(few["samples"].size(), 101U);
  EXPECT_EQ(few["samples"][1], nlohmann::json({1'750'000'000'010'000'000, 1000 + 100 - 5, 30}));
  EXPECT_NEAR(few["character"]["drift_ppm"], 10, 0.001);
  EXPECT_EQ(few["character"]["allan"][0]["tau_ns"], 10'000'000);
  EXPECT_EQ(few["cost"]["readings"], 48 * 101);
  EXPECT_EQ(nlohmann::json::parse(CharacterizationJson(Sample(2001)))["samples"].size(), 1001U);
}

TEST(Characterization, PlotHasOffsetResidualAndAllanDeviation) {
  const std::string svg = CharacterizationPlot(Sample(101));
  EXPECT_THAT(svg, HasSubstr("a &lt;clock&gt; against another"));
  EXPECT_THAT(svg, HasSubstr("Without the drift"));
  EXPECT_THAT(svg, HasSubstr("Allan deviation"));
  EXPECT_THAT(svg, HasSubstr(">10 ms</text>"));
}

TEST(Characterization, WeaknessesAreNamed) {
  ClockCharacterization c = Sample(101);
  c.measurement.unanswered = 2;
  c.measurement.skipped = 2;
  c.resolution = Resolution{};
  c.character.reset();
  EXPECT_EQ(c.Weaknesses().size(), 4U);
  EXPECT_THAT(CharacterizationText(c), HasSubstr("weakness: 2 of 101 measurements had no answer"));
  EXPECT_EQ(CharacterizationPlot(c), "");
  EXPECT_TRUE(nlohmann::json::parse(CharacterizationJson(c))["character"].is_null());
  // One in a hundred may be skipped.
  ClockCharacterization busy = Sample(200);
  busy.measurement.skipped = 2;
  EXPECT_TRUE(busy.Weaknesses().empty());
}

// All offsets on the line: nothing to draw by powers of ten.
TEST(Characterization, AClockWithoutAnyNoiseIsDrawnToo) {
  ClockCharacterization c = Sample(10);
  for (OffsetSample& s : c.measurement.samples) s.offset_ns = 7;
  c.character = CharacterOf(c.measurement.samples);
  EXPECT_THAT(CharacterizationPlot(c), HasSubstr("Allan deviation"));
  EXPECT_THAT(CharacterizationPlot(c), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace syncline
