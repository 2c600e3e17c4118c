// Merges the final events of all processes into one order: by time, and by process number where
// times are equal.
//
// Units: nanoseconds. Requires: the times of a process do not decrease.
// Errors: none. An event that comes earlier than one that was already given out (a lower bound had
// been given for a process that was not waited for) goes out at once and is counted in late().
// Cost: Push and SetLowerBound O(1) amortized, Pop O(log n) for n processes; memory 16 bytes per
// buffered event, at most twice that, and 90 per process.
// Method: a tournament tree over each process's first event or lower bound. These only grow, so one
// is brought up to date only when it wins.
// Tested by: src/logical/ordered_output_test.cc, against sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/id.h"

#include "logical/process_order.h"
#include "logical/ring.h"

namespace syncline {

class OrderedOutput {
 public:
  struct Event {
    ProcessId process;
    int64_t after_ns = 0;
    uint64_t tag = 0;  // the caller's own
    friend bool operator==(const Event&, const Event&) = default;
  };

  // Processes are numbered in the order they are added. One that is added later delivers nothing
  // earlier than what was already given out.
  ProcessId AddProcess();
  void Push(ProcessId process, int64_t after_ns, uint64_t tag);
  // No later Push() of the process gives less. Bounds below an earlier one have no effect.
  void SetLowerBound(ProcessId process, int64_t bound_ns);
  // Nothing more comes from the process.
  void End(ProcessId process) { sources_[process.index()].ended = true; }

  // The next event, once no process can deliver an earlier one.
  std::optional<Event> Pop();
  // After Pop() gave nothing: the process that has to go on first; none when all is given out.
  std::optional<ProcessId> WaitingFor() const;

  size_t buffered() const { return buffered_; }
  uint64_t late() const { return late_; }

 private:
  struct Item {
    int64_t after_ns = 0;
    uint64_t tag = 0;
  };
  struct Source {
    Ring<Item> waiting;
    int64_t bound_ns = INT64_MIN;
    // The time of its first event or its bound, or less: brought up to date when it comes first.
    int64_t key_ns = INT64_MIN;
    bool has_key = false;
    bool ended = false;
  };
  void SetKey(uint32_t process, int64_t key_ns);

  std::vector<Source> sources_;
  ProcessOrder order_;  // by the keys
  size_t buffered_ = 0;
  int64_t latest_ns_ = INT64_MIN;  // given out
  uint64_t late_ = 0;
};

}  // namespace syncline
