// An OTF2 archive in memory: all recorded times, and the MPI events that have partners. Where other
// processes of an MPI run hold some locations (archive_team.h), those are fetched when needed.
//
// One pass over the event files, several locations at a time, yields both; matching, the logical
// clock and the writing of clock offsets need nothing else. What is made of it does not depend on
// the number of threads. Memory: 8 bytes per event and 32 per MPI event; where events are not kept,
// 40 per begin and end of a collective; 8 more of each of these; and until messages are matched
// those of match/channel_ends.h: some 5 per send and receive where channels have many. Errors:
// those of the reader; of several locations with errors the first one counts. Tested by:
// otf2_command_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/result.h"

#include "match/mpi_matcher.h"
#include "read/otf2/archive.h"
#include "trace/archive_team.h"
#include "trace/load.h"

namespace syncline {

struct LoadedArchive : KeptInput {
  LoadedArchive(Otf2Archive opened, bool with_events)
      : archive(std::move(opened)), keeps_events(with_events) {}

  Otf2Archive archive;
  bool keeps_events;  // else what is matched only, and they cannot be opened
  std::vector<KeptLocation>
      locations;  // by the archive's own ProcessId; empty where held elsewhere
  std::unique_ptr<DealtArchive> dealt;  // none: all are here
  // In the trace set: of the archive's processes, and the first of its groups.
  std::vector<ProcessId> processes;
  uint32_t first_group = 0;

  bool IsElsewhere(ProcessId process) const { return dealt && dealt->Holds(process); }
  // What is kept of a location; what had to be fetched lives as long as the result.
  std::shared_ptr<const KeptLocation> Location(ProcessId process) const;
  LocalTime TimeOf(ProcessId process, uint64_t recorded) const {
    return archive.clock_offsets(process).Corrected(recorded);
  }
  // Of a record of a location that is here.
  LocalTime TimeOfRecord(ProcessId process, size_t record) const {
    const KeptLocation& kept = locations[process.index()];
    return TimeOf(process, kept.times[keeps_events ? kept.records[record].index() : record]);
  }
  // Once messages are matched.
  void ForgetEnds() {
    for (KeptLocation& location : locations) location.ends = {};
  }
  // Some collectives of such a location, from number `next` of them on, which moves on; empty at
  // the end.
  std::vector<CollectiveRecord> CollectivesFrom(ProcessId process, size_t& next) const;
  // In the trace set.
  Event EventOf(ProcessId process, const NumberedRecord& record, LocalTime time) const;
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

// Reads all events of `loaded.archive` into `loaded.locations`, but for what is held elsewhere.
Result<ArchiveEvents> KeepEvents(LoadedArchive& loaded);

// The parts of KeepEvents(), for those who hold some locations only: their readings, and then the
// records of their MPI events by the pairing of all.
std::vector<LocationReading> ReadLocations(LoadedArchive& loaded,
                                           std::span<const ProcessId> processes, MpiSurvey& survey);
void KeepRecords(LoadedArchive& loaded, std::span<const ProcessId> processes, MpiSurvey& survey,
                 const MpiPairing& pairing);

}  // namespace syncline
