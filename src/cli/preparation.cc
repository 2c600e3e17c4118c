#include "cli/preparation.h"

#include <utility>

#include "cli/finish.h"
#include "cli/requested_inputs.h"
#include "cli/solve_options.h"

namespace syncline {

Result<Preparation> Prepare(const EstimateOptions& options, const std::string& truth) {
  auto solve = ParseSolveOptions(options);
  if (!solve) return tl::unexpected(solve.error());
  auto inputs = RequestedInputs(options);
  if (!inputs) return tl::unexpected(inputs.error());
  Preparation preparation{std::move(*solve), std::move(*inputs), {}, FilesRead(options)};
  if (truth.empty()) return preparation;
  auto clocks = ReadTruth(truth);
  if (!clocks) return tl::unexpected(clocks.error());
  preparation.truth = std::move(*clocks);
  preparation.read.push_back(truth);
  return preparation;
}

}  // namespace syncline
