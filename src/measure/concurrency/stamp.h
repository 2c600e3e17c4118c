// What a message carries through a trace: W, U and HT of its sender, and the same in events.
#pragma once

#include <algorithm>
#include <cstdint>

#include "syncline/id.h"

#include "measure/concurrency/past_vector.h"

namespace syncline {

// A message event by its number within its process, from 1.
struct EventOrigin {
  ProcessId process;
  int64_t number = 0;
  friend bool operator==(const EventOrigin&, const EventOrigin&) = default;
};

struct PastStamp {
  PastVector past;
  int64_t height_ns = 0;
  int64_t event_height = 0;

  void Merge(const PastStamp& other) {
    past.Merge(other.past);
    height_ns = std::max(height_ns, other.height_ns);
    event_height = std::max(event_height, other.event_height);
  }
};

}  // namespace syncline
