// The event files and local definitions of some locations of an OTF2 archive, copied with corrected
// times: of all, or of those whose files one of several processes writes.
//
// Every event keeps its kind, fields and attributes. The end of a BufferFlush keeps its distance
// from the beginning. Local definitions stay, except ClockOffset records. Files are the same to the
// byte whoever writes them.
// Requires: no other use of libotf2 meanwhile; corrected times that never step back within a
// location. Units: ticks. Errors: those of the source; kUnsupported for a time that steps back or
// that OTF2 cannot hold, and for records of a kind that this libotf2 does not know; kUnreadable
// where a file cannot be placed. Cost: about 0.4 µs per event. Memory: a chunk of the archive, and
// the file of one location, up to 134 MB.
// Tested by: events_writer_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/result.h"

#include "write/otf2/archive_source.h"
#include "write/otf2/retime.h"
#include "write/otf2/time_span.h"

namespace syncline::otf2_write {

// Where files come to be, in folders that exist.
struct EventFilesPlace {
  std::string scratch;  // everyone makes a folder of its own there
  std::string folder;   // of the files, once they are complete
};

struct WrittenEvents {
  TimeSpan span;           // of the corrected times, before the shift
  int64_t shift = 0;       // the same for all locations of an archive
  uint64_t locations = 0;  // with events
  uint64_t events = 0;
  uint64_t changed = 0;  // whose time as recorded is another one than now

  void Add(const WrittenEvents& others);
};

class EventFilesWriter {
 public:
  // What is given by reference outlives this. `clock`: the archive's.
  EventFilesWriter(ArchiveSource& source, Otf2Errors& errors, std::vector<uint64_t> locations,
                   Otf2Retime retime, Clock clock)
      : source_(source),
        errors_(errors),
        locations_(std::move(locations)),
        retime_(std::move(retime)),
        clock_(std::move(clock)) {}

  // To be called first: of the first events, corrected. No event is earlier than all of these, so
  // those of all locations tell the shift.
  Result<TimeSpan> FirstTimes();
  // `number`: of this writer among all who share the place.
  Result<WrittenEvents> Write(const EventFilesPlace& place, size_t number, int64_t shift);

 private:
  Result<int64_t> Corrected(uint64_t location, uint64_t index, uint64_t recorded);
  Result<void> WriteAllEvents(OTF2_Archive* archive);
  Result<void> WriteEvents(OTF2_Archive* archive, uint64_t location);
  Result<void> WriteAllDefinitions(OTF2_Archive* archive);
  Result<void> WriteDefinitions(OTF2_Archive* archive, uint64_t location);
  Result<void> Place(const std::string& folder) const;
  Result<void> Check(OTF2_ErrorCode code);

  ArchiveSource& source_;
  Otf2Errors& errors_;
  std::vector<uint64_t> locations_;
  Otf2Retime retime_;
  Clock clock_;
  std::map<uint64_t, int64_t> first_;  // corrected time by location, not yet shifted
  std::string scratch_;
  WrittenEvents written_;
};

}  // namespace syncline::otf2_write
