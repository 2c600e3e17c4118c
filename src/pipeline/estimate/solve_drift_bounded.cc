
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "pipeline/estimate/solvers.h"
#include "report/table.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

DriftBoundedOptions OptionsOf(std::optional<ClockId> reference, const SolveOptions& options) {
  return {
      .reference = reference,
      .max_drift_ppm = options.max_drift_ppm,
      .max_slew_ppm = options.max_slew_ppm.value_or(drift_bounded::RateLimits::kAnyPpm),
      .max_wander_ppm = options.max_wander_ppm,
      .max_suspects = options.max_suspects,
      .bounds_straight = options.for_json || options.assume == SolveOptions::Assume::kConstantRate};
}

void CountFindings(const LoadedTraces& loaded, const DriftBoundedEstimate& found,
                   Diagnostics& diagnostics) {
  const auto name = [&](ClockId clock) { return loaded.traces.clocks[clock.index()].name; };
  for (const RaisedLimit& raised : found.raised) {
    const ClockId root = found.group.roots[found.group.clocks[raised.clock.index()].component];
    const GlobalTime first{
        loaded.traces.clocks[root.index()].NominalNs(loaded.spans[root.index()].first)};
    const std::string what =
        raised.clock == root
            ? fmt::format("{} is the reference, and all others leave it together; their",
                          name(root))
            : name(raised.clock) + "; its";
    const std::string up_to = raised.limit_ppm < drift_bounded::RateLimits::kAnyPpm
                                  ? fmt::format("up to {:.0f} ppm", raised.limit_ppm)
                                  : "for any rate that is not below half of the reference's";
    std::string why = "at least";
    std::string unless;
    if (const auto& trip = raised.round_trip) {
      why = "probably more than";
      unless =
          fmt::format(" (else a round trip with {} took {}, {} at other times)", name(trip->with),
                      FormatDuration(trip->least_ns), FormatDuration(trip->seen_ns));
    }
    diagnostics.Count(
        "rate-limit-raised", Severity::kWarning, 1,
        fmt::format("{} rate was {} {:.0f} ppm off, as seen about {} after {}'s first event{}; "
                    "bounds hold {}",
                    what, why, raised.needed_ppm, FormatDuration((raised.about - first).ns),
                    name(root), unless, up_to));
  }
  for (size_t i = 0; i < found.components.size(); ++i) {
    if (found.components[i].state != DriftBoundedFinding::State::kContradicted) continue;
    diagnostics.Count("messages-contradict", Severity::kError, 1,
                      name(found.group.roots[i]) + ": " + found.components[i].reason);
  }
  if (found.is_wander_contradicted) {
    diagnostics.Count("wander-contradicted", Severity::kWarning, 1,
                      "rates stray further from their mean than --max-wander-ppm allows, which "
                      "was not used");
  }
}

// Clocks whose rates were to be constant, and whose messages no straight lines fit.
void CountBentClocks(const LoadedTraces& loaded, const std::optional<JointEstimate>& straight,
                     Solution& solution) {
  const GroupEstimate& group = solution.group;
  for (size_t i = 0; i < group.roots.size(); ++i) {
    const auto clocks = std::ranges::count(group.clocks, i, &ClockEstimate::component);
    const auto fits = [&] {
      const size_t component = straight->group.clocks[group.roots[i].index()].component;
      return straight->components[component].state == JointFinding::State::kJoint;
    };
    if (clocks < 2 || (straight && fits())) continue;
    solution.diagnostics.Count(
        "constant-rate-contradicted", Severity::kWarning, 1,
        fmt::format("{} clocks, {} among them: --assume constant-rate was not used", clocks,
                    loaded.traces.clocks[group.roots[i].index()].name));
  }
}

// Straight lines where they fit: beside the solution, or in its place.
void AddConstantRates(const JointEstimate& straight, SolveOptions::Assume assume,
                      Solution& solution) {
  using State = JointFinding::State;
  for (size_t c = 0; c < straight.group.clocks.size(); ++c) {
    const ClockEstimate& line = straight.group.clocks[c];
    const bool fits = straight.components[line.component].state == State::kJoint;
    solution.constant_rate_bounds.push_back(fits ? line.bound : std::nullopt);
    if (!fits || assume != SolveOptions::Assume::kConstantRate) continue;
    solution.group.clocks[c] = line;
    solution.rate_limits_ppm[c] = 0;
    solution.guess_limits_ppm[c] = 0;
  }
}

}  // namespace

Result<Solution> SolveDriftBounded(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                                   std::optional<ClockId> reference, const SolveOptions& options,
                                   std::vector<PairInput> pairs) {
  DriftBoundedOptions assumed = OptionsOf(reference, options);
  std::vector<RaisedLimit> raised;  // by likely messages
  // Limits only grow, and not beyond S.
  while (true) {
    SYNCLINE_ASSIGN(DriftBoundedEstimate found,
                    EstimateDriftBounded(clocks, pairs, PassOver(loaded), assumed));
    Solution solution;
    SYNCLINE_TRY(CollectSuspects(loaded, found.suspects, solution));
    found.raised.insert(found.raised.end(), raised.begin(), raised.end());
    CountFindings(loaded, found, solution.diagnostics);
    solution.group = std::move(found.group);
    solution.rate_limits_ppm = std::move(found.limits_ppm);
    solution.guess_limits_ppm = std::move(found.guess_ppm);
    if (options.assume == SolveOptions::Assume::kConstantRate) {
      CountBentClocks(loaded, found.straight, solution);
    }
    if (found.straight) AddConstantRates(*found.straight, options.assume, solution);
    solution.pairs = pairs;
    assumed.least_limits_ppm = solution.rate_limits_ppm;
    SYNCLINE_ASSIGN(LargerLimits larger,
                    RefineByLikely(loaded, clocks, options, assumed, found.suspects, solution));
    if (larger.raised.empty()) return solution;
    raised.insert(raised.end(), larger.raised.begin(), larger.raised.end());
    assumed.least_limits_ppm = std::move(larger.limits_ppm);
  }
}

}  // namespace syncline
