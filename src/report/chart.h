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

#include "report/chart_axis.h"

namespace syncline {

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
