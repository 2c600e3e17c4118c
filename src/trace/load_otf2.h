// Reads OTF2 archives: their messages and collectives, for estimation, checks and later passes.
//
// The events of an archive are read once and kept (trace/kept_archive.h); only names are read
// again. Without libotf2 every function fails with kUnsupported.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

Result<void> LoadArchives(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// One cursor for each location. What matching made of events: messages and instances that have all
// their ends are numbered, others are marks.
Result<EventCursors> OpenArchiveEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                       EventDetail detail);

}  // namespace syncline
