#include "simulate/scenario.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text_scanner.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;

tl::unexpected<Error> Wrong(std::string message) {
  return Fail(ErrorCode::kUsage, std::move(message));
}

// An option that only some scenarios know.
struct SpecialOption {
  std::string_view name;
  bool is_given;
  std::initializer_list<ScenarioKind> scenarios;
};

Result<void> CheckOptions(const ScenarioOptions& o) {
  using enum ScenarioKind;
  const SpecialOption special[] = {
      {"--grid", o.grid.has_value(), {kGrid}},
      {"--processes", o.processes.has_value(), {kGrid, kTicks, kRing, kClientServer, kRandom}},
      {"--border", o.border_ns.has_value(), {kGrid}},
      {"--rest", o.rest_ns.has_value(), {kGrid}},
      {"--compute", o.compute_ns.has_value(), {kRing, kClientServer, kRandom}},
      {"--neighbours", o.neighbours.has_value(), {kRandom}},
      {"--service", o.service_ns.has_value(), {kClientServer}},
      {"--period", o.period_ns.has_value(), {kTicks, kTwo}},
      {"--behind", o.behind_ns.has_value(), {kTwo}},
      {"--faster", o.faster_ppt.has_value(), {kTwo}},
      {"--per-byte", o.ps_per_byte.has_value(), {kGrid, kTwo, kRing, kClientServer, kRandom}},
      {"--collectives", o.collectives_every != 0, {kGrid, kRing, kRandom}},
  };
  for (const SpecialOption& option : special) {
    if (!option.is_given) continue;
    if (std::ranges::find(option.scenarios, o.kind) != option.scenarios.end()) {
      continue;
    }
    return Wrong(fmt::format("the scenario {} knows no {}", ScenarioName(o.kind), option.name));
  }
  if (o.group_size == 1) return Wrong("--group-size takes 2 processes or more");
  if (o.group_size != 0 && o.collectives_every == 0) {
    return Wrong("--group-size says who takes part in --collectives");
  }
  if (o.steps && o.events) return Wrong("--steps and --events exclude each other");
  if (o.grid && o.processes) return Wrong("--grid and --processes exclude each other");
  if (o.steps == uint64_t{0} || o.events == uint64_t{0}) {
    return Wrong("a simulation takes one step and one event or more");
  }
  if (o.wrong_matches_ppb > kPpb / 2) return Wrong("--wrong-matches takes a share of at most 0.5");
  if (o.start_ns < 0 || o.start_ns > kMaxDurationNs) return Wrong("--start is out of range");
  return {};
}

Result<uint32_t> Processes(uint64_t asked) {
  if (asked >= 2 && asked <= kMaxProcesses) return static_cast<uint32_t>(asked);
  return Wrong(fmt::format("{} processes: it takes 2 to {}", asked, kMaxProcesses));
}

// As square as the number of processes allows.
GridSize GridOf(const ScenarioOptions& o) {
  if (o.grid) return *o.grid;
  if (!o.processes) return {4, 5};
  uint32_t rows = 1;
  for (uint32_t r = 2; static_cast<uint64_t>(r) * r <= *o.processes; ++r) {
    if (*o.processes % r == 0) rows = r;
  }
  return {rows, *o.processes / rows};
}

// What all scenarios share.
ScenarioPlan Start(const ScenarioOptions& o, uint32_t processes, uint64_t steps, Range delay_ns,
                   int64_t overhead_ns, Detail detail) {
  ScenarioPlan plan;
  plan.seed = o.seed;
  plan.processes = processes;
  plan.last_step = o.events ? UINT64_MAX : o.steps.value_or(steps) - 1;
  plan.events = o.events;
  plan.delay_ns = o.delay_ns.value_or(delay_ns);
  plan.route_ns = o.route_ns;
  plan.wrong_matches_ppb = o.wrong_matches_ppb;
  plan.ps_per_byte = o.ps_per_byte.value_or(0);
  plan.overhead_ns = o.overhead_ns.value_or(overhead_ns);
  plan.collectives_every = o.collectives_every;
  plan.group_size = o.group_size;
  plan.detail = o.detail.value_or(detail);
  plan.start_ns = o.start_ns;
  plan.clocks.resize(processes);
  return plan;
}

Range BytesOf(const ScenarioOptions& o) { return o.bytes.value_or(Range{1024, 1024}); }

Result<ScenarioPlan> PlanGrid(const ScenarioOptions& o) {
  const GridSize grid = GridOf(o);
  SYNCLINE_ASSIGN(const auto processes, Processes(static_cast<uint64_t>(grid.rows) * grid.columns));
  ScenarioPlan plan = Start(o, processes, 120, {250 * kUs, 500 * kUs}, 1 * kUs, Detail::kRegions);
  plan.program =
      GridProgram(grid.rows, grid.columns, o.border_ns.value_or(Range{200 * kUs, 400 * kUs}),
                  o.rest_ns.value_or(Range{2 * kMs, 4 * kMs}), BytesOf(o));
  return plan;
}

// The time of process p's clock when the message of each loop reaches it is known, so the clock can
// be set to tick right after that. Report, chapter 6.3.2.
ClockSpec TickingClock(uint32_t process, int64_t delay_ns, int64_t hop_ns, int64_t period_ns) {
  const int64_t shown_ns = delay_ns * (static_cast<int64_t>(process) + 1);
  const int64_t sends_at_ns = hop_ns * process;
  ClockSpec clock;
  clock.parts.emplace_back(OffsetPart{{shown_ns - sends_at_ns + period_ns}});
  clock.tick_ns = period_ns;
  clock.tick_phase_ns = shown_ns;
  return clock;
}

Result<ScenarioPlan> PlanTicks(const ScenarioOptions& o) {
  SYNCLINE_ASSIGN(const auto processes, Processes(o.processes.value_or(20)));
  ScenarioPlan plan = Start(o, processes, 100, {250 * kUs, 250 * kUs}, 1, Detail::kMessages);
  const int64_t period_ns = o.period_ns.value_or(10 * kMs);
  const int64_t delay_ns = plan.delay_ns.low;
  if (plan.delay_ns.high != delay_ns) return Wrong("the scenario ticks has one fixed --delay");
  if (plan.overhead_ns < 1) return Wrong("the scenario ticks needs an --overhead of 1ns or more");
  const Int128 hop_ns = static_cast<Int128>(delay_ns) + plan.overhead_ns;
  if (2 * hop_ns * (processes - 1) >= period_ns) {
    return Wrong("the scenario ticks needs a --period longer than the way there and back");
  }
  for (uint32_t p = 0; p < processes; ++p) {
    plan.clocks[p] = TickingClock(p, delay_ns, static_cast<int64_t>(hop_ns), period_ns);
  }
  plan.program = ChainProgram(processes, period_ns, BytesOf(o));
  return plan;
}

Result<ScenarioPlan> PlanTwo(const ScenarioOptions& o) {
  ScenarioPlan plan = Start(o, 2, 200, {0, 0}, 0, Detail::kMessages);
  const int64_t period_ns = o.period_ns.value_or(100 * kMs);
  if (period_ns < 1) return Wrong("the scenario two needs a --period of 1ns or more");
  plan.clocks[1].parts.emplace_back(OffsetPart{{-o.behind_ns.value_or(1 * kMs)}});
  plan.clocks[1].parts.emplace_back(DriftPart{{{{o.faster_ppt.value_or(100'000'000)}}}});
  plan.program = ExchangeProgram(period_ns, BytesOf(o));
  return plan;
}

Result<ScenarioPlan> PlanOthers(const ScenarioOptions& o) {
  const bool is_served = o.kind == ScenarioKind::kClientServer;
  SYNCLINE_ASSIGN(const auto processes, Processes(o.processes.value_or(is_served ? 5 : 8)));
  ScenarioPlan plan = Start(o, processes, 100, {50 * kUs, 200 * kUs}, 1 * kUs, Detail::kRegions);
  if (o.neighbours && (*o.neighbours < 2 || *o.neighbours % 2 != 0 || *o.neighbours > processes)) {
    return Wrong("--neighbours takes an even number from 2 to that of the processes");
  }
  const Range compute_ns =
      o.compute_ns.value_or(is_served ? Range{1 * kMs, 5 * kMs} : Range{500 * kUs, 1500 * kUs});
  if (o.kind == ScenarioKind::kRing) {
    plan.program = RingProgram(processes, compute_ns, BytesOf(o));
  } else if (is_served) {
    plan.server = 0;
    plan.program = ClientServerProgram(
        compute_ns, o.service_ns.value_or(Range{100 * kUs, 300 * kUs}), BytesOf(o));
  } else {
    const uint64_t seed = Random(o.seed, UINT64_MAX).Next();
    auto neighbours = o.neighbours ? UnionOfRings(processes, *o.neighbours / 2, seed)
                                   : std::vector<std::vector<uint32_t>>();
    plan.program =
        RandomPairsProgram(processes, std::move(neighbours), seed, compute_ns, BytesOf(o));
  }
  return plan;
}

Result<ScenarioPlan> PlanKind(const ScenarioOptions& o) {
  switch (o.kind) {
    case ScenarioKind::kGrid: return PlanGrid(o);
    case ScenarioKind::kTicks: return PlanTicks(o);
    case ScenarioKind::kTwo: return PlanTwo(o);
    case ScenarioKind::kRing:
    case ScenarioKind::kClientServer:
    case ScenarioKind::kRandom: break;
  }
  return PlanOthers(o);
}

}  // namespace

std::string_view ScenarioName(ScenarioKind kind) {
  constexpr std::array<std::string_view, kScenarioKinds.size()> kNames = {
      "grid", "ticks", "two", "ring", "client-server", "random"};
  return kNames[static_cast<size_t>(kind)];
}

Result<ScenarioPlan> PlanScenario(const ScenarioOptions& options) {
  SYNCLINE_TRY(CheckOptions(options));
  SYNCLINE_ASSIGN(auto plan, PlanKind(options));
  for (const ClockAssignment& assignment : options.clocks) {
    if (assignment.first >= plan.processes ||
        (assignment.last >= plan.processes && assignment.last != UINT32_MAX)) {
      return Wrong(
          fmt::format("--clock: there are only the processes 0 to {}", plan.processes - 1));
    }
  }
  for (uint32_t p = 0; p < plan.processes; ++p) {
    SYNCLINE_ASSIGN(auto spec, SpecOf(p, std::move(plan.clocks[p]), options.clocks));
    plan.clocks[p] = std::move(spec);
  }
  return plan;
}

}  // namespace syncline
