// Reads texts, in their order, and matches messages by their names; several may share processes.
//
// Tested by: text_stream_test.cc, event_cursor_test.cc, the tests of the commands.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

Result<void> LoadTexts(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// One cursor. It reads the file again.
Result<EventCursors> OpenTextEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                    EventDetail detail);

}  // namespace syncline
