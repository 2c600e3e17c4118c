// Copies an OTF2 archive with corrected times in its events.
//
// Every event keeps its kind, fields and attributes, and every definition stays, except ClockOffset
// records: the times are final. ClockProperties as metadata_writer.h. The end of a BufferFlush
// keeps its distance from the beginning. Anchor, markers, snapshots and thumbnails are copied; the
// times in markers and snapshots are counted as not corrected.
// The first events of all locations are asked for before any other, so that a shift is known.
// Requires: no other use of libotf2 meanwhile; corrected times that never step back within a
// location. Errors: those of ArchiveSource and ArchiveOutput; kUnsupported for a time that steps
// back or that OTF2 cannot hold, and for records of a kind that this libotf2 does not know.
// Cost: about 0.4 µs per event. Memory: two chunks of the archive.
// Tested by: events_writer_test.cc.
#pragma once

#include "syncline/result.h"

#include "write/otf2/retime.h"

namespace syncline {

// The same, for those who write more than an archive.
Result<Otf2Pending> PrepareOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime);

}  // namespace syncline
