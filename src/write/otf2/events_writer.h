// Copies an OTF2 archive with corrected times in its events.
//
// Events and local definitions as event_files.h says; every other definition stays: the times are
// final. ClockProperties as metadata_writer.h. Anchor, markers, snapshots and thumbnails are
// copied; the times in markers and snapshots are counted as not corrected. Requires and costs what
// event_files.h does; the first events of all locations are asked for before any other, so that a
// shift is known. Errors: those of ArchiveSource, ArchiveOutput and event_files.h. Tested by:
// events_writer_test.cc.
#pragma once

#include <functional>
#include <optional>

#include "syncline/result.h"

#include "write/otf2/event_files.h"
#include "write/otf2/retime.h"

namespace syncline {

// The same, for those who write more than an archive.
Result<Otf2Pending> PrepareOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime);
// The same where `write` has others write event files and local definitions; it may use libotf2.
// None where it gives none.
using WriteEventFiles = std::function<Result<std::optional<otf2_write::WrittenEvents>>(
    const otf2_write::EventFilesPlace&)>;
Result<std::optional<Otf2Pending>> PrepareOtf2EventsOfOthers(const Otf2WriteRequest& request,
                                                             const WriteEventFiles& write);

}  // namespace syncline
