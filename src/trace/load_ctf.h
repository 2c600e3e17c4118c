// Reads CTF traces: clocks of hosts, streams as processes, and the messages that rules or kernel
// network events make of their events.
//
// Every trace is decoded once, stream by stream; the times of all events are kept
// (trace/kept_ctf.h), in little memory, and serve all later passes but the writing of events.
// Without libbabeltrace2 LoadCtf fails with kUnsupported. Errors: those of the reader;
// kNoCorrection where no event of any trace can be part of a message. Tested by:
// ctf_command_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "match/rules/rule.h"
#include "trace/kept_ctf.h"
#include "trace/load.h"

namespace syncline {

// Defines clocks and processes and fills in what `loaded` holds of the inputs. Messages go to
// `sink`.
Result<void> LoadCtf(const std::vector<LoadedInput*>& inputs, std::span<const Rule> rules,
                     LoadedTraces& loaded, MessageSink& sink, Progress& progress);

// The times of all events of the input's process of this number, in program order.
const TimeStore& CtfTimes(const LoadedInput& input, size_t number);

// The sends and receives of that process whose size a rule told.
std::span<const CtfMessageSize> CtfMessageSizes(const LoadedInput& input, size_t number);

}  // namespace syncline
