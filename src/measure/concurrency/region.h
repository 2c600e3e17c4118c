// Regions: the stretches of a process between its message events, and what they are worth.
//
// Units: nanoseconds, multiplied by the process's relative speed. Values are those at a region's
// right border and count from the beginning of the computation.
#pragma once

#include <cstdint>
#include <optional>

#include "syncline/id.h"

namespace syncline {

struct RegionValues {
  int64_t computed_ns = 0;  // W[i] of process i
  int64_t delayed_ns = 0;   // U[i]
  int64_t height_ns = 0;    // HT
  int64_t weight_ns = 0;    // Σ W[k]
  int64_t volume_ns = 0;    // Σ (W[k] + U[k])
  // The same with one unit per message event: events in the causal past, this one included; the
  // longest causal path; Σ of the heights of the processes' last events in that past.
  int64_t events = 0;
  int64_t event_height = 0;
  int64_t event_volume = 0;
  friend bool operator==(const RegionValues&, const RegionValues&) = default;
};

enum class RegionEnd : uint8_t {
  kSend,
  kDelivery,
  kCollectiveBegin,  // a send to the other members
  kCollectiveEnd,    // the delivery of what the other members sent
  kTermination,
};

struct Region {
  ProcessId process;
  uint64_t number = 0;  // within its process, from 0
  RegionEnd end = RegionEnd::kTermination;
  uint64_t event = 0;  // the number of the event that ends it, within its process
  int64_t end_ns = 0;  // when it ends, on the process's own clock
  // Of this region alone.
  int64_t own_computed_ns = 0;
  int64_t own_delayed_ns = 0;
  std::optional<ProcessId> sender;  // of the message that ends it
  RegionValues values;
  friend bool operator==(const Region&, const Region&) = default;
};

}  // namespace syncline
