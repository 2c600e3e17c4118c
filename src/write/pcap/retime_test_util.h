// What tests do to the times of captures.
#pragma once

#include "write/pcap/capture_rewriter.h"

namespace syncline {

inline GlobalTime Unchanged(uint64_t, LocalTime time) { return GlobalTime{time.ticks}; }

inline Retime Shift(int64_t ns) {
  return [ns](uint64_t, LocalTime time) { return GlobalTime{time.ticks + ns}; };
}

}  // namespace syncline
