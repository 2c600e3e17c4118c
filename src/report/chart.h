// Charts of durations over time, as SVG files that a browser or a documentation page shows.
//
// Units: nanoseconds, but on axes of plain numbers; the axes choose what to print them in.
// Requires: abscissas are finite. An ordinate that is not a number, or not positive on an axis by
// powers of ten, interrupts a line.
// Errors: none; text that XML cannot hold is replaced. Points outside the axes are not shown.
// Size: about 12 bytes per point. Tested by: chart_test.cc.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace syncline {

// The axis of a chart: its unit, and round numbers to mark on it. Units: nanoseconds, or none for
// plain numbers. Requires: finite low < high. Cost: O(ticks).

enum class ChartScale {
  kDurations,     // even, one unit for all
  kLogDurations,  // by powers of ten, each in the unit that fits
  kLogNumbers,    // by powers of ten, without a unit
};

struct ChartAxis {
  double low = 0, high = 0;          // ns
  std::string unit;                  // "ns", "µs", "ms", "s"; empty: none, or with each number
  std::vector<double> ticks;         // ns, multiples of 1, 2 or 5 times a power of ten
  std::vector<std::string> numbers;  // of the ticks, in the unit
  bool is_log = false;

  // How far along the axis a value is: 0 at low, 1 at high. Requires, if is_log, value > 0.
  double ShareOf(double value) const;
};

// With about `wanted` ticks. An empty or infinite range becomes one around its lower end.
ChartAxis MakeChartAxis(double low, double high, int wanted);
// From the power of ten at or below `low` to the one at or above `high`, all marked. What is not
// positive and finite becomes 1.
ChartAxis MakeLogAxis(double low, double high, ChartScale scale);

struct ChartPoint {
  double x = 0, y = 0;
};

struct ChartSeries {
  enum class Kind {
    kLine,
    kPoints,
    kArea,  // the inside of a polygon
  };
  std::string label;  // in the legend, with as many lines as it has; empty: not listed
  Kind kind = Kind::kLine;
  std::string color = "#24292f";
  double width = 2;  // of lines, and the diameter of points; in pixels
  std::string dash;  // as SVG's stroke-dasharray; empty: none
  double opacity = 1;
  std::vector<ChartPoint> points;
};

struct Chart {
  std::string title;
  std::string subtitle;
  std::string x_label, y_label;  // without units
  std::pair<double, double> x_range, y_range;
  ChartScale x_scale = ChartScale::kDurations, y_scale = ChartScale::kDurations;
  std::vector<ChartSeries> series;  // from back to front
};

std::string ChartToSvg(const Chart& chart);
// One below the other.
std::string ChartsToSvg(std::span<const Chart> charts);

// The color of the n-th of several lines; they repeat after eight, then with other dashes.
std::string ChartColor(size_t n);
std::string ChartDash(size_t n);

}  // namespace syncline
