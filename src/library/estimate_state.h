// What an Estimate holds, and what it is asked for.
#pragma once

#include <memory>
#include <vector>

#include "syncline/estimate.h"

#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

struct EstimateState {
  std::shared_ptr<const LoadedTraces> loaded;
  SolveOptions solve;
  Solution solution;
  std::vector<ClockFigures> clocks;
  std::vector<ClockStep> steps;
};

// Errors: kUsage.
Result<SolveOptions> SolveOptionsOf(const EstimateOptions& options);

}  // namespace syncline
