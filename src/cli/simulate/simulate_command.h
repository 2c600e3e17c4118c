// syncline simulate: what its command line asks for, and how it is declared to the parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "cli/optional_output.h"
#include "simulate/scale.h"
#include "simulate/scenario.h"

namespace CLI {
class App;
}

namespace syncline {

// syncline simulate scale: what its command line asks for, and running it.
struct ScaleOptions : OutputOptions {
  ScaleModel model;
  std::vector<uint64_t> sizes = {2, 10, 100, 1000, 10'000, 100'000, 1'000'000};
  std::vector<std::string> strategies = {"root", "tree", "broadcast"};
  // Of a machine's own, from a file; what is given besides it takes the place of what it says.
  std::string measured;
  std::optional<int64_t> exchange_cost_ns;
  std::optional<int64_t> least_delay_ns;
  std::optional<int64_t> mean_excess_ns;
};

void DeclareScaleOptions(CLI::App& command, ScaleOptions& options);

// Prints the table and returns the exit code.
Result<int> RunScale(const ScaleOptions& options);

enum class SimulatedFormat { kText, kOtf2, kChrome };

struct SimulateOptions {
  std::optional<ScenarioKind> kind;
  ScenarioOptions scenario;
  std::string output_folder;
  SimulatedFormat format = SimulatedFormat::kText;
  std::string config;
  bool quiet = false;
  bool force = false;
  bool wants_scale = false;  // the command below this one, with options of its own
  ScaleOptions scale;

  IfExists if_exists() const { return force ? IfExists::kReplace : IfExists::kFail; }
};

void DeclareSimulateOptions(CLI::App& command, SimulateOptions& options);

// Prints what was written and returns the exit code.
Result<int> RunSimulate(const SimulateOptions& options);

}  // namespace syncline
