// Bounds of all clocks of a component whose rates change, as long as no two rates differ by more
// than a limit.
//
// Method: rate_bounds.h per pair, composed along the tree of the narrowest pairs. The limit is the
// first of the prior, 1000, 10 000 and 100 000 ppm that exceeds what the corrections show by a
// quarter and that no message contradicts: an assumption, to be stated. (Kernels slew by 500 ppm.)
// Errors: those of the message pass. Cost: a pass over all messages per limit tried. Tested by:
// src/estimate/joint/joint_piecewise_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "estimate/group.h"
#include "estimate/joint/piecewise_problem.h"
#include "estimate/message_pass.h"

namespace syncline {

struct RateLimitedBounds {
  double limit_ppm = 0;
  std::vector<TimeBounds> bounds;  // by clock of the problem
};

// The problem's clocks with the corrections found (relative to any of them); bounds are to the time
// of `root`, a place in the problem. None where no limit holds.
Result<std::optional<RateLimitedBounds>> FindRateLimitedBounds(std::span<const ClockInput> clocks,
                                                               const PiecewiseProblem& problem,
                                                               size_t root,
                                                               std::optional<double> prior_ppm,
                                                               const MessagePass& messages);

}  // namespace syncline
