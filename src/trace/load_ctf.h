// Reads CTF traces: clocks of hosts, streams as processes, and the messages that rules or kernel
// network events make of their events.
//
// Every trace is decoded once, stream by stream; the times of all events are kept
// (trace/kept_ctf.h), in little memory, and serve all later passes but the writing of events.
// Without libbabeltrace2 LoadCtf fails with kUnsupported. Errors: those of the reader;
// kNoCorrection where no event of any trace can be part of a message. Tested by:
// ctf_command_test.cc.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

Result<void> LoadCtf(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// One cursor for each stream. Names are read again, in a process of its own: their cursors must be
// read in their order, each to its end.
Result<EventCursors> OpenCtfEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                   EventDetail detail);

}  // namespace syncline
