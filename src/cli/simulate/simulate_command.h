// syncline simulate: what its command line asks for, and how it is declared to the parser.
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/simulate/scale_command.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct SimulateOptions {
  std::string scenario;
  std::string output_folder;
  std::string format = "text";
  std::string seed = "1";
  std::string processes;
  std::string grid;
  std::string steps;
  std::string events;
  std::vector<std::string> clocks;
  std::string delay;
  std::string neighbours;
  std::string route;
  std::string wrong_matches;
  std::string per_byte;
  std::string bytes;
  std::string overhead;
  std::string border;
  std::string rest;
  std::string compute;
  std::string service;
  std::string period;
  std::string behind;
  std::string faster;
  std::string collectives;
  std::string detail;
  std::string start;
  std::string config;
  bool quiet = false;
  bool force = false;
  bool wants_scale = false;  // the command below this one, with options of its own
  ScaleOptions scale;
};

void DeclareSimulateOptions(CLI::App& command, SimulateOptions& options);

// Prints what was written and returns the exit code.
Result<int> RunSimulate(const SimulateOptions& options);

}  // namespace syncline
