// What a message carries of its sender's region clock, and the bytes to attach it by.
//
// Units: nanoseconds of each process's own clock. Requires of stamps that are encoded: entries in
// ascending order of their processes, numbers not negative, as RegionClock makes them; bytes of
// others are refused by DecodeStamp. Errors: DecodeStamp, for any bytes that EncodeStamp does not
// make for so many processes (kMalformed, with the byte's offset), or of a later version
// (kUnsupported); nothing is allocated beyond what the bytes can hold. Cost: O(entries), 3 to 30
// bytes each, for times of a few seconds about 12. Format: docs/methods/concurrency.md. Tested by:
// region_stamp_test.cc, region_stamp_fuzz.cc, live_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/result.h"

namespace syncline {

// W(m), U(m), HT(m). Processes that are not listed have nothing new.
struct RegionStamp {
  struct Entry {
    uint32_t process = 0;
    int64_t computed_ns = 0;  // W[process]
    int64_t delayed_ns = 0;   // U[process]
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  int64_t height_ns = 0;
  std::vector<Entry> entries;
  friend bool operator==(const RegionStamp&, const RegionStamp&) = default;
};

inline constexpr uint8_t kRegionStampVersion = 1;

// Dense stamps and changes alike.
std::vector<std::byte> EncodeStamp(const RegionStamp& stamp);
// All bytes are the stamp's; `processes` of the computation, which are numbered from 0.
Result<RegionStamp> DecodeStamp(std::span<const std::byte> bytes, size_t processes);

}  // namespace syncline
