// How much memory pieces of work take, as the system counts resident pages.
//
// Units: bytes. Errors: nothing where the system does not tell (it is asked through /proc).
// Tested by: src/base/memory_test.cc.
#pragma once

#include <cstdint>
#include <optional>

namespace syncline {

// From construction on: the most that was resident beyond what already was. Memory that was freed
// before is given back to the system first, so that its reuse counts.
// Only one meter at a time: each begins the system's count of the peak anew.
class MemoryMeter {
 public:
  MemoryMeter();
  std::optional<uint64_t> PeakBytes() const;

 private:
  std::optional<uint64_t> before_;
};

// The process's peak, since it began or since the last meter did.
std::optional<uint64_t> PeakResidentBytes();

// The same as the system counted it for the process as a whole; it never decreases.
uint64_t PeakMemoryBytes();

}  // namespace syncline
