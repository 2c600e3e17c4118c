// The summary as JSON; keys are a contract, documented in docs/summary.md and
// docs/summary.schema.json.
#pragma once

#include <string>

#include "report/summary.h"

namespace syncline {

// Pretty-printed, ends with a newline. Integers are JSON integers, also above 2^53.
std::string SummaryToJson(const Summary& summary);

}  // namespace syncline
