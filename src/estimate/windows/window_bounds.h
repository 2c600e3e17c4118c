// Bounds of all clocks of a component with windows, as long as no two clocks' rates ever differ by
// more than a limit from what their corrections say.
//
// Method: on corrected time every pair runs at rate 1, but for the error of the corrections; so
// rate_bounds.h on corrected times, with a limit of a few ppm instead of the hundreds between
// clocks themselves; composed along the tree of the narrowest pairs. The limit is the first of 0.1,
// 0.2, 0.5, 1, … ppm that exceeds the largest change of rate between neighbouring pieces by a
// quarter and that no message contradicts: an assumption, to be stated. Only vertices of cells
// count, which makes bounds wider than all messages would. A clock that was set breaks any limit:
// it gets no bounds, its pairs and bends do not count, and clocks that are related through it alone
// get none either. Memory: as the cells. Errors: none.
// Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/correction.h"

#include "estimate/group.h"
#include "estimate/windows/window_problem.h"

namespace syncline {

struct WindowBounds {
  double rate_error_ppm = 0;       // the limit
  std::vector<TimeBounds> bounds;  // by clock of the problem
};

// `corrections` are those of the problem's clocks, made of its knots; `was_set` by the same. None
// where no limit holds.
std::optional<WindowBounds> FindWindowBounds(std::span<const ClockInput> clocks,
                                             const WindowProblem& problem,
                                             std::span<const Correction> corrections,
                                             const std::vector<bool>& was_set);

}  // namespace syncline
