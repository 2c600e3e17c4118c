// Copies the events of one OTF2 location with other times.
//
// Units: ticks. Errors: those of ReadEvents and of the times; kUnsupported for an event of a kind
// that this libotf2 does not know. Tested by: events_writer_test.cc.
#pragma once

#include <cstdint>
#include <functional>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "write/otf2/archive_source.h"

namespace syncline::otf2_write {

// The new time of an event, at least that of the event before.
using NewTime = std::function<Result<uint64_t>(uint64_t index, uint64_t recorded)>;

// Returns the number of events.
Result<uint64_t> CopyEvents(ArchiveSource& source, Otf2Errors& errors, uint64_t location,
                            OTF2_EvtWriter* writer, const NewTime& new_time);

}  // namespace syncline::otf2_write
