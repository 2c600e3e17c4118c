// The concurrency measures of a run, from its processes' own clocks: as JSON, with the names that
// `syncline concurrency --json` has, and as text.
//
// Tested by: regions_report_test.cc.
#pragma once

#include <span>
#include <string>

#include "measure/concurrency/measures.h"

namespace syncline::mpi {

// By rank.
std::string RegionsToJson(std::span<const ProcessTotals> ranks);
std::string RegionsToText(std::span<const ProcessTotals> ranks);

}  // namespace syncline::mpi
