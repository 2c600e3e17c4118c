// What a user may set of the recorder, in environment variables SYNCLINE_MPI_*.
//
// Errors: kUsage for a value that makes no sense. Tested by: options_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

namespace syncline::mpi {

enum class ClockSource : uint8_t { kMonotonic, kMonotonicRaw, kRealtime, kCounter };
enum class BurstShape : uint8_t { kRoot, kTree, kBroadcast };

struct Options {
  std::string folder = "syncline-trace";        // OUT: of the archive
  ClockSource clock = ClockSource::kMonotonic;  // CLOCK
  BurstShape shape = BurstShape::kRoot;         // BURST
  uint32_t exchanges = 50;                      // EXCHANGES: of each pair in a burst; 0: no bursts
  uint32_t burst_every = 0;                     // BURST_EVERY: barriers of MPI_COMM_WORLD; 0: never
  uint64_t most_bytes = 0;                      // MAX_BYTES: of each thread's log; 0: no limit
  bool keeps_regions = false;                   // REGIONS: clocks of the concurrency measures
  bool is_verbose = false;                      // VERBOSE: overhead and counts at the end
};

// The variables SYNCLINE_MPI_* of a process, sorted; each "NAME=VALUE" ends with a zero byte. So
// one process's can be sent to all.
std::string VariablesIn(const char* const* environment);
Result<Options> OptionsOf(const std::string& variables);

const char* NameOf(ClockSource source);

}  // namespace syncline::mpi
