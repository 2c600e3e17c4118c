// What an archive says once for all processes: clock, hosts, processes, communicators, regions.
// Tested by: archive_writer_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include <otf2/otf2.h>

#include "record/mpi/definitions.h"

namespace syncline::mpi {

// The first error, or OTF2_SUCCESS.
OTF2_ErrorCode WriteGlobalDefinitions(OTF2_GlobalDefWriter* writer,
                                      std::span<const RankDefinitions> processes,
                                      const GlobalCommunicators& communicators);

// Of the archive: rank 0's.
uint64_t TicksPerSecondOf(std::span<const RankDefinitions> processes);

}  // namespace syncline::mpi
