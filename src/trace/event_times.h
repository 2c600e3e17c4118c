// The local times of all events of an input again, after loading.
//
// Requires: the input has not changed since it was loaded, and is no pipe. Errors: those of its
// reader. Cost: one pass over the input; the times of archives and CTF traces
// were kept.
// Tested by: compare_command_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "syncline/result.h"
#include "syncline/time.h"

#include "trace/load.h"

namespace syncline {

// The process's number within the input, the event's within the process there, and its time.
using VisitEventTime = std::function<void(size_t number, uint64_t index, LocalTime time)>;

// Each process's events in program order.
Result<void> ForEachEventTime(const LoadedInput& input, const VisitEventTime& visit);

}  // namespace syncline
