// syncline clock probe: what its command line asks for, and running it.
//
// Tested by: probe_command_test.cc.
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/clock/exchange_options.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct ProbeOptions {
  ExchangeOptions common;
  std::vector<std::string> hosts;  // HOST, HOST:PORT, or NAME= before them
  std::string own = "local";
  std::string broadcast;
  std::string exchanges = "10";
  std::string spacing = "0.002";
  std::string bursts;  // empty: 5, or without limit where a duration is given
  std::string interval = "1";
  std::string duration;
  std::string timeout = "0.5";
  std::string max_drift_ppm = "200";
  std::string log;
};

void DeclareProbeOptions(CLI::App& command, ProbeOptions& options);

// Prints what each burst told, and all of them, and returns the exit code: 0; 3 where a host did
// not answer, has no bound, or contradicts the limit of rates; 4 where none answered.
Result<int> RunProbe(const ProbeOptions& options);

}  // namespace syncline
