// What bounds assume of the clocks, in words.
//
// Tested by: summary_test.cc.
#pragma once

#include <string>

#include "report/summary.h"

namespace syncline {

// Of what kind clocks are: "clocks of constant rates within 200 ppm of each other", "clocks whose
// rates stay within 200 ppm of the reference (557 ppm: b)", …
std::string ClockAssumption(const Summary& summary);

}  // namespace syncline
