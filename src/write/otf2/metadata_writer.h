// Corrects an OTF2 archive by its definitions alone: ClockOffset records that make every reader see
// the corrected times. Event files stay as they are.
//
// Written: every event file as a hard link (a copy where links are impossible), so the new archive
// shares them with the old one; local definitions with the new ClockOffset records in place of old
// ones and everything else kept; the global definitions, to the byte where their ClockProperties
// still enclose all times, else with new ones; every other file as a copy.
// Exactness: what readers of OTF2 compute is the corrected time of every event, to the tick.
// Requires: no other use of libotf2 meanwhile. Errors: those of ArchiveSource and ArchiveOutput;
// kUnsupported for a time that OTF2 cannot hold. Where counts.inexpressible is not 0 nothing was
// written: rewrite the events (events_writer.h).
// Memory: 16 bytes per ClockOffset record, one chunk of the archive, 2 MiB per thread.
// Tested by: metadata_writer_test.cc.
#pragma once

#include "syncline/result.h"

#include "write/otf2/retime.h"

namespace syncline {

// Does not read the events; locations are fitted in several threads. Where counts.inexpressible is
// not 0, there is nothing to commit.
Result<Otf2Pending> PrepareOtf2Metadata(const Otf2WriteRequest& request, Otf2TimeSource& times);

}  // namespace syncline
