// What sync, check and compare do alike before they load anything: options, inputs, the truth.
//
// Tested by: the tests of these commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "cli/options.h"
#include "measure/truth.h"
#include "pipeline/estimate/solve.h"
#include "trace/inputs.h"

namespace syncline {

struct Preparation {
  SolveOptions solve;
  ResolvedInputs inputs;
  std::optional<Truth> truth;
  std::vector<std::string> read;  // files besides the inputs, for PlanOutputs()
};

// `truth` is a file; empty: none. Errors: kUsage for options; those of inputs, rules and the truth.
Result<Preparation> Prepare(const EstimateOptions& options, const std::string& truth);

// That no input is "-", because `reader` ("sync reads its inputs") reads them twice. Error: kUsage.
Result<void> RefuseStandardInput(const std::vector<Input>& inputs, std::string_view reader);

// The inputs that a command's options ask for, with what is to be known for loading them.
//
// Errors: those of ResolveInputs(), and of the rules.
Result<ResolvedInputs> RequestedInputs(const EstimateOptions& options);

}  // namespace syncline
