// An OTF2 archive that is to be written again: what its global definitions say, and its records.
//
// Units: recorded times in ticks of the archive's timer, never corrected by the ClockOffset records
// that the archive already has. Requires: one thread; the library keeps global state.
// Errors: kUnreadable where the anchor, the global definitions, or the events of a location that
// has some are missing; kMalformed with what libotf2 says; kUnsupported for other substrates than
// POSIX files. Memory: one chunk of the archive (its own size, 1 to 16 MiB as a rule).
// Tested by: metadata_writer_test.cc, events_writer_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "read/otf2/library.h"
#include "write/otf2/otf2_errors.h"

namespace syncline::otf2_write {

struct ClockProperties {
  uint64_t resolution = 0;  // ticks per second
  uint64_t global_offset = 0;
  uint64_t length = 0;
  uint64_t realtime = 0;  // of global_offset, ns since 1970, or OTF2_UNDEFINED_TIMESTAMP
  friend bool operator==(const ClockProperties&, const ClockProperties&) = default;
};

struct ArchiveFacts {
  std::vector<uint64_t> locations;  // in order of definition
  // Of the events of each location, as defined: some recorders write wrong numbers.
  std::vector<uint64_t> event_counts;
  std::optional<ClockProperties> clock;
  uint64_t event_chunk = 0;
  uint64_t definition_chunk = 0;
  OTF2_Compression compression = OTF2_COMPRESSION_NONE;
};

class ArchiveSource {
 public:
  // Reads the anchor and the global definitions.
  static Result<ArchiveSource> Open(const std::string& anchor, Otf2Errors& errors);

  const ArchiveFacts& facts() const { return facts_; }
  const std::string& anchor() const { return anchor_; }
  std::string global_definitions_path() const;
  std::string folder() const;
  std::string events_path(uint64_t location) const;
  std::string definitions_path(uint64_t location) const;
  bool HasEvents(uint64_t location) const;
  OTF2_Reader* reader() const { return reader_.get(); }

  // Hands all global definitions to `callbacks`.
  Result<void> ReadGlobalDefinitions(const OTF2_GlobalDefReaderCallbacks* callbacks, void* user);
  // The same for those of one location; none where it has no file.
  Result<void> ReadLocalDefinitions(uint64_t location, const OTF2_DefReaderCallbacks* callbacks,
                                    void* user);
  // The same for the events of one location, as recorded. Returns their number. A callback that
  // interrupts ends the reading without an error.
  Result<uint64_t> ReadEvents(uint64_t location, const OTF2_EvtReaderCallbacks* callbacks,
                              void* user);

 private:
  ArchiveSource(std::string anchor, Otf2Errors& errors)
      : anchor_(std::move(anchor)), errors_(&errors) {}
  Result<void> ReadAnchor();
  Result<void> Survey();
  Result<void> CheckFiles() const;
  Result<void> SelectLocations();

  std::string anchor_;
  Otf2Errors* errors_;
  ReaderHandle reader_;
  ArchiveFacts facts_;
};

struct RecordedEvent {
  uint64_t index = 0;  // in the location, from 0
  uint64_t time = 0;
  uint64_t end = 0;  // the end of a BufferFlush, else `time`
};

// Calls `each` with every event of a location in program order; ends early with its error. Returns
// the number of events.
using EventTimeSink = std::function<Result<void>(const RecordedEvent&)>;
Result<uint64_t> ReadEventTimes(ArchiveSource& source, uint64_t location,
                                const EventTimeSink& each);

}  // namespace syncline::otf2_write
