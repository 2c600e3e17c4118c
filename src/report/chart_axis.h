// The axis of a chart: its unit, and round numbers to mark on it.
//
// Units: nanoseconds, or none for plain numbers. Requires: finite low < high. Cost: O(ticks).
// Tested by: chart_test.cc.
#pragma once

#include <string>
#include <vector>

namespace syncline {

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

}  // namespace syncline
