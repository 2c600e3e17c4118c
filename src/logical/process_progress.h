// How far the processes have come: what decides for how long the other end of a message is waited
// for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "syncline/clock.h"
#include "syncline/time.h"

namespace syncline {

struct ProcessProgress {
  ClockId clock;
  bool is_done = false;       // all its events are computed, no more will come
  int64_t reach = INT64_MIN;  // the largest C of its computed events
  // Something waits for it to have a larger reach than this, at the earliest.
  int64_t alarm = INT64_MIN;
  void SetAlarm(int64_t deadline) { alarm = std::min(alarm, deadline); }
};

// The reach of a process at which what waits for it since `due` (a time of this process's partner,
// by its own clock) is given up. A negative horizon means never.
inline int64_t Deadline(const ProcessProgress& progress, int64_t due, int64_t horizon_ns) {
  if (horizon_ns < 0) return INT64_MAX;
  return SaturatedSum(std::max(progress.reach, due), horizon_ns);
}

}  // namespace syncline
