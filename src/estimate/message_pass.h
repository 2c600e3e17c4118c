// A pass over all messages between different clocks, for methods that need more than hulls.
#pragma once

#include <cstdint>
#include <functional>

#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

namespace syncline {

struct RecordedMessage {
  ClockId from;
  ClockId to;
  LocalTime sent;      // of `from`
  LocalTime received;  // of `to`
  // The same in nominal nanoseconds (Clock::NominalNs).
  int64_t send_ns = 0;
  int64_t receive_ns = 0;
  uint64_t id = 0;  // the same in every pass
  // Of the readings, where a clock was set back (model/epochs.h).
  uint32_t from_epoch = 0;
  uint32_t to_epoch = 0;
};

using MessageVisitor = std::function<void(const RecordedMessage&)>;
// Visits every message once, in any order; may be called again. Errors: those of the storage.
using MessagePass = std::function<Result<void>(const MessageVisitor&)>;

}  // namespace syncline
