// A thread's place in a recording: its buffer, and what a stamp needs beside it.
//
// Ownership: logs belong to the program and live as long as it does, because a stamp may be under
// way in any thread while its recording ends. A log is used again by the thread that had it, or
// once that thread has ended; so no two threads ever add to one log. Cost: AddStamp() takes some
// nanoseconds more than reading the counter. Errors: as stamp.h says. Tested by: recorder_test.cc,
// stamp_use_test.c.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/counter/counter.h"
#include "record/counter/time_sources.h"
#include "record/stamp/event_buffer.h"

namespace syncline {

class Recorder;

// How many handles a recording has given out.
struct HandleCounts {
  std::atomic<int32_t> names = 0;
  std::atomic<int32_t> peers = 0;
};

struct ThreadLog {
  explicit ThreadLog(size_t capacity) : events(capacity) {}

  int64_t ReadTicks() const {
    return simulated == nullptr ? ReadCounter(counter) : simulated->Counter();
  }

  std::atomic<bool> is_open = false;
  CounterKind counter = CounterKind::kSystemClock;
  TimeSources* simulated = nullptr;                 // in tests, instead of the counter
  std::atomic<const Recorder*> recorder = nullptr;  // whose part it is
  HandleCounts* handles = nullptr;
  std::atomic<uint64_t> bad_handles = 0;
  std::atomic<bool> has_thread = false;
  EventBuffer events;
};

// Gives the calling thread a log, in place of the one it had. May throw std::bad_alloc.
ThreadLog& LeaseThreadLog(size_t capacity);
// The calling thread's log, or nullptr.
ThreadLog* OwnThreadLog();

// A status of stamp.h.
int AddStamp(StampKind kind, int32_t subject, uint64_t message = 0, uint64_t bytes = 0);
// With a reading of the counter that was taken before.
int AddStampAt(int64_t ticks, StampKind kind, int32_t subject, uint64_t message, uint64_t bytes);

}  // namespace syncline
