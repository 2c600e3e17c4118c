// How far the clocks of two processes run ahead that send to each other every τ, the one that is
// behind being faster: as theorem 10 predicts it, and as the logical clock computes it.
//
// Units: offsets o(j) = (LC'(j) − C0(j)) / (D · √((p − (1 − γmax)(1 + p)) / (γmax (1 + p)))), the
// j-th receive of process 0, are numbers without a unit; process 1 starts D = 10 s behind and is
// faster by p = 10⁻¹⁰; 1 − γmax = 10⁻¹². Method: Rabenseifner 2000, chapter 5.3, scenario 2. Tested
// by: logical_experiments_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/result.h"

namespace syncline {

struct OffsetRun {
  double factor = 0;              // f; decides τ
  std::vector<double> predicted;  // o(j+1) = max(o(j) + f − f·o(j)², 0), o(0) = 0
  std::vector<double> computed;
  double LargestDifference() const;
};

Result<OffsetRun> RunOffsets(double factor, uint64_t periods);

}  // namespace syncline
