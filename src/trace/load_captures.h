// Reads captures, several at a time, and matches their packets.
//
// Every capture is read twice: surveyed, then matched. Packets reach the matcher in an order that
// does not depend on the threads' timing, so results are the same to the last digit. Memory: the
// matcher's, and a few batches of packets per capture being read.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

// A process for each capture and, by the input's name, a clock.
Result<void> LoadCaptures(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// One cursor, in the order of the file. It reads the file again.
Result<EventCursors> OpenCaptureEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                       EventDetail detail);

}  // namespace syncline
