#include "cli/preparation.h"

#include <utility>

#include "base/try.h"
#include "cli/finish.h"
#include "cli/requested_inputs.h"
#include "cli/solve_options.h"

namespace syncline {

Result<Preparation> Prepare(const EstimateOptions& options, const std::string& truth) {
  SYNCLINE_ASSIGN(auto solve, ParseSolveOptions(options));
  SYNCLINE_ASSIGN(auto inputs, RequestedInputs(options));
  Preparation preparation{std::move(solve), std::move(inputs), {}, FilesRead(options)};
  if (truth.empty()) return preparation;
  SYNCLINE_ASSIGN(preparation.truth, ReadTruth(truth));
  preparation.read.push_back(truth);
  return preparation;
}

}  // namespace syncline
