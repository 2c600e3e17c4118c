#include "report/chart.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ChartAxis, MarksRoundNumbersInTheUnitThatFits) {
  const ChartAxis axis = MakeChartAxis(-600'000, 700'000, 7);
  EXPECT_EQ(axis.unit, "µs");
  EXPECT_THAT(axis.numbers, ElementsAre("−600", "−400", "−200", "0", "200", "400", "600"));
  EXPECT_THAT(axis.ticks, ElementsAre(-600'000, -400'000, -200'000, 0, 200'000, 400'000, 600'000));
}

TEST(ChartAxis, GivesEnoughDecimals) {
  EXPECT_THAT(MakeChartAxis(1.0e6, 1.2e6, 4).numbers,
              ElementsAre("1.00", "1.05", "1.10", "1.15", "1.20"));
  EXPECT_THAT(MakeChartAxis(0, 62e9, 8).numbers,
              ElementsAre("0", "10", "20", "30", "40", "50", "60"));
}

TEST(ChartAxis, SurvivesRangesWithoutExtent) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] :
       {std::pair(5.0, 5.0), std::pair(3.0, -infinite), std::pair(-infinite, infinite),
        std::pair(0.0, infinite), std::pair(0.0, std::nan(""))}) {
    const ChartAxis axis = MakeChartAxis(low, high, 5);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_FALSE(axis.ticks.empty()) << low << " " << high;
    EXPECT_EQ(axis.ticks.size(), axis.numbers.size());
  }
}

TEST(ChartAxis, MarksPowersOfTenEachInItsUnitOrAsNumbers) {
  const ChartAxis durations = MakeLogAxis(3e5, 2e8, ChartScale::kLogDurations);
  EXPECT_THAT(durations.numbers, ElementsAre("100 µs", "1 ms", "10 ms", "100 ms", "1 s"));
  EXPECT_EQ(durations.unit, "");
  // Half way from 1e5 to 1e9 by powers of ten.
  EXPECT_DOUBLE_EQ(durations.ShareOf(1e7), 0.5);
  EXPECT_THAT(MakeLogAxis(1e-10, 1e-8, ChartScale::kLogNumbers).numbers,
              ElementsAre("10⁻¹⁰", "10⁻⁹", "10⁻⁸"));
  for (const auto& [low, high] : {std::pair(0.0, 0.0), std::pair(-1.0, std::nan("")),
                                  std::pair(5.0, 5.0), std::pair(1.0, 0.1)}) {
    const ChartAxis axis = MakeLogAxis(low, high, ChartScale::kLogNumbers);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GE(axis.ticks.size(), 2U);
  }
}

Chart OneLine(std::vector<ChartPoint> points) {
  Chart chart{.title = "title", .x_label = "x", .y_label = "y"};
  chart.x_range = {0, 1e9};
  chart.y_range = {0, 1e6};
  chart.series.push_back({.label = "line", .color = "#123456", .points = std::move(points)});
  return chart;
}

TEST(Chart, DrawsALineFromCornerToCorner) {
  // The plotted area: 78 to 712 across, 58 to 58 + 318 down.
  EXPECT_THAT(ChartToSvg(OneLine({{0, 0}, {1e9, 1e6}})), HasSubstr("d=\"M78.0 376.0L712.0 58.0\""));
}

TEST(Chart, InterruptsALineWhereThereIsNoValue) {
  const std::string svg = ChartToSvg(OneLine({{0, 0}, {0.5e9, std::nan("")}, {1e9, 1e6}}));
  EXPECT_THAT(svg, HasSubstr("d=\"M78.0 376.0M712.0 58.0\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, LeavesOutDotsBeyondTheAxes) {
  Chart chart = OneLine({{0, 0}, {2e9, 0}, {0, 2e6}});
  chart.series[0].kind = ChartSeries::Kind::kPoints;
  EXPECT_THAT(ChartToSvg(chart), HasSubstr("d=\"M78.0 376.0h0\""));
}

TEST(Chart, WritesTextThatXmlCanHold) {
  Chart chart = OneLine({});
  chart.title = "a<b>&\"c\"\x01\xff é";
  EXPECT_THAT(ChartToSvg(chart), HasSubstr(">a&lt;b&gt;&amp;&quot;c&quot;?? é</text>"));
}

TEST(Chart, ListsEachLineOfALabel) {
  Chart chart = OneLine({});
  chart.series[0].label = "first\nsecond";
  const std::string svg = ChartToSvg(chart);
  EXPECT_THAT(svg, HasSubstr(">first</text>"));
  EXPECT_THAT(svg, HasSubstr(">second</text>"));
}

TEST(Chart, HasAColorAndDashForAnyNumberOfLines) {
  EXPECT_EQ(ChartColor(0), ChartColor(8));
  EXPECT_NE(ChartDash(0), ChartDash(8));
  EXPECT_NE(ChartColor(0), ChartColor(7));
}

TEST(Chart, LogarithmsOfWhatIsNotPositiveInterruptTheLine) {
  Chart chart = OneLine({{1e8, 1e3}, {2e8, 0}, {3e8, 1e4}});
  chart.y_scale = ChartScale::kLogNumbers;
  chart.y_range = {1e3, 1e5};
  const std::string svg = ChartToSvg(chart);
  // The lower edge, then half way up of 318 pixels from 58 on.
  EXPECT_THAT(svg, HasSubstr(" 376.0M"));
  EXPECT_THAT(svg, HasSubstr(" 217.0\""));
  EXPECT_THAT(svg, HasSubstr(">y</text>"));
}

TEST(Chart, SeveralStandOneBelowTheOther) {
  const std::vector<Chart> charts = {OneLine({{0, 0}}), OneLine({{0, 1}})};
  const std::string svg = ChartsToSvg(charts);
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 960 868\""));  // 2 · (58 + 318 + 58)
  EXPECT_THAT(svg, HasSubstr("<g transform=\"translate(0 434)\">"));
  EXPECT_THAT(svg, HasSubstr("id=\"plot1\""));
}

}  // namespace
}  // namespace syncline
