#include "cli/convert/convert_times.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/int128.h"
#include "cli/solve/second_stage.h"
#include "report/summary_file.h"

namespace syncline {
namespace {

// Every format holds nanoseconds, so that nothing is rounded to the inputs' resolutions.
Retiming InNanoseconds(const LoadedTraces& loaded, const GroupEstimate& group) {
  std::vector<Retiming::ProcessTimes> times;
  for (const Process& process : loaded.traces.processes) {
    times.push_back({group.clocks[process.clock.index()].correction});
  }
  return Retiming(std::move(times));
}

// The larger distance from an event's time to where it is known to lie between.
std::optional<int64_t> BoundOf(const TimeBounds& bounds, const ExportedEvent& event) {
  const auto lower = bounds.Lower(event.local);
  const auto upper = bounds.Upper(event.local);
  if (!lower || !upper) return std::nullopt;
  const Int128 below = static_cast<Int128>(event.time.ns) - lower->ns;
  const Int128 above = static_cast<Int128>(upper->ns) - event.time.ns;
  return Saturate(std::max<Int128>({below, above, 0}));
}

}  // namespace

ConvertTimes RecordedTimes(const LoadedTraces& loaded) {
  const auto nominal = [&loaded](const EventRef& event) {
    const ClockId clock = loaded.traces.processes[event.process.index()].clock;
    return GlobalTime{loaded.traces.clocks[clock.index()].NominalNs(event.time)};
  };
  const auto unknown = [](ProcessId, const ExportedEvent&) { return std::optional<int64_t>(); };
  return {.time = nominal, .bound_ns = unknown};
}

Result<ConvertTimes> SummarizedTimes(const std::string& path, const LoadedTraces& loaded,
                                     Diagnostics& diagnostics) {
  struct ByClock {
    Correction correction;
    std::optional<int64_t> bound_ns;
  };
  auto summary = ReadSummaryFile(path);
  if (!summary) return tl::unexpected(summary.error());
  auto clocks = std::make_shared<std::vector<ByClock>>();
  for (const Clock& clock : loaded.traces.clocks) {
    const auto found = summary->corrections.find(clock.name);
    if (found == summary->corrections.end()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("has no clock called \"{}\", which an input has", clock.name), path);
    }
    const auto bound = summary->worst_bounds_ns.find(clock.name);
    clocks->push_back({found->second, bound == summary->worst_bounds_ns.end()
                                          ? std::nullopt
                                          : std::optional(bound->second)});
  }
  if (summary->events_moved > 0) {
    diagnostics.Count("summary-moved-events", Severity::kWarning, summary->events_moved, path);
  }
  const auto of = [clocks, &loaded](ProcessId process) -> const ByClock& {
    return (*clocks)[loaded.traces.processes[process.index()].clock.index()];
  };
  return ConvertTimes{
      .is_corrected = true,
      .reference = summary->reference,
      .time = [of](const EventRef& event) { return of(event.process).correction(event.time); },
      .bound_ns = [of](ProcessId process, const ExportedEvent&) { return of(process).bound_ns; }};
}

Result<EstimatedTimes> EstimateTimes(LoadedTraces& loaded, const SolveOptions& solve,
                                     const ConvertOptions& options, Progress& progress) {
  auto solved = Solve(loaded, solve);
  if (!solved) return tl::unexpected(solved.error());
  auto solution = std::make_shared<Solution>(std::move(*solved));
  loaded.messages.SetAside(solution->suspects);
  const SecondStageOptions second{
      .logical = options.logical,
      .clock = options.clock,
      .minimum_delay = solve.minimum_delay,
      .make_retiming = [&] { return InNanoseconds(loaded, solution->group); }};
  StagedTimes first{second.make_retiming(), {}, {}};
  auto quality = MeasureQuality(loaded, *solution, first.retiming);
  if (!quality) return tl::unexpected(quality.error());
  first.quality = std::move(*quality);
  auto staged = RunSecondStage(loaded, *solution, second, std::move(first), progress);
  if (!staged) return tl::unexpected(staged.error());
  EstimatedTimes estimated;
  estimated.summary = Summarize(loaded, *solution, staged->quality, solve);
  if (staged->logical) AddLogical(*staged->logical, loaded, estimated.summary);
  estimated.summary.messages.moved_for_rounding = staged->retiming.moved();
  auto retiming = std::make_shared<Retiming>(std::move(staged->retiming));
  estimated.times = {.is_corrected = true,
                     .reference = estimated.summary.reference,
                     .time = [retiming](const EventRef& event) { return (*retiming)(event); },
                     .bound_ns =
                         [solution, &loaded](ProcessId process, const ExportedEvent& event) {
                           const ClockId clock = loaded.traces.processes[process.index()].clock;
                           return BoundOf(solution->group.clocks[clock.index()].bounds, event);
                         }};
  return estimated;
}

}  // namespace syncline
