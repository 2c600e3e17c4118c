// The middle between the fastest messages there and back, per pair and part of a window.
//
// Of a part's messages a → b the one of least slack leaves A, of those b → a it leaves B. If both
// ways took equally long, b's conversion at that time would have to move by (B − A)/2 against a's.
// A pair whose parts seldom hold messages both ways is taken by whole windows instead. Units:
// microseconds. Cost: O(vertices). Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimate/windows/window_problem.h"

namespace syncline {

struct WindowCentre {
  size_t pair = 0;
  int64_t part = 0;      // of a, the first of those it stands for
  double centre_us = 0;  // (B − A)/2
  double half_width_us = 0;
  // Where the two messages stand: a and b in A's, then a and b in B's.
  std::array<KnotTime, 4> times;
};

// What is usual for a pair.
struct PairUsual {
  bool is_known = false;
  double half_width_us = 0;  // the lower quartile
  double scatter_us = 0;     // of centres from one to the next, as a standard deviation
};

struct WindowCentres {
  std::vector<WindowCentre> centres;  // by pair, then part
  std::vector<PairUsual> usual;       // by pair
};

WindowCentres FindCentres(const WindowProblem& problem);

}  // namespace syncline
