// Reads Chrome JSON files, several at a time: their clocks, tracks, messages and collectives.
//
// A clock for each file, called as that, or with clock_per = "process" for each pid in it, called
// FILE/PID. A process for each thread that has events. Times are kept (trace/kept_chrome.h); only
// names are read again.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

// By the first bytes of a file.
bool LooksLikeChrome(std::span<const std::byte> head);

Result<void> LoadChrome(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// One cursor for each track; of names, one for all.
Result<EventCursors> OpenChromeEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                      EventDetail detail);

}  // namespace syncline
