// A pass over all messages between different clocks, for methods that need more than hulls.
#pragma once

#include <cstdint>
#include <functional>

#include "syncline/id.h"
#include "syncline/result.h"

namespace syncline {

// Times are nominal nanoseconds of the two clocks.
using MessageVisitor =
    std::function<void(ClockId from, int64_t send_ns, ClockId to, int64_t receive_ns)>;
// Visits every message once, in any order; may be called again. Errors: those of the storage.
using MessagePass = std::function<Result<void>(const MessageVisitor&)>;

}  // namespace syncline
