#include "experiments/grid.h"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMinimumDelay = 250 * kUs;
constexpr uint32_t kProcesses = 20;

Result<Recording> RecordGrid(const GridCase& grid_case) {
  ScenarioOptions options;
  options.kind = ScenarioKind::kGrid;
  options.seed = grid_case.seed;
  options.grid = GridSize{4, 5};
  options.steps = grid_case.steps;
  options.border_ns = Range{200 * kUs, 400 * kUs};
  options.rest_ns = grid_case.rest_ns;
  options.delay_ns = Range{250 * kUs, 500 * kUs};
  options.overhead_ns = 1 * kUs;
  for (const std::string& text : grid_case.clocks) {
    auto assignment = ParseClockAssignment(text);
    if (!assignment) return tl::unexpected(assignment.error());
    options.clocks.push_back(std::move(*assignment));
  }
  return Record(std::move(options));
}

LogicalOptions OptionsOf(GridClock clock, const GridCase& grid_case) {
  LogicalOptions options;
  options.min_event_gap_ns = 1 * kUs;
  options.revised.gamma_floor = grid_case.gamma_floor;
  if (clock != GridClock::kAmortized) options.amortization = AmortizationKind::kNone;
  if (clock == GridClock::kSimple) options.clock = LogicalClockKind::kSimple;
  if (clock == GridClock::kOriginal) options.controller = ControllerKind::kOriginal;
  return options;
}

// Clocks that differ from process to process: `part` says what process i's has.
template <typename Part>
std::vector<std::string> EachProcess(Part part) {
  std::vector<std::string> clocks;
  for (uint32_t i = 0; i < kProcesses; ++i) clocks.push_back(fmt::format("{}:{}", i, part(i)));
  return clocks;
}

}  // namespace

GridCriteria CriteriaOf(const GridOutcome& outcome) {
  const Deviations& simple = outcome[GridClock::kSimple];
  const Deviations& original = outcome[GridClock::kOriginal];
  return {.fast_ratio = Mean(original.fast_ns) / Mean(simple.fast_ns),
          .slow_ratio = Mean(original.slow_ns) / Mean(simple.slow_ns),
          .relative = Mean(original.relative)};
}

GridCase OneWrongClock(int64_t ahead_us) {
  return {
      .name = fmt::format("one clock {} µs {}", std::abs(ahead_us), ahead_us < 0 ? "slow" : "fast"),
      .clocks = {fmt::format("7:offset={}us", ahead_us)}};
}

std::vector<GridCase> GridCases() {
  const auto sine = [](uint32_t i) {
    return fmt::format("sine={}1ms/{}ms", i % 2 == 0 ? "" : "-", 200 + 10 * i);
  };
  const auto slew = [](uint32_t i) { return fmt::format("slew={}ppm/3s", 12 * i); };
  const auto tick = [](uint32_t i) { return fmt::format("tick=1ms@{}us", 50 * i); };
  return {
      {.name = "all exact"},
      OneWrongClock(1000),
      OneWrongClock(-1000),
      {.name = "constant drift", .clocks = {"*:drift=~2000ppm"}},
      {.name = "drift steps", .clocks = {"*:steps=5000ppm/50ms"}},
      {.name = "sine", .clocks = EachProcess(sine)},
      {.name = "ramp", .clocks = {"7:drift=0,10000ppm@100ms,-10000ppm@200ms,0@300ms"}},
      {.name = "NTP slew", .clocks = EachProcess(slew), .steps = 1500},
      {.name = "tick 1 ms", .clocks = EachProcess(tick), .gamma_floor = 0},
  };
}

Result<GridOutcome> RunGrid(const GridCase& grid_case) {
  const auto recording = RecordGrid(grid_case);
  if (!recording) return tl::unexpected(recording.error());
  GridOutcome outcome{.of = grid_case};
  outcome.messages = recording->events.size() / 2;
  outcome.too_fast = TooFast(*recording, recording->shown_ns, kMinimumDelay);
  outcome.clocks[0] = Compare(*recording, recording->shown_ns);
  for (size_t c = 1; c < kGridClocks; ++c) {
    const LogicalOptions options = OptionsOf(static_cast<GridClock>(c), grid_case);
    const auto retimed = Retime(*recording, options, kMinimumDelay);
    if (!retimed) return tl::unexpected(retimed.error());
    outcome.clocks[c] = Compare(*recording, retimed->after_ns);
    outcome.too_fast_after += TooFast(*recording, retimed->after_ns, kMinimumDelay);
  }
  return outcome;
}

}  // namespace syncline
