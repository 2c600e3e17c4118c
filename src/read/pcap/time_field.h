// The 64 bits of a timestamp field, as ticks.
//
// Units: ticks of the field's resolution since the start of its count.
// Tested by: capture_walker_test.cc, capture_rewriter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "read/pcap/byte_order.h"

namespace syncline {

// How a field lays out its 64 bits.
enum class TimeLayout : uint8_t {
  kSecondsAndFraction,  // classic: seconds, then ticks within the second
  kHighAndLow,          // pcapng: upper, then lower half of the count
};

struct TimeField {
  ByteOrder order = ByteOrder::kNative;
  TimeLayout layout = TimeLayout::kSecondsAndFraction;
  uint64_t ticks_per_second = 1'000'000;  // of seconds and fraction

  uint64_t Read(const std::byte* at) const {
    const uint64_t first = Load<uint32_t>(at, order);
    const uint64_t second = Load<uint32_t>(at + 4, order);
    if (layout == TimeLayout::kHighAndLow) return first << 32 | second;
    return first * ticks_per_second + second;
  }
  bool CanHold(uint64_t ticks) const {
    return layout == TimeLayout::kHighAndLow ||
           ticks / ticks_per_second <= std::numeric_limits<uint32_t>::max();
  }
  // Requires CanHold(ticks).
  void Write(std::byte* at, uint64_t ticks) const {
    const bool halves = layout == TimeLayout::kHighAndLow;
    Store(at, order, static_cast<uint32_t>(halves ? ticks >> 32 : ticks / ticks_per_second));
    Store(at + 4, order, static_cast<uint32_t>(halves ? ticks : ticks % ticks_per_second));
  }
};

}  // namespace syncline
