// The axis of a chart of durations: its unit, and round numbers to mark on it.
//
// Units: nanoseconds. Requires: finite low < high. Cost: O(ticks).
// Tested by: chart_test.cc.
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct ChartAxis {
  double low = 0, high = 0;          // ns
  std::string unit;                  // "ns", "µs", "ms", "s"
  std::vector<double> ticks;         // ns, multiples of 1, 2 or 5 times a power of ten
  std::vector<std::string> numbers;  // of the ticks, in the unit
};

// With about `wanted` ticks. An empty or infinite range becomes one around its lower end.
ChartAxis MakeChartAxis(double low, double high, int wanted);

}  // namespace syncline
