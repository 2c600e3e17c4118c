// The charts of a comparison, after Poirier's (2010, ch. 3): the corridor of each pair of clocks
// with its hulls and lines, the bounds of each clock over time with the differential delays of
// broadcasts, and, where the truth is known, the errors over time.
//
// Of many pairs and clocks those with the most messages and events are drawn. A color means the
// same method in all charts; methods that coincide share a line.
// Cost: some hundred evaluations per line; of a pair's messages a sample is shown.
// Tested by: compare_command_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "measure/truth.h"
#include "pipeline/compare/compare.h"
#include "report/page.h"
#include "trace/load.h"

namespace syncline {

struct Plot {
  std::string name;  // of a file of it as SVG, unlike all others
  PageChart chart;
};

struct Plots {
  std::vector<Plot> drawn;
  uint64_t left_out = 0;  // pairs and clocks
};

// `truth` may be null.
Plots DrawPlots(const LoadedTraces& loaded, std::span<const MethodRun> runs, const Truth* truth);

}  // namespace syncline
