// Bends corrections as little as need be until they satisfy all messages of all cells.
//
// First the segments in which messages are violated, or which the middles do not follow, are halved
// and all knots fitted again, down to the parts of a window. Then
// a linear programme moves the knots near the violated messages, by the least sum. Messages that
// contradict by more than usually takes there and back count as matched wrongly and are let be.
// Guarantee: what is not among `violated` holds for every message of every cell in exact integers.
// Errors: none; what cannot be satisfied is counted. Cost: up to four fits; a simplex run over the
// knots and cells near violated messages. Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimate/windows/window_problem.h"

namespace syncline {

struct WindowOutcome {
  bool runs_forward = true;  // false: no increasing corrections were found
  size_t vertices = 0;       // of all cells
  size_t violated = 0;       // of these
  int64_t worst_violation_ns = 0;
  std::vector<bool> contradicted;  // by pair: whether some of these are its
};

// Fits, and repairs.
WindowOutcome FitWindows(WindowProblem& problem);

}  // namespace syncline
