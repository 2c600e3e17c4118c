// syncline concurrency: how concurrent a computation was, and where it lost time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/region_clock.h"
#include "syncline/result.h"

#include "cli/options.h"

namespace CLI {
class App;
}

namespace syncline {

// syncline concurrency: what its command line asks for, and how it is declared to the parser.

// Values as they stand on the command line; empty: not given.
struct ConcurrencyCommandOptions {
  EstimateOptions estimate;
  std::string waits = "recorded";
  std::string speeds;
  size_t regions = 20;
  uint64_t max_cuts = 100'000;
  std::string csv;              // path, "-" for standard output, empty for none
  bool quote_formulas = false;  // in the CSV
  std::string report;           // path; empty for none
};

void DeclareConcurrencyOptions(CLI::App& command, ConcurrencyCommandOptions& options);

// The relative speeds of processes, by ProcessId: lines PROCESS SPEED with 0 < SPEED ≤ 1; # begins
// a comment; processes that the file does not name have 1. Errors: kUnreadable; kMalformed, with
// the line, also where a process is unknown or named twice.
Result<std::vector<RelativeSpeed>> ReadSpeeds(const std::string& path, const TraceSet& traces);

// Prints the measures and returns the exit code. `command_line` is what the JSON records.
Result<int> RunConcurrency(const ConcurrencyCommandOptions& options,
                           const std::string& command_line);

}  // namespace syncline
