// What the charts of a comparison have in common. For plots.cc and plot_*.cc.
//
// Units: nanoseconds, as differences from an instant or a trend. Tested by:
// compare_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "syncline/clock.h"

#include "measure/truth.h"
#include "pipeline/compare/compare.h"
#include "report/chart.h"
#include "trace/load.h"

namespace syncline {

// A method's place in the list of all: what its color depends on.
size_t NumberOf(const Method& method);

// Lines of methods; those with the same points become one, named after all of them.
class MethodLines {
 public:
  void Add(const Method& method, std::vector<ChartPoint> points);
  std::vector<ChartSeries> Series() const;

 private:
  struct Line {
    size_t number = 0;  // of the first method
    std::string names;
    std::vector<ChartPoint> points;
  };
  std::vector<Line> lines_;
};

// The least and the largest finite ordinate; nothing where there is none.
std::optional<std::pair<double, double>> RangeOf(std::span<const ChartPoint> points);
std::pair<double, double> Widened(std::pair<double, double> range, double share);
// The ordinate below which this share of the points lies. Requires points.
double QuantileOf(std::vector<ChartPoint> points, double share);

// Evenly spaced integers from first to last, both included; fewer where there are not as many.
std::vector<int64_t> EvenlySpaced(int64_t first, int64_t last, int parts);

// Pair and clock numbers refer to `loaded`; `truth` may be null. Nothing: there is nothing to see.
std::optional<Chart> CorridorPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                                  const Truth* truth, std::pair<ClockId, ClockId> clocks);
std::optional<Chart> BoundsPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                                const Truth* truth, ClockId clock);
std::optional<Chart> ErrorPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                               const Truth* truth, ClockId clock);

}  // namespace syncline
