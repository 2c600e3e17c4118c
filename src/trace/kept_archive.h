// An OTF2 archive in memory: all recorded times, and the MPI events that have partners.
//
// One pass over the event files, several locations at a time, yields both; matching, the logical
// clock and the writing of clock offsets need nothing else. What is made of it does not depend on
// the number of threads. Memory: 8 bytes per event and 32 per MPI event.
// Errors: those of the reader; of several locations with errors the first one counts.
// Tested by: otf2_command_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/result.h"

#include "match/mpi_matcher.h"
#include "match/mpi_record.h"
#include "read/otf2/archive.h"
#include "read/otf2/flush_end.h"
#include "trace/load.h"
#include "trace/set_backs.h"

namespace syncline {

// Filled by one thread each, without a common cache line.
struct alignas(64) KeptLocation {
  std::vector<uint64_t> times;  // as recorded
  std::vector<Otf2FlushEnd> flushes;
  std::vector<NumberedRecord> records;
  bool has_collectives = false;  // among the records
};

struct LoadedArchive : KeptInput {
  explicit LoadedArchive(Otf2Archive opened) : archive(std::move(opened)) {}

  Otf2Archive archive;
  std::vector<KeptLocation> locations;  // by the archive's own ProcessId
  // In the trace set: of the archive's processes, and the first of its groups.
  std::vector<ProcessId> processes;
  uint32_t first_group = 0;

  LocalTime TimeOf(ProcessId process, uint64_t index) const {
    return archive.clock_offsets(process).Corrected(locations[process.index()].times[index]);
  }
  // In the trace set. The event's time is the process's own.
  Event EventOf(ProcessId process, const NumberedRecord& record) const;
};

// Of a loaded archive.
inline const LoadedArchive& ArchiveOf(const LoadedInput& input) {
  return static_cast<const LoadedArchive&>(*input.kept);
}

struct ArchiveEvents {
  std::shared_ptr<const MpiPairing> pairing;
  // By the archive's own ProcessId.
  std::vector<ClockSpan> spans;
  std::vector<SeenSetBacks> set_backs;
  Diagnostics diagnostics;
};

// Reads all events of `loaded.archive` into `loaded.locations`.
Result<ArchiveEvents> KeepEvents(LoadedArchive& loaded);

}  // namespace syncline
