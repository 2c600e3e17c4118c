// syncline clock probe: what its command line asks for, running it, and what it says.
//
// Tested by: probe_command_test.cc, probe_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/clock/exchange_options.h"
#include "live/exchange/probe.h"

namespace CLI {
class App;
}

namespace syncline {

struct ProbeOptions : ExchangeOptions {
  std::vector<std::string> hosts;  // HOST, HOST:PORT, or NAME= before them
  std::string broadcast;
  // But for the places, the key, and how many bursts.
  ProbePlan plan = {.own = "local", .spacing_ns = 2'000'000, .interval_ns = 1'000'000'000};
  std::optional<uint64_t> bursts;  // else 5, or without limit where a duration is given
  std::string log;
};

void DeclareProbeOptions(CLI::App& command, ProbeOptions& options);

// Prints what each burst told, and all of them, and returns the exit code: 0; 3 where a host did
// not answer, has no bound, or contradicts the limit of rates; 4 where none answered.
Result<int> RunProbe(const ProbeOptions& options);

// The last burst's and the estimate's figures, one line.
std::string BurstText(const ProbedHost& host);
std::string ProbeText(const ProbeResult& result);
std::string ProbeJson(const ProbeResult& result);

}  // namespace syncline
