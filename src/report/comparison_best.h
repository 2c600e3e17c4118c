// Which of the methods compared gives the most that can be guaranteed, and why.
//
// What cannot be known without the truth does not count: neither residuals, which hold the true
// delays, nor errors. Order: no stated weakness, fewer inverted messages, fewer too fast, more
// accurate clocks, bounds narrower on average. Tested by: comparison_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/comparison.h"

namespace syncline {

struct BestMethod {
  std::string name;                  // the first of equals
  std::vector<std::string> as_good;  // the others
  std::string reason;                // without a full stop
};

// None where no method found a correction.
std::optional<BestMethod> FindBest(const Comparison& comparison);

}  // namespace syncline
