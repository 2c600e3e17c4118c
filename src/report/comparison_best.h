// What the methods compared assume, which of these assumptions messages contradict, and which
// method of those that assume the same gives the most that can be guaranteed, and why.
//
// Bounds rest on what is assumed: they are compared where that is the same, and nowhere if messages
// contradict it. What cannot be known without the truth does not count: neither residuals, which
// hold the true delays, nor errors. Order: no stated weakness, fewer inverted messages, fewer too
// fast, more accurate clocks, bounds narrower on average. Tested by: comparison_test.cc.
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

// What some methods assume of clocks.
struct SharedAssumption {
  std::string assumes;
  std::string contradiction;         // empty: messages leave it possible
  std::vector<std::string> methods;  // that assume it, and found corrections
  std::optional<BestMethod> best;    // of these; none where it is contradicted
};

// Weaker assumptions first: what they give holds wherever stronger ones hold.
std::vector<SharedAssumption> RankByAssumption(const Comparison& comparison);

}  // namespace syncline
