// The scenarios of a simulation, and the plan that a request for one comes to.
//
// Units: nanoseconds of true time; drifts in parts in 10^12. Errors: kUsage for what a scenario
// cannot do or does not know. Tested by: scenario_test.cc, simulation_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "simulate/clock_spec.h"
#include "simulate/program.h"
#include "simulate/random.h"

namespace syncline {

enum class ScenarioKind { kGrid, kTicks, kTwo, kRing, kClientServer, kRandom };
inline constexpr std::array kScenarioKinds = {ScenarioKind::kGrid,         ScenarioKind::kTicks,
                                              ScenarioKind::kTwo,          ScenarioKind::kRing,
                                              ScenarioKind::kClientServer, ScenarioKind::kRandom};
std::string_view ScenarioName(ScenarioKind kind);

// What of a run is recorded.
enum class Detail {
  kMessages,  // sends, receives and collectives alone
  kRegions,   // and regions of computing, and where a receive begins to wait
  kCalls,     // and regions instead around every send, receive and collective, as MPI tools see it
};

struct GridSize {
  uint32_t rows = 0;
  uint32_t columns = 0;
};

// What is not given takes the scenario's own value.
struct ScenarioOptions {
  ScenarioKind kind = ScenarioKind::kGrid;
  uint64_t seed = 1;
  std::optional<uint32_t> processes;
  std::optional<GridSize> grid;
  std::optional<uint64_t> steps;
  std::optional<uint64_t> events;      // ends with the step in which this many are reached
  std::optional<uint32_t> neighbours;  // partners that each process keeps
  std::optional<Range> delay_ns;
  Range route_ns;                 // more delay of each way from one process to another, drawn once
  int64_t wrong_matches_ppb = 0;  // share of messages that get another one's number
  std::optional<Range> bytes;
  std::optional<int64_t> ps_per_byte;  // added to a message's delay
  std::optional<int64_t> overhead_ns;  // how long a send or receive call takes
  std::optional<Range> border_ns;
  std::optional<Range> rest_ns;
  std::optional<Range> compute_ns;
  std::optional<Range> service_ns;
  std::optional<int64_t> period_ns;
  std::optional<int64_t> behind_ns;
  std::optional<int64_t> faster_ppt;
  uint64_t collectives_every = 0;  // steps; 0: none
  uint32_t group_size = 0;         // every other collective is one of so many processes; 0: none is
  std::optional<Detail> detail;
  int64_t start_ns = 0;  // true time of the start
  std::vector<ClockAssignment> clocks;
};

// A request with every value decided.
struct ScenarioPlan {
  uint64_t seed = 1;
  uint32_t processes = 0;
  uint64_t last_step = 0;          // all processes take the steps 0 to this one…
  std::optional<uint64_t> events;  // …or to the one in which this many events are reached
  std::optional<uint32_t> server;  // answers for as long as there are requests
  Range delay_ns;
  Range route_ns;
  int64_t wrong_matches_ppb = 0;
  int64_t ps_per_byte = 0;
  int64_t overhead_ns = 0;
  uint64_t collectives_every = 0;
  uint32_t group_size = 0;
  Detail detail = Detail::kRegions;
  int64_t start_ns = 0;
  std::vector<ClockSpec> clocks;  // by process
  Program program;
};

Result<ScenarioPlan> PlanScenario(const ScenarioOptions& options);

inline constexpr uint32_t kMaxProcesses = 100'000;

}  // namespace syncline
