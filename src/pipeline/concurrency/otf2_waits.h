// Where the processes of an OTF2 archive wait: in the calls of MPI that return when something has
// come.
//
// A wait is the outermost region of MPI_Recv, Mrecv, Sendrecv, Probe, Mprobe, Wait, Waitall,
// Waitany, Waitsome or a blocking collective. Tests do not wait, and sends are not waited for.
// Errors: those of the reader; kUnsupported without libotf2. Cost: a pass over the event files,
// several at a time. Memory: 16 bytes per wait. Tested by: concurrency_command_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/result.h"

#include "trace/load.h"

namespace syncline {

// By numbers of events within the process.
struct WaitSpan {
  uint64_t begin = 0;  // the call is entered, or what it sends first is sent
  uint64_t end = 0;    // it returns; beyond all events where it never does
};

// By the input's processes, each in order; of those, by ProcessId, of which `is_here`.
Result<std::vector<std::vector<WaitSpan>>> Otf2WaitsOf(const LoadedInput& input,
                                                       const std::vector<bool>& is_here);

}  // namespace syncline
