#include "pipeline/estimate/solve.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "pipeline/estimate/solvers.h"
#include "trace/formats.h"

namespace syncline {
namespace {

Result<void> CheckMinimumDelayNames(const LoadedTraces& loaded, const MinimumDelayChoice& choice) {
  const std::vector<std::string> unknown = UnknownClocks(choice, loaded.traces);
  if (unknown.empty()) return {};
  return Fail(ErrorCode::kUsage,
              fmt::format("--min-delay: there is no clock called \"{}\"", unknown.front()));
}

Result<std::optional<ClockId>> FindReference(const LoadedTraces& loaded, const std::string& name) {
  if (name.empty()) return std::optional<ClockId>();
  for (uint32_t i = 0; i < loaded.traces.clocks.size(); ++i) {
    if (loaded.traces.clocks[i].name == name) return std::optional(ClockId(i));
  }
  std::string known;
  for (const Clock& clock : loaded.traces.clocks) known += (known.empty() ? "" : ", ") + clock.name;
  return Fail(
      ErrorCode::kUsage,
      fmt::format("--reference: there is no clock called \"{}\"; there are {}", name, known));
}

// What was found instead of messages, the worst and most frequent first.
std::string Findings(const LoadedTraces& loaded) {
  constexpr size_t kMost = 4;
  Diagnostics found = loaded.diagnostics;
  // Most formats have counted them already.
  const auto count = [&](std::string_view name, uint64_t unmatched) {
    const uint64_t counted = found.count(name);
    found.Count(name, Severity::kInfo, std::max(unmatched, counted) - counted);
  };
  count("unmatched-send", loaded.unmatched_sends);
  count("unmatched-receive", loaded.unmatched_receives);
  std::vector<std::pair<std::string, Diagnostic>> ranked(found.all().begin(), found.all().end());
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
    return std::pair(a.second.severity, a.second.count) >
           std::pair(b.second.severity, b.second.count);
  });
  std::string text;
  for (size_t i = 0; i < std::min(kMost, ranked.size()); ++i) {
    const auto& [name, finding] = ranked[i];
    text += fmt::format("{}{} × {}", i == 0 ? "; found were " : ", ", finding.count, name);
    if (!finding.example.empty()) text += " (" + finding.example + ")";
  }
  return text;
}

std::string WhyNothing(const LoadedTraces& loaded) {
  if (loaded.traces.clocks.empty()) {
    return loaded.diagnostics.count("stream-cut-off") > 0
               ? "no events are left: every stream is cut off before the end of its first packet"
               : "the traces have no events" + Findings(loaded);
  }
  if (loaded.traces.clocks.size() < 2) {
    return "there is only one clock; nothing can be compared with it" + Findings(loaded);
  }
  if (loaded.diagnostics.count("same-host-copies") > 0) {
    return "no two clocks exchanged messages: the captures show the same packets passing in the "
           "same direction, so they seem to come from one host";
  }
  return "no two clocks exchanged messages" + Findings(loaded);
}

}  // namespace

std::string_view GroupMethodName(GroupMethod method) {
  switch (method) {
    case GroupMethod::kTreeError: return "tree-error";
    case GroupMethod::kTreeHops: return "tree-hops";
    case GroupMethod::kJoint: return "joint";
    case GroupMethod::kDriftBounded: return "drift-bounded";
    case GroupMethod::kClosure: return "closure";
    case GroupMethod::kPiecewise: return "piecewise";
    case GroupMethod::kBroadcast: return "broadcast";
  }
  return "";
}

namespace {

Result<Solution> SolveByMethod(const LoadedTraces& loaded, const SolveOptions& options) {
  SYNCLINE_ASSIGN(auto reference, FindReference(loaded, options.reference));
  SYNCLINE_TRY(CheckMinimumDelayNames(loaded, options.minimum_delay));
  const bool has_broadcasts =
      options.group == GroupMethod::kBroadcast && !loaded.messages.broadcasts().empty();
  if (loaded.pairs.empty() && !has_broadcasts) {
    return Fail(ErrorCode::kNoCorrection, WhyNothing(loaded));
  }
  Solution solution;
  SYNCLINE_ASSIGN(auto pairs, EstimatePairs(loaded, options));
  solution.pairs = std::move(pairs);
  std::vector<ClockInput> clocks;
  for (size_t i = 0; i < loaded.traces.clocks.size(); ++i) {
    const auto epochs = loaded.EpochSpansOf(ClockId(static_cast<uint32_t>(i)));
    clocks.push_back({loaded.traces.clocks[i],
                      loaded.spans[i].first,
                      loaded.spans[i].last,
                      {epochs.begin(), epochs.end()}});
  }
  if (options.group == GroupMethod::kClosure || options.group == GroupMethod::kPiecewise ||
      options.group == GroupMethod::kBroadcast) {
    SYNCLINE_TRY(SolveGroup(loaded, clocks, reference, options, solution));
    return solution;
  }
  if (options.group == GroupMethod::kTreeError || options.group == GroupMethod::kTreeHops) {
    const auto weights = options.group == GroupMethod::kTreeHops ? TreeOptions::Weights::kHops
                                                                 : TreeOptions::Weights::kError;
    solution.group =
        EstimateTree(clocks, solution.pairs, {.reference = reference, .weights = weights});
    return solution;
  }
  if (options.group == GroupMethod::kDriftBounded) {
    return SolveDriftBounded(loaded, clocks, reference, options, std::move(solution.pairs));
  }
  return SolveJoint(loaded, clocks, reference, options, std::move(solution.pairs));
}

size_t CountSuspects(const Solution& solution) {
  return solution.suspects.size() + solution.collective_suspects.size();
}

// Without the assumption that paths are symmetric, where it alone makes messages contradict each
// other.
Result<Solution> SolveWithTrueSymmetry(const LoadedTraces& loaded, const SolveOptions& options) {
  SYNCLINE_ASSIGN(Solution solution, SolveByMethod(loaded, options));
  const size_t contradicting = CountSuspects(solution);
  if (!options.minimum_delay.is_auto || contradicting == 0) return solution;
  SolveOptions without = options;
  without.minimum_delay = {};
  SYNCLINE_ASSIGN(Solution plain, SolveByMethod(loaded, without));
  if (CountSuspects(plain) >= contradicting) return solution;
  plain.is_without_symmetry = true;
  plain.diagnostics.Count("paths-not-symmetric", Severity::kInfo, contradicting,
                          "messages that would contradict the others");
  return plain;
}

}  // namespace

Result<void> CheckClockNames(const LoadedTraces& loaded, const SolveOptions& options) {
  SYNCLINE_TRY(FindReference(loaded, options.reference));
  return CheckMinimumDelayNames(loaded, options.minimum_delay);
}

Result<Solution> Solve(const LoadedTraces& loaded, const SolveOptions& options) {
  SYNCLINE_ASSIGN(Solution solution, SolveWithTrueSymmetry(loaded, options));
  SYNCLINE_TRY(CollectLate(loaded, solution));
  return solution;
}

DelayModel MakeDelayModel(const LoadedTraces& loaded, const Solution& solution,
                          const MinimumDelayChoice& choice) {
  constexpr int64_t kOrder = 1;
  DelayModel model({std::max(choice.all_ns.value_or(0), kOrder), 0});
  for (const PairInput& pair : solution.pairs) {
    const MinDelays& used = pair.estimate.min_delays;
    model.Set(pair.a, pair.b, {std::max(used.ab_ns, kOrder), 0});
    model.Set(pair.b, pair.a, {std::max(used.ba_ns, kOrder), 0});
  }
  std::map<std::string_view, ClockId> clocks;
  for (uint32_t i = 0; i < loaded.traces.clocks.size(); ++i) {
    clocks.emplace(loaded.traces.clocks[i].name, ClockId(i));
  }
  for (const auto& [direction, delay] : choice.by_direction) {
    const auto from = clocks.find(direction.first);
    const auto to = clocks.find(direction.second);
    if (from == clocks.end() || to == clocks.end()) continue;
    model.Set(from->second, to->second, {std::max(delay.fixed_ns, kOrder), delay.ps_per_byte});
  }
  return model;
}

GroupEstimate Uncorrected(const TraceSet& traces) {
  GroupEstimate group;
  for (const Clock& clock : traces.clocks) {
    group.clocks.emplace_back().correction = Correction::Nominal(clock);
  }
  return group;
}

std::vector<int64_t> RoundingOfClocks(const LoadedTraces& loaded) {
  std::vector<int64_t> rounding_ns(loaded.traces.clocks.size());
  for (const LoadedInput& input : loaded.inputs) {
    if (!FormatOf(input).has_own_resolution) continue;
    for (const ProcessId process : input.processes) {
      int64_t& of_clock = rounding_ns[loaded.traces.processes[process.index()].clock.index()];
      of_clock = std::max(of_clock, Clock::ReadingNs(input.ticks_per_second));
    }
  }
  return rounding_ns;
}

GlobalTime CorrectedTime(const LoadedTraces& loaded, const GroupEstimate& group,
                         const EventRef& event) {
  const ClockEstimate& clock = group.clocks[loaded.ClockOf(event).index()];
  return CorrectionOf(clock, loaded.epochs.EpochOf(event))(event.time);
}

std::vector<Retiming::ProcessTimes> TimesByProcess(const LoadedTraces& loaded,
                                                   const GroupEstimate& group) {
  std::vector<Retiming::ProcessTimes> times;
  for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
    const ClockEstimate& clock = group.clocks[loaded.traces.processes[i].clock.index()];
    Retiming::ProcessTimes& added = times.emplace_back(Retiming::ProcessTimes{clock.correction});
    if (clock.later_epochs.empty()) continue;
    uint32_t epoch = 0;
    for (const uint64_t first_event : loaded.epochs.FirstEvents(ProcessId(i))) {
      added.later_epochs.push_back({first_event, CorrectionOf(clock, ++epoch)});
    }
    if (i >= loaded.set_backs.size()) continue;
    for (const SetBack& seen : loaded.set_backs[i].found) {
      const auto later = std::ranges::lower_bound(added.later_epochs, seen.event, {},
                                                  &Retiming::LaterEpoch::first_event);
      const bool is_there = later != added.later_epochs.end() && later->first_event == seen.event;
      if (is_there) later->set_back.emplace(seen.before, seen.after);
    }
  }
  return times;
}

Retiming MakeRetiming(const LoadedTraces& loaded, const GroupEstimate& group) {
  std::vector<Retiming::ProcessTimes> times = TimesByProcess(loaded, group);
  for (const LoadedInput& input : loaded.inputs) {
    if (!FormatOf(input).has_own_resolution) continue;
    for (const ProcessId process : input.processes) {
      times[process.index()].ticks_per_second = input.ticks_per_second;
    }
  }
  return Retiming(std::move(times));
}

}  // namespace syncline
