// What a reader of OTF2 archives makes of the times of one location, asked in program order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "write/otf2/clock_offset.h"

namespace syncline {

class ReaderClock {
 public:
  // Keeps the span, which must outlive this object. Fewer than two records change nothing.
  explicit ReaderClock(std::span<const ClockOffset> records) : records_(records) {}
  int64_t operator()(int64_t time) {
    if (records_.size() < 2) return time;
    while (segment_ + 2 < records_.size() && time > records_[segment_ + 1].time) ++segment_;
    return time + OffsetOnLine(records_[segment_], records_[segment_ + 1], time);
  }

 private:
  std::span<const ClockOffset> records_;
  size_t segment_ = 0;  // from records_[segment_] to the next
};

}  // namespace syncline
