// What is kept of a loaded log: how it is read, and the times of every host's events.
//
// An event of a record that may have sent something before it was stamped has another one directly
// before it: the earliest moment it can have been sent. Memory: that of base/block_store.h, and 8
// bytes for each such moment.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/log_source.h"
#include "read/logs/log_reader.h"
#include "trace/load.h"

namespace syncline {

struct KeptLogHost {
  TimeStore times;                      // in the order of the file
  std::vector<uint64_t> earliest = {};  // numbers of events that are earliest moments, ascending
};

struct KeptLog : KeptInput {
  std::shared_ptr<const std::vector<LogSource>> sources;
  LogReaderOptions reading;
  std::vector<LogPrecision> precisions;  // by source
  std::vector<KeptLogHost> hosts;        // as the input's processes
};

inline const KeptLog& LogOf(const LoadedInput& input) {
  return static_cast<const KeptLog&>(*input.kept);
}

// Goes through a host's events along with the moments of its records.
class LogEventNumbers {
 public:
  explicit LogEventNumbers(const KeptLogHost& host) : earliest_(host.earliest) {}

  // Whether the event before the one that the next moment has is its earliest one.
  bool HasEarliest() const { return !earliest_.empty() && earliest_.front() == next_; }
  // The number of an earliest moment, then, or of the next moment itself.
  uint64_t Take() {
    if (HasEarliest()) earliest_ = earliest_.subspan(1);
    return next_++;
  }

 private:
  std::span<const uint64_t> earliest_;
  uint64_t next_ = 0;
};

}  // namespace syncline
