#include <algorithm>
#include <map>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "pipeline/estimate/solvers.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

struct Suspect {
  uint64_t id = 0;
  ClockId from;
  ClockId to;
};

std::vector<uint64_t> IdsOf(std::span<const Suspect> suspects) {
  std::vector<uint64_t> ids;
  for (const Suspect& suspect : suspects) ids.push_back(suspect.id);
  std::ranges::sort(ids);
  return ids;
}

bool IsFallback(const JointEstimate& joint, ClockId clock) {
  const size_t component = joint.group.clocks[clock.index()].component;
  return joint.components[component].state == JointFinding::State::kFallback;
}

bool HasFallback(const JointEstimate& joint) {
  return std::ranges::any_of(joint.group.roots,
                             [&](ClockId root) { return IsFallback(joint, root); });
}

// What drift-bounded estimation has to leave out of the messages of clocks that are not slewed.
Result<std::vector<Suspect>> FindSuspects(const LoadedTraces& loaded,
                                          std::span<const ClockInput> clocks,
                                          std::span<const PairInput> pairs,
                                          std::optional<ClockId> reference,
                                          const SolveOptions& options) {
  constexpr double kLargestPpm = 1000;  // where any drift is allowed
  const double drift_ppm = options.max_drift_ppm.value_or(kLargestPpm);
  SYNCLINE_ASSIGN(const auto found, EstimateDriftBounded(clocks, pairs, PassOver(loaded),
                                                         {.reference = reference,
                                                          .max_drift_ppm = drift_ppm,
                                                          .max_slew_ppm = drift_ppm,
                                                          .max_suspects = options.max_suspects}));
  std::vector<Suspect> suspects;
  if (found.suspects.empty()) return suspects;
  SYNCLINE_TRY(PassOver(loaded)([&](const RecordedMessage& m) {
    const auto& ids = found.suspects;
    if (!std::ranges::binary_search(ids, m.id)) return;
    const size_t component = found.group.clocks[m.from.index()].component;
    if (found.components[component].state != DriftBoundedFinding::State::kBounded) return;
    suspects.push_back({m.id, m.from, m.to});
  }));
  return suspects;
}

// The pairs as they are without suspects, which still count among their messages.
Result<std::vector<PairInput>> EstimateWithout(const LoadedTraces& loaded,
                                               const SolveOptions& options,
                                               std::vector<PairInput> pairs,
                                               std::span<const Suspect> suspects) {
  std::map<std::pair<ClockId, ClockId>, PairPoints> points;
  for (const Suspect& suspect : suspects) points.try_emplace(std::minmax(suspect.from, suspect.to));
  const std::vector<uint64_t> ids = IdsOf(suspects);
  SYNCLINE_TRY(PassOver(loaded, ids)([&](const RecordedMessage& m) {
    const auto pair = points.find(std::minmax(m.from, m.to));
    if (pair == points.end()) return;
    m.from < m.to ? pair->second.AddAToB(m.send_ns, m.receive_ns)
                  : pair->second.AddBToA(m.send_ns, m.receive_ns);
  }));
  for (PairInput& pair : pairs) {
    const auto reduced = points.find({pair.a, pair.b});
    if (reduced == points.end()) continue;
    PairEstimate estimate =
        EstimatePair(reduced->second, PairOptionsOf(loaded, options, pair.a, pair.b));
    estimate.messages_ab = pair.estimate.messages_ab;
    estimate.messages_ba = pair.estimate.messages_ba;
    estimate.out_of_range = pair.estimate.out_of_range;
    pair.estimate = std::move(estimate);
  }
  return pairs;
}

}  // namespace

Result<void> CollectSuspects(const LoadedTraces& loaded, std::span<const uint64_t> ids,
                             Solution& solution) {
  if (ids.empty()) return {};
  return VisitNumbered(loaded, [&](const Message& message, uint64_t id) {
    if (!std::ranges::binary_search(ids, id)) return;
    const bool is_of_collective = id >= loaded.messages.messages();
    (is_of_collective ? solution.collective_suspects : solution.suspects).push_back(message);
  });
}

Result<Solution> SolveJoint(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                            std::optional<ClockId> reference, const SolveOptions& options,
                            std::vector<PairInput> pairs) {
  const JointOptions joint_options{.reference = reference,
                                   .max_drift_ppm = options.max_drift_ppm,
                                   .team = loaded.messages.team(),
                                   .bound_points = options.bound_points};
  JointEstimate joint = EstimateJoint(clocks, pairs, joint_options);
  std::vector<Suspect> suspects;
  if (HasFallback(joint)) {
    SYNCLINE_ASSIGN(suspects, FindSuspects(loaded, clocks, pairs, reference, options));
  }
  for (bool is_final = false; !is_final && !suspects.empty();) {
    SYNCLINE_ASSIGN(auto reduced, EstimateWithout(loaded, options, pairs, suspects));
    JointEstimate without = EstimateJoint(clocks, reduced, joint_options);
    // Where no lines fit the others either, clocks are not straight, and nothing is suspect.
    is_final =
        std::erase_if(suspects, [&](const Suspect& s) { return IsFallback(without, s.from); }) == 0;
    if (!is_final) continue;
    pairs = std::move(reduced);
    joint = std::move(without);
  }
  Solution solution;
  SYNCLINE_TRY(CollectSuspects(loaded, IdsOf(suspects), solution));
  solution.pairs = std::move(pairs);
  solution.group = std::move(joint.group);
  solution.findings = std::move(joint.components);
  return solution;
}

}  // namespace syncline
