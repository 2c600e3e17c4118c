// A chart that a page shows: the same values as a file of SVG would have.
#pragma once

#include <string>

#include "report/chart.h"

namespace syncline {

struct PageChart {
  enum class Kind { kCorridor, kBounds, kError };
  Kind kind = Kind::kBounds;
  std::string subject;  // the clock, or "a and b"
  Chart chart;
};

}  // namespace syncline
