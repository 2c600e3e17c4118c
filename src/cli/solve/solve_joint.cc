#include "cli/solve/solve_joint.h"

#include <algorithm>
#include <utility>

#include "cli/load/message_pass.h"
#include "cli/solve/estimate_pairs.h"
#include "estimate/joint/set_aside.h"

namespace syncline {
Result<void> CollectSuspects(const LoadedTraces& loaded, std::span<const uint64_t> ids,
                             Solution& solution) {
  if (ids.empty()) return {};
  return VisitNumbered(loaded, [&](const Message& message, uint64_t id) {
    if (!std::binary_search(ids.begin(), ids.end(), id)) return;
    const bool is_of_collective = id >= loaded.messages.messages();
    (is_of_collective ? solution.collective_suspects : solution.suspects).push_back(message);
  });
}

Result<Solution> SolveJoint(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                            std::optional<ClockId> reference, const SolveOptions& options,
                            std::vector<PairInput> pairs) {
  const SetAsideOptions set_aside{
      .most = options.max_suspects,
      .joint = {.reference = reference,
                .max_drift_ppm = options.max_drift_ppm,
                .bound_points = options.bound_points},
      .estimate_pair = [&](const PairInput& pair, const PairPoints& points) {
        return EstimatePair(points, PairOptionsOf(loaded, options, pair.a, pair.b));
      }};
  JointEstimate straight = EstimateJoint(clocks, pairs, set_aside.joint);
  auto found =
      SetAsideSuspects(clocks, std::move(pairs), std::move(straight), set_aside, PassOver(loaded));
  if (!found) return tl::unexpected(found.error());
  Solution solution;
  auto collected = CollectSuspects(loaded, found->suspects, solution);
  if (!collected) return tl::unexpected(collected.error());
  solution.pairs = std::move(found->pairs);
  solution.group = std::move(found->joint.group);
  solution.findings = std::move(found->joint.components);
  return solution;
}

}  // namespace syncline
