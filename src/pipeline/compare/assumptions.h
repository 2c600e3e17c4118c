// What a method's bounds assume of clocks, and what its findings say of assumptions.
//
// Tested by: assumptions_test.cc, compare_command_test.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/compare/compare.h"
#include "report/comparison.h"
#include "report/summary.h"

namespace syncline {

// With what the bounds of this summary rest on, the messages that it left out included; and what
// contradicts that where the method has found it out for itself.
Comparison::Method WithAssumption(Comparison::Method figures, const Summary& summary);

// For MethodRun.
std::string AgainstConstantRates(const Summary& summary);

// What messages say against what each of the runs assumes, as far as any of them has found; by run,
// empty where nothing does.
std::vector<std::string> ContradictionsOf(std::span<const MethodRun> runs);

}  // namespace syncline
