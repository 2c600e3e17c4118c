#include "report/chart.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "report/chart_axis.h"

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

}  // namespace
}  // namespace syncline
