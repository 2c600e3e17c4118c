// syncline simulate scale: what its command line asks for, and running it.
//
// Tested by: scale_command_test.cc.
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct ScaleOptions {
  std::string processes = "2..1000000";
  std::vector<std::string> strategies = {"root", "tree", "broadcast"};
  std::string measured;
  std::string exchanges;
  std::string exchange_cost;
  std::string broadcast_cost;
  std::string least_delay;
  std::string mean_excess;
  std::string route;
  std::string spread;
  std::string drift;
  std::string max_drift_ppm;
  std::string min_delay;
  std::string runs;
  std::string seed = "1";
  std::string json;
  std::string config;
  bool quiet = false;
  bool force = false;
};

void DeclareScaleOptions(CLI::App& command, ScaleOptions& options);

// Prints the table and returns the exit code.
Result<int> RunScale(const ScaleOptions& options);

}  // namespace syncline
