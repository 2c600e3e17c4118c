#include "pipeline/compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/exit_code.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "pipeline/compare/assumptions.h"
#include "pipeline/correct/correct.h"
#include "pipeline/correct/process_retimer.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/summary/summarize.h"
#include "trace/event_cursor.h"

namespace syncline {
namespace {

SolveOptions OptionsOf(const Method& method, SolveOptions options) {
  options.group = method.group;
  options.method = method.line.value_or(LineMethod::kWidest);
  return options;
}

// Root mean square of all values of several distributions, each given by its moments.
class RootMeanSquare {
 public:
  void Add(const DelayHistogram& values) {
    const auto count = static_cast<double>(values.count());
    count_ += count;
    sum_ += count * (values.mean() * values.mean() +
                     values.standard_deviation() * values.standard_deviation());
  }
  std::optional<double> Value() const {
    if (count_ == 0) return std::nullopt;
    return std::sqrt(sum_ / count_);
  }

 private:
  double count_ = 0;
  double sum_ = 0;
};

std::optional<double> ResidualOf(const MessageQuality& quality) {
  RootMeanSquare residual;
  for (const auto& [clocks, direction] : quality.directions()) {
    if (clocks.first != clocks.second) residual.Add(direction.delays);
  }
  return residual.Value();
}

std::optional<double> BroadcastDifferenceOf(const MessageQuality& quality) {
  RootMeanSquare difference;
  for (const auto& [clocks, differences] : quality.broadcasts()) difference.Add(differences);
  return difference.Value();
}

// Why no clock got a correction; empty where one did.
std::string WhyNothingFound(const GroupEstimate& group) {
  std::string reason;
  for (uint32_t i = 0; i < group.clocks.size(); ++i) {
    const ClockEstimate& clock = group.clocks[i];
    const bool is_root = group.roots[clock.component] == ClockId(i);
    if (!is_root && clock.quality != Quality::kAbsent) return "";
    if (reason.empty()) reason = clock.reason;
  }
  return reason.empty() ? "no clock could be related to another" : reason;
}

Comparison::Clock ClockFigures(const Summary::Clock& clock) {
  return {.name = clock.name,
          .quality = clock.quality,
          .reference = clock.reference,
          .reason = clock.reason,
          .drift_ppm = clock.drift_ppm,
          .offset_ns = clock.offset_ns,
          .bound = clock.bound};
}

Summary::Truth TruthFigures(const TrueError& error) {
  return {error.max_ns(), error.rms_ns(), error.events(), error.outside_bound()};
}

// What the figures and the qualities of clocks say already.
bool IsShownOtherwise(std::string_view finding) {
  static constexpr std::array kShown = {std::string_view("clock-below-accurate"),
                                        std::string_view("inverted-after-correction"),
                                        std::string_view("pair-without-admissible-line"),
                                        std::string_view("too-fast-after-correction")};
  return std::ranges::find(kShown, finding) != kShown.end();
}

// Those of a summary that come from the method and not from the traces.
Diagnostics FindingsOf(const Summary& summary, const Diagnostics& of_traces) {
  Diagnostics findings;
  for (const auto& [name, d] : summary.diagnostics.all()) {
    if (of_traces.count(name) > 0 || IsShownOtherwise(name)) continue;
    findings.Count(name, d.severity, d.count, d.example);
  }
  return findings;
}

Comparison::Method WithQuality(Comparison::Method figures, const Summary& summary,
                               const QualityFigures& quality, const Diagnostics& of_traces) {
  figures.findings = FindingsOf(summary, of_traces);
  figures.inverted = summary.messages.AllInvertedAfter();
  figures.too_fast = summary.messages.too_fast_after;
  figures.is_weak = ExitCodeOf(summary) != kExitDone;
  figures.residual_ns = ResidualOf(quality.after);
  figures.broadcast_ns = BroadcastDifferenceOf(quality.after);
  for (const Summary::Clock& clock : summary.clocks) figures.clocks.push_back(ClockFigures(clock));
  return figures;
}

// Half of the widest interval between bounds of any clock, at the ends of its trace.
std::optional<int64_t> HalfWidthOf(const LoadedTraces& loaded, const GroupEstimate& group) {
  std::optional<int64_t> half_width_ns;
  for (size_t i = 0; i < group.clocks.size(); ++i) {
    const ClockEstimate& clock = group.clocks[i];
    if (!clock.bound || group.roots[clock.component].index() == i) continue;
    for (const LocalTime t : {loaded.spans[i].first, loaded.spans[i].last}) {
      const TimeBounds& bounds = BoundsOf(clock, EpochNear(clock, t));
      const auto lower = bounds.Lower(t);
      const auto upper = bounds.Upper(t);
      if (!lower || !upper) continue;
      const Int128 width = static_cast<Int128>(upper->ns) - lower->ns;
      half_width_ns = std::max(half_width_ns.value_or(0), Saturate((width + 1) / 2));
    }
  }
  return half_width_ns;
}

// The events of one input for one method.
std::vector<ProcessRetimer> RetimersOf(const LoadedTraces& loaded, const LoadedInput& input,
                                       const MethodRun& run, const Truth& truth) {
  std::vector<ProcessRetimer> retimers;
  for (size_t number = 0; number < input.processes.size(); ++number) {
    retimers.emplace_back(loaded, input, number, run.solution->group, *run.retiming, &truth);
  }
  return retimers;
}

// The name of the clock that all methods are to be relative to: the given one, else the one that
// the first of all methods chooses; empty where it finds none.
std::string CommonReference(const LoadedTraces& loaded, const SolveOptions& options) {
  if (!options.reference.empty()) return options.reference;
  const auto solution = Solve(loaded, OptionsOf(AllMethods().front(), options));
  if (!solution || !WhyNothingFound(solution->group).empty()) return "";
  return loaded.traces.clocks[solution->group.roots.front().index()].name;
}

// What the recorded times say of the messages.
Result<SummaryMessages> MessagesOf(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                                   const SolveOptions& options) {
  for (const MethodRun& run : runs) {
    if (run.figures.IsFound()) return run.messages;
  }
  Retiming retiming = MakeRetiming(loaded, Uncorrected(loaded.traces));
  SYNCLINE_ASSIGN(const auto quality, MeasureQuality(loaded, {}, retiming));
  return Summarize(loaded, {}, quality, options).messages;
}

Result<MethodRun> RunMethod(const LoadedTraces& loaded, const Method& method,
                            const SolveOptions& options) {
  MethodRun run{.method = method,
                .figures = {.name = std::string(method.name),
                            .group = std::string(method.GroupName()),
                            .line = std::string(method.LineName()),
                            .needs = std::string(method.needs)}};
  const SolveOptions own = OptionsOf(method, options);
  const MemoryMeter memory;
  Stopwatch watch;
  auto solution = Solve(loaded, own);
  run.figures.estimate_s = watch.Restart();
  run.figures.memory_bytes = memory.PeakBytes();
  if (!solution) {
    if (solution.error().code == ErrorCode::kUsage) return tl::unexpected(solution.error());
    run.figures.failure = solution.error().message;
    return run;
  }
  run.figures.failure = WhyNothingFound(solution->group);
  if (!run.figures.IsFound()) return run;
  run.retiming = MakeRetiming(loaded, solution->group);
  SYNCLINE_ASSIGN(auto quality, MeasureQuality(loaded, *solution, *run.retiming));
  Summary summary = Summarize(loaded, *solution, quality, own);
  AllowForMoves(loaded, *run.retiming, summary);
  run.figures = WithQuality(std::move(run.figures), summary, quality, loaded.diagnostics);
  run.figures.half_width_ns = HalfWidthOf(loaded, solution->group);
  run.figures = WithAssumption(std::move(run.figures), summary);
  run.against_constant_rates = AgainstConstantRates(summary);
  run.leaves_nothing_out = summary.CountSuspects(Summary::Suspect::Why::kContradiction) == 0;
  run.messages = summary.messages;
  run.solution = std::move(*solution);
  return run;
}

}  // namespace

Result<MethodRuns> RunMethods(const LoadedTraces& loaded, std::span<const Method> methods,
                              SolveOptions options, Progress& progress) {
  MethodRuns runs;
  progress.Begin("comparing methods", methods.size());
  options.reference = CommonReference(loaded, options);
  runs.reference = options.reference;
  Stopwatch watch;
  for (const Method& method : methods) {
    SYNCLINE_TRY(progress.CheckGoesOn());
    SYNCLINE_ASSIGN(MethodRun run, RunMethod(loaded, method, options));
    runs.peak_bytes = std::max(runs.peak_bytes, PeakResidentBytes().value_or(0));
    runs.runs.push_back(std::move(run));
    progress.Advance(1);
  }
  runs.seconds = watch.Restart();
  return runs;
}

Result<Comparison> Compare(const LoadedTraces& loaded, MethodRuns runs,
                           const SolveOptions& options) {
  Comparison comparison;
  comparison.reference = runs.reference;
  SYNCLINE_ASSIGN(comparison.messages, MessagesOf(loaded, runs.runs, options));
  const Summary common = Summarize(loaded, {}, {}, options);
  comparison.version = common.version;
  comparison.inputs = common.inputs;
  comparison.bounds_assume = common.bounds_assume;
  comparison.max_drift_ppm = common.max_drift_ppm;
  comparison.clocks = loaded.traces.clocks.size();
  comparison.diagnostics = loaded.diagnostics;
  comparison.timing.events = common.timing.events;
  comparison.timing.read_s = loaded.read_s;
  comparison.timing.match_s = loaded.match_s;
  comparison.timing.estimate_s = runs.seconds;
  comparison.timing.peak_bytes = std::max(runs.peak_bytes, PeakResidentBytes().value_or(0));
  const std::vector<std::string> contradictions = ContradictionsOf(runs.runs);
  for (size_t i = 0; i < runs.runs.size(); ++i) {
    comparison.methods.push_back(std::move(runs.runs[i].figures));
    comparison.methods.back().contradiction = contradictions[i];
  }
  return comparison;
}

int ExitCodeOf(const Comparison& comparison) {
  int code = kExitNoCorrection;
  for (const Comparison::Method& method : comparison.methods) {
    if (!method.IsFound()) continue;
    const bool holds = !method.is_weak && method.contradiction.empty();
    code = std::min(code, holds ? kExitDone : kExitWeak);
  }
  const bool is_weak = comparison.diagnostics.HasAtLeast(Severity::kWarning);
  return is_weak ? std::max(code, kExitWeak) : code;
}

Result<std::vector<TrueErrors>> MeasureTrueErrors(const LoadedTraces& loaded,
                                                  std::span<const MethodRun> runs,
                                                  const Truth& truth) {
  std::vector<TrueErrors> errors(runs.size());
  for (size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].solution) errors[r].resize(loaded.traces.processes.size());
  }
  for (const LoadedInput& input : loaded.inputs) {
    std::vector<std::vector<ProcessRetimer>> retimers(runs.size());
    for (size_t r = 0; r < runs.size(); ++r) {
      if (runs[r].solution) retimers[r] = RetimersOf(loaded, input, runs[r], truth);
    }
    SYNCLINE_TRY(ForEachEvent(loaded, input, EventDetail::kTimes, [&](const TraceEvent& event) {
      const uint64_t index = event.index - input.first_event[event.number];
      for (size_t r = 0; r < runs.size(); ++r) {
        if (retimers[r].empty()) continue;
        GlobalTime written;
        ProcessRetimer::Figures figures;
        retimers[r][event.number].Retime(index, std::span(&event.event.time, 1),
                                         std::span(&written, 1), figures);
        errors[r][event.event.process.index()].Merge(figures.error);
      }
    }));
  }
  return errors;
}

Comparison::Method WithTrueErrors(Comparison::Method figures, const TrueErrors& errors,
                                  const TraceSet& traces) {
  if (!figures.IsFound()) return figures;
  TrueError all;
  std::vector<TrueError> by_clock(traces.clocks.size());
  for (size_t i = 0; i < errors.size(); ++i) {
    all.Merge(errors[i]);
    by_clock[traces.processes[i].clock.index()].Merge(errors[i]);
  }
  figures.truth = TruthFigures(all);
  for (size_t i = 0; i < by_clock.size(); ++i) {
    if (by_clock[i].events() > 0) figures.clocks[i].truth = TruthFigures(by_clock[i]);
  }
  return figures;
}

}  // namespace syncline
