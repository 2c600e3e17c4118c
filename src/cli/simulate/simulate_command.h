// syncline simulate: what its command line asks for, and how it is declared to the parser.
#pragma once

#include <optional>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "cli/simulate/scale_command.h"
#include "simulate/scenario.h"

namespace CLI {
class App;
}

namespace syncline {

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
