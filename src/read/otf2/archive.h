// Opens an OTF2 archive: its clocks, processes and communicators, and its locations' events one
// location at a time.
//
// A process is a location, named by its OTF2 number and labelled by its group's or both; a group is
// a communicator. Times are ticks of the archive's timer; Clock::NominalNs counts them from 1970
// where the archive tells when it began, else from the timer's own zero. Which time: recorded times
// are what stands in the event files; archive times are what every OTF2 reader shows, with the
// archive's own ClockOffset records applied. They differ only where a location has at least two
// such records. Requires: a serial build of the archive in files (POSIX substrate). Errors: what
// libotf2 cannot read, with its own words; an archive without clock or location; a location whose
// local definitions or events are broken (from OpenLocation and the cursor). Counted in
// diagnostics(): definitions that are repeated or contradict each other, missing local definitions,
// unusable communicators and clock offsets; see docs/formats/otf2.md. Ownership: cursors outlive
// the archive; each has its own reader of the library, so that they may run in different threads.
// Cost: opening reads all definitions, global and of every location. Memory: the definitions.
// Tested by: archive_test.cc, bad_input_test.cc, halo_test.cc, fuzz/otf2_fuzz.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "read/otf2/cursor.h"
#include "read/otf2/layout.h"

namespace syncline {

struct Otf2Options {
  ClockPer clock_per = ClockPer::kProcess;
  Otf2Times times = Otf2Times::kRecorded;
};

class Otf2Archive {
 public:
  // `path` is the .otf2 file, or a folder that holds exactly one.
  static Result<Otf2Archive> Open(const std::string& path, Otf2Options options = {});

  const TraceSet& traces() const { return layout_->traces; }
  // What Event::name is an index of; 0 is the empty name. Fixed for the archive.
  const std::vector<std::string>& names() const { return layout_->names; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // Reads one location from its first event on.
  Result<Otf2Cursor> OpenLocation(ProcessId process) const;

  // OTF2's numbers of the locations, by ProcessId.
  const std::vector<OTF2_LocationRef>& locations() const { return layout_->locations; }
  // Whether a location has local definitions besides ClockOffset records.
  bool has_other_definitions(ProcessId process) const {
    return layout_->has_other_definitions[process.index()] != 0;
  }
  // How many events a location is defined to have; some recorders write wrong numbers.
  uint64_t claimed_events(ProcessId process) const {
    return layout_->claimed_events[process.index()];
  }
  // The archive's own ClockOffset records of a location.
  const Otf2ClockOffsets& clock_offsets(ProcessId process) const {
    return layout_->offsets[process.index()];
  }

  const std::string& anchor() const { return layout_->anchor; }
  std::string events_file(ProcessId process) const;  // of a location

 private:
  Otf2Archive() = default;
  Result<void> ReadOffsets(Otf2Layout& layout);

  std::shared_ptr<const Otf2Layout> layout_;
  Diagnostics diagnostics_;
  Otf2Options options_;
};

}  // namespace syncline
