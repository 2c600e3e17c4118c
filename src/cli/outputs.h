// Where a command writes, checked before any work begins: an existing output is replaced only with
// --force, an input never.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "cli/inputs.h"

namespace syncline {

struct OutputPlan {
  std::vector<std::string> traces;  // by input
  std::string summary;
  std::string merged;  // empty: none
  std::string json;    // empty: none; "-": standard output
  IfExists if_exists = IfExists::kFail;
};

struct OutputRequest {
  std::string folder;
  std::string merged;
  std::string json;
  IfExists if_exists = IfExists::kFail;
};

// Creates the folder. Inputs of one file name get the name of their clock instead.
// Errors: kUsage where an output exists or is an input; kUnreadable where the folder cannot be
// made.
Result<OutputPlan> PlanOutputs(std::span<const Input> inputs, const OutputRequest& request);

// The same checks for a single output file.
Result<void> CheckOutput(const std::string& path, std::span<const Input> inputs,
                         IfExists if_exists);

}  // namespace syncline
