// Writes the logs of processes as an OTF2 archive, FOLDER/traces.otf2: each process its own, all
// together; or one program the logs of all.
//
// Each process is a location group "rankN" with a location per thread and, from the exchanges, two
// ClockOffset records (clock_line.h). Errors: what libotf2 or the file system refuses; the archive
// is then of no use. Cost: about 100 ns per event.
// Tested by: archive_writer_test.cc, and with real programs by recording_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "record/mpi/definitions.h"

namespace syncline::mpi {

struct ArchivePlan {
  std::string folder;                          // exists and is empty
  std::string log_folder;                      // holds the logs
  std::span<const RankDefinitions> processes;  // all, by rank
  std::vector<uint32_t> own_ranks;             // whose logs are written here
  bool is_master = true;                       // the one that writes what is common
  // Whether all processes are fine, told by each whether it is.
  std::function<bool(bool)> all_agree = [](bool is_fine) { return is_fine; };
  // Makes libotf2 work together with the other processes.
  std::function<OTF2_ErrorCode(OTF2_Archive*)> set_collectives;
};

struct ArchiveCounts {
  uint64_t events = 0;
  uint64_t steps_back = 0;  // times before the one before, which were raised to it
  uint64_t left_out = 0;    // events of communicators whose members nobody recorded
  uint64_t one_sided = 0;   // operations, which are regions only
  uint64_t on_files = 0;    // calls
};

Result<ArchiveCounts> WriteArchive(const ArchivePlan& plan);

// From the logs themselves: a process that died did not count.
Result<std::vector<ThreadDefinition>> CountThreads(const std::string& log_folder, uint32_t rank);

// OTF2's number of a location, and the name of its log.
uint64_t LocationOf(uint32_t rank, size_t thread);
std::string LogName(uint32_t rank, size_t thread);
std::string DefinitionsName(uint32_t rank);

// What an archive says once for all processes: clock, hosts, processes, communicators, regions.

// The first error, or OTF2_SUCCESS.
OTF2_ErrorCode WriteGlobalDefinitions(OTF2_GlobalDefWriter* writer,
                                      std::span<const RankDefinitions> processes,
                                      const GlobalCommunicators& communicators);

// Of the archive: rank 0's.
uint64_t TicksPerSecondOf(std::span<const RankDefinitions> processes);

}  // namespace syncline::mpi
