#include "pipeline/estimate/solve.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/parallel.h"
#include "base/try.h"
#include "measure/quality_batch.h"
#include "pipeline/estimate/estimate_pairs.h"
#include "pipeline/estimate/solve_drift_bounded.h"
#include "pipeline/estimate/solve_groups.h"
#include "pipeline/estimate/solve_joint.h"
#include "pipeline/estimate/solve_likely.h"
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

std::string WhyNothing(const LoadedTraces& loaded) {
  if (loaded.traces.clocks.size() < 2) {
    return "there is only one clock; nothing can be compared with it";
  }
  if (loaded.diagnostics.count("same-host-copies") > 0) {
    return "no two clocks exchanged messages: the captures show the same packets passing in the "
           "same "
           "direction, so they seem to come from one host";
  }
  return "no two clocks exchanged messages";
}

// Minimum delays of the messages between two clocks, as used in estimation.
class DelayTable {
 public:
  DelayTable(const Solution& solution, size_t clocks) : clocks_(clocks), delays_(clocks * clocks) {
    for (const PairInput& pair : solution.pairs) {
      delays_[pair.a.index() * clocks_ + pair.b.index()] = {pair.estimate.min_delays.ab_ns};
      delays_[pair.b.index() * clocks_ + pair.a.index()] = {pair.estimate.min_delays.ba_ns};
    }
  }
  Duration Of(ClockId from, ClockId to) const {
    return delays_[from.index() * clocks_ + to.index()];
  }

 private:
  size_t clocks_;
  std::vector<Duration> delays_;
};

// What the clocks themselves claim of the time from a to b.
Duration NominalDifference(const LoadedTraces& loaded, const EventRef& a, const EventRef& b) {
  auto nominal = [&](const EventRef& e) {
    return loaded.traces.clocks[loaded.traces.processes[e.process.index()].clock.index()].NominalNs(
        e.time);
  };
  return {Saturate(static_cast<Int128>(nominal(b)) - nominal(a))};
}

// The messages as they were recorded, and those that are set aside.
Result<MessageQuality> MeasureBefore(const LoadedTraces& loaded, const DelayTable& delays) {
  MessageQuality before;
  QualityBatch batch(loaded.traces.clocks.size(), before);
  const auto& processes = loaded.traces.processes;
  const auto add = [&](const Message& m) {
    const ClockId from = processes[m.send.process.index()].clock;
    const ClockId to = processes[m.receive.process.index()].clock;
    batch.AddMessage(from, to, NominalDifference(loaded, m.send, m.receive), delays.Of(from, to));
  };
  if (auto done = loaded.messages.ForEach(add); !done) return tl::unexpected(done.error());
  for (const Message& m : loaded.messages.set_aside()) add(m);
  batch.Finish();
  return before;
}

struct QualityAfter {
  MessageQuality messages;
  uint64_t contradictions = 0;
};
// The same corrected. A moved receive can be the neighbour of another: looks again as long as
// something moves.
Result<QualityAfter> MeasureAfter(const LoadedTraces& loaded, const DelayTable& delays,
                                  Retiming& retiming) {
  QualityAfter after;
  const auto& processes = loaded.traces.processes;
  for (uint64_t moved = 1, round = 0; moved > 0 && round < 8; ++round) {
    moved = 0;
    after = {};
    QualityBatch batch(loaded.traces.clocks.size(), after.messages);
    const auto add = [&](const Message& m) {
      const ClockId from = processes[m.send.process.index()].clock;
      const ClockId to = processes[m.receive.process.index()].clock;
      const Duration least = delays.Of(from, to);
      const GlobalTime send = retiming(m.send);
      GlobalTime receive = retiming(m.receive);
      if (receive - send < least && retiming.RepairRounding(m, least)) {
        ++moved;
        receive = retiming(m.receive);
      }
      batch.AddMessage(from, to, receive - send, least);
    };
    if (auto done = loaded.messages.ForEach(add); !done) return tl::unexpected(done.error());
    batch.Finish();
    after.contradictions = after.messages.inverted() + after.messages.too_fast();
    for (const Message& m : loaded.messages.set_aside()) add(m);
    batch.Finish();
  }
  return after;
}

Result<void> MeasureCollectives(const LoadedTraces& loaded, const Retiming& retiming,
                                QualityFigures& figures) {
  const auto& processes = loaded.traces.processes;
  const auto add = [&](const Message& m) {
    const ClockId from = processes[m.send.process.index()].clock;
    const ClockId to = processes[m.receive.process.index()].clock;
    if (from == to) return;
    CollectiveOrder& counts = figures.collectives[{from, to}];
    ++counts.total;
    if (NominalDifference(loaded, m.send, m.receive).ns < 0) ++counts.inverted_before;
    if (retiming(m.receive) < retiming(m.send)) ++counts.inverted_after;
  };
  SYNCLINE_TRY(loaded.collective_messages.ForEach(add));
  for (const Message& m : loaded.collective_messages.set_aside()) add(m);
  return {};
}

void MeasureBroadcasts(const LoadedTraces& loaded, const Retiming& retiming,
                       QualityFigures& figures) {
  const auto& processes = loaded.traces.processes;
  for (const Broadcast& broadcast : loaded.messages.broadcasts()) {
    for (size_t i = 0; i < broadcast.receives.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const EventRef& a = broadcast.receives[j];
        const EventRef& b = broadcast.receives[i];
        const ClockId clock_a = processes[a.process.index()].clock;
        const ClockId clock_b = processes[b.process.index()].clock;
        if (clock_a == clock_b) continue;
        figures.before.AddBroadcastDifference(clock_a, clock_b, NominalDifference(loaded, a, b));
        figures.after.AddBroadcastDifference(clock_a, clock_b, retiming(b) - retiming(a));
      }
    }
  }
}

}  // namespace

std::string_view GroupMethodName(GroupMethod method) {
  switch (method) {
    case GroupMethod::kTreeError:
      return "tree-error";
    case GroupMethod::kTreeHops:
      return "tree-hops";
    case GroupMethod::kJoint:
      return "joint";
    case GroupMethod::kDriftBounded:
      return "drift-bounded";
    case GroupMethod::kClosure:
      return "closure";
    case GroupMethod::kPiecewise:
      return "piecewise";
    case GroupMethod::kBroadcast:
      return "broadcast";
  }
  return "";
}

namespace {

Result<Solution> SolveByMethod(const LoadedTraces& loaded, const SolveOptions& options) {
  auto reference = FindReference(loaded, options.reference);
  if (!reference) return tl::unexpected(reference.error());
  if (auto ok = CheckMinimumDelayNames(loaded, options.minimum_delay); !ok) {
    return tl::unexpected(ok.error());
  }
  const bool has_broadcasts =
      options.group == GroupMethod::kBroadcast && !loaded.messages.broadcasts().empty();
  if (loaded.pairs.empty() && !has_broadcasts) {
    return Fail(ErrorCode::kNoCorrection, WhyNothing(loaded));
  }
  Solution solution;
  auto pairs = EstimatePairs(loaded, options);
  if (!pairs) return tl::unexpected(pairs.error());
  solution.pairs = *std::move(pairs);
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
    if (auto done = SolveGroup(loaded, clocks, *reference, options, solution); !done) {
      return tl::unexpected(done.error());
    }
    return solution;
  }
  if (options.group == GroupMethod::kTreeError || options.group == GroupMethod::kTreeHops) {
    const auto weights = options.group == GroupMethod::kTreeHops ? TreeOptions::Weights::kHops
                                                                 : TreeOptions::Weights::kError;
    solution.group =
        EstimateTree(clocks, solution.pairs, {.reference = *reference, .weights = weights});
    return solution;
  }
  if (options.group == GroupMethod::kDriftBounded) {
    return SolveDriftBounded(loaded, clocks, *reference, options, std::move(solution.pairs));
  }
  return SolveJoint(loaded, clocks, *reference, options, std::move(solution.pairs));
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

Result<QualityFigures> MeasureQuality(const LoadedTraces& loaded, const Solution& solution,
                                      Retiming& retiming) {
  const DelayTable delays(solution, loaded.traces.clocks.size());
  Result<MessageQuality> before;
  Result<QualityAfter> after;
  // Neither needs the other, and each takes a pass.
  ForEachParallel(2, [&](size_t part) {
    if (part == 0) {
      before = MeasureBefore(loaded, delays);
    } else {
      after = MeasureAfter(loaded, delays, retiming);
    }
  });
  if (!before) return tl::unexpected(before.error());
  if (!after) return tl::unexpected(after.error());
  QualityFigures figures{*std::move(before), std::move(after->messages), {}, after->contradictions};
  SYNCLINE_TRY(MeasureCollectives(loaded, retiming, figures));
  MeasureBroadcasts(loaded, retiming, figures);
  return figures;
}

}  // namespace syncline
