#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "estimate/groups/broadcast.h"
#include "estimate/groups/by_intervals.h"
#include "pipeline/estimate/solvers.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

std::string Milliseconds(int64_t ns) {
  return fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6);
}

void CountFinding(const IntervalFinding& finding, const std::string& root,
                  Diagnostics& diagnostics) {
  if (finding.state == IntervalFinding::State::kSingle) return;
  if (finding.state == IntervalFinding::State::kFallback) {
    diagnostics.Count("no-interval-solution", Severity::kWarning, 1,
                      fmt::format("{}: {}", root, finding.reason));
    return;
  }
  const std::string intervals = fmt::format("{}: {} intervals of {}", root, finding.intervals,
                                            Milliseconds(finding.interval_ns));
  diagnostics.Count("intervals-cut-finer", Severity::kInfo, finding.refused, intervals);
  diagnostics.Count(
      "interval-limits-supplied", Severity::kInfo, finding.supplied,
      fmt::format("{}: at {} of {} boundaries", root, finding.supplied, finding.places));
  diagnostics.Count("line-outside-interval-limits", Severity::kInfo, finding.outside, intervals);
  diagnostics.Count("interval-limits-by-tick", Severity::kInfo, finding.allows_readings ? 1 : 0,
                    root);
}

Result<void> SolveByIntervals(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                              std::optional<ClockId> reference, const SolveOptions& options,
                              Solution& solution) {
  SYNCLINE_ASSIGN(
      IntervalEstimate estimate,
      EstimateByIntervals(clocks, solution.pairs, PassOver(loaded),
                          options.group == GroupMethod::kClosure ? IntervalMethod::kClosure
                                                                 : IntervalMethod::kPiecewise,
                          reference));
  solution.group = std::move(estimate.group);
  for (size_t i = 0; i < estimate.components.size(); ++i) {
    const ClockId root = solution.group.roots[i];
    CountFinding(estimate.components[i], clocks[root.index()].clock.name, solution.diagnostics);
  }
  return {};
}

std::vector<TimedBroadcast> BroadcastsOf(const LoadedTraces& loaded) {
  std::vector<TimedBroadcast> broadcasts;
  for (const Broadcast& broadcast : loaded.messages.broadcasts()) {
    TimedBroadcast& timed = broadcasts.emplace_back();
    for (const EventRef& receive : broadcast.receives) {
      timed.push_back({loaded.traces.processes[receive.process.index()].clock, receive.time});
    }
  }
  return broadcasts;
}

std::string NamesOf(const std::vector<ClockId>& ids, std::span<const ClockInput> clocks) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const ClockId id : ids) names.push_back(clocks[id.index()].clock.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void CountFinding(const BroadcastFinding& finding, const std::string& names,
                  Diagnostics& diagnostics) {
  if (!finding.is_solved) {
    diagnostics.Count("no-broadcast-solution", Severity::kWarning, 1, names);
    return;
  }
  diagnostics.Count("broadcasts-used", Severity::kInfo, finding.used,
                    fmt::format("{}: stamped {:.1f} µs after the earliest possible on average",
                                names, finding.mean_delay_ns / 1e3));
  diagnostics.Count("broadcasts-left-out", Severity::kInfo, finding.broadcasts - finding.used,
                    names);
}

Result<void> SolveByBroadcasts(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                               std::optional<ClockId> reference, const SolveOptions& options,
                               Solution& solution) {
  BroadcastEstimate estimate =
      EstimateBroadcast(clocks, solution.pairs, BroadcastsOf(loaded),
                        {.reference = reference, .max_drift_ppm = options.max_drift_ppm});
  if (estimate.findings.empty()) {
    if (solution.pairs.empty()) {
      return Fail(ErrorCode::kNoCorrection,
                  "no two clocks exchanged messages or received the same broadcast");
    }
    solution.diagnostics.Count("no-broadcast-solution", Severity::kWarning, 1,
                               "no two clocks received the same broadcast");
  }
  for (const BroadcastFinding& finding : estimate.findings) {
    CountFinding(finding, NamesOf(finding.clocks, clocks), solution.diagnostics);
  }
  solution.group = std::move(estimate.group);
  return {};
}

}  // namespace

Result<void> SolveGroup(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                        std::optional<ClockId> reference, const SolveOptions& options,
                        Solution& solution) {
  return options.group == GroupMethod::kBroadcast
             ? SolveByBroadcasts(loaded, clocks, reference, options, solution)
             : SolveByIntervals(loaded, clocks, reference, options, solution);
}

}  // namespace syncline
