#include "pipeline/convert/bundle_files.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"
#include "report/table.h"
#include "trace/kept_chrome.h"

namespace syncline {
namespace {

// By how much the correction of a clock moves its events, and how well it is known.
struct Moves {
  int64_t least_ns = std::numeric_limits<int64_t>::max();
  int64_t most_ns = std::numeric_limits<int64_t>::min();
  int64_t first_ns = std::numeric_limits<int64_t>::max();  // as recorded
  int64_t bound_ns = 0;                                    // the widest; INT64_MAX where open

  bool has_events() const { return least_ns <= most_ns; }
  int64_t middle_ns() const { return has_events() ? std::midpoint(least_ns, most_ns) : 0; }
  int64_t deviation_ns() const {
    return has_events() ? SaturatedDifference(most_ns, middle_ns()) : 0;
  }
};

std::vector<Moves> MovesByClock(const ExportedTrace& trace) {
  std::vector<Moves> by_clock(trace.traces.clocks.size());
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    Moves& moves = by_clock[trace.traces.processes[p].clock.index()];
    for (const ExportedEvent& event : trace.processes[p].events) {
      const int64_t recorded_ns = trace.RecordedNs(ProcessId(p), event);
      const int64_t by_ns = (event.time - GlobalTime{recorded_ns}).ns;
      moves.least_ns = std::min(moves.least_ns, by_ns);
      moves.most_ns = std::max(moves.most_ns, by_ns);
      moves.first_ns = std::min(moves.first_ns, recorded_ns);
      const auto bound = trace.bound_ns(ProcessId(p), event);
      moves.bound_ns = std::max(moves.bound_ns, bound.value_or(INT64_MAX));
    }
  }
  return by_clock;
}

Result<ClockId> ClockOf(const LoadedTraces& loaded, const LoadedInput& input) {
  if (input.input.format != Format::kChrome) {
    return Fail(ErrorCode::kUsage,
                "--to perfetto-bundle takes Chrome JSON alone; --to perfetto takes all",
                input.input.path);
  }
  if (input.processes.empty()) return Fail(ErrorCode::kUsage, "has no events", input.input.path);
  const auto clock_of = [&](ProcessId p) { return loaded.traces.processes[p.index()].clock; };
  const ClockId clock = clock_of(input.processes.front());
  if (std::ranges::all_of(input.processes, [&](ProcessId p) { return clock_of(p) == clock; })) {
    return clock;
  }
  return Fail(ErrorCode::kUsage,
              "holds several clocks, which --to perfetto-bundle cannot tell apart",
              input.input.path);
}

Result<void> CheckConstant(const std::string& clock, const Moves& moves) {
  if (moves.deviation_ns() <= moves.bound_ns) return {};
  return Fail(
      ErrorCode::kNoCorrection,
      fmt::format(
          "a Perfetto archive gives each file one constant offset, and that of {} changes by "
          "± {} over its trace, more than its bounds of ± {}: sync --merge FILE writes one "
          "file for Perfetto that follows it",
          clock, FormatDuration(moves.deviation_ns()), FormatDuration(moves.bound_ns)));
}

}  // namespace

Result<FileBundle> BundleFiles(const LoadedTraces& loaded, const ExportedTrace& trace) {
  const std::vector<Moves> moves = MovesByClock(trace);
  FileBundle bundle;
  std::vector<ClockId> clocks;
  for (const LoadedInput& input : loaded.inputs) {
    SYNCLINE_ASSIGN(const ClockId clock, ClockOf(loaded, input));
    const std::string& name = loaded.traces.clocks[clock.index()].name;
    SYNCLINE_TRY(CheckConstant(name, moves[clock.index()]));
    if (name == trace.reference) bundle.reference = bundle.files.size();
    bundle.files.push_back({.path = input.input.path, .machine = name});
    clocks.push_back(clock);
  }
  // Perfetto does not know `baseTimeNanoseconds`: its times are those that stand in the files.
  const auto base_ns = [&](size_t file) { return ChromeOf(loaded.inputs[file]).base_ns; };
  for (size_t i = 0; i < bundle.files.size(); ++i) {
    const Moves& of = moves[clocks[i].index()];
    const int64_t reference_ns = moves[clocks[bundle.reference].index()].middle_ns();
    const Int128 offset =
        static_cast<Int128>(of.middle_ns()) - reference_ns + base_ns(i) - base_ns(bundle.reference);
    bundle.files[i].offset_ns = Saturate(offset);
    if (of.has_events() && offset + of.first_ns - base_ns(i) < 0) {
      return Fail(ErrorCode::kNoCorrection,
                  "begins before 0 on the reference's clock, and Perfetto drops such events",
                  bundle.files[i].path);
    }
  }
  return bundle;
}

}  // namespace syncline
