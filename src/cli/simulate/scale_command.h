// syncline simulate scale: what its command line asks for, and running it.
//
// Tested by: scale_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/optional_output.h"
#include "simulate/scale.h"

namespace CLI {
class App;
}

namespace syncline {

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

}  // namespace syncline
