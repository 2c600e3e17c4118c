#include "cli/requested_inputs.h"

#include <utility>

namespace syncline {

Result<ResolvedInputs> RequestedInputs(const EstimateOptions& options) {
  auto rules = GatherRules(options.match, options.rules);
  if (!rules) return tl::unexpected(rules.error());
  auto inputs = ResolveInputs(options.inputs, *std::move(rules));
  if (!inputs) return tl::unexpected(inputs.error());
  inputs->clock_per = options.clock_per;
  inputs->clock_by = options.clock_by;
  return inputs;
}

}  // namespace syncline
