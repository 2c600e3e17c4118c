// Writes the events of a simulation as an OTF2 archive, as MPI measurement tools do.
//
// Every process is a location in a location group of its own, which is named after its clock; times
// are nanoseconds of the clock. Needs Detail::kCalls, for MPI events stand inside the calls.
// FOLDER/traces.otf2 is the archive; it is built in a folder beside it.
// Errors: kUnsupported where the build has no OTF2, for a negative time, and for one that is
// smaller than the one before it in its process: OTF2 has neither; kUsage where FOLDER exists; what
// the library reports as kUnreadable. Cost: about 80 ns per event; at most 4.3 MiB of memory per
// process, which is the library's.
// Tested by: src/cli/simulate/simulate_command_test.cc (with otf2-print).
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "simulate/simulation.h"

namespace syncline {

// Whether this build has it.
bool HasOtf2Writer();

// Takes the simulation to its end. FOLDER is complete then, under a temporary name.
Result<OutputFolder> WriteOtf2Trace(Simulation& simulation, const std::string& folder,
                                    IfExists if_exists);

}  // namespace syncline
