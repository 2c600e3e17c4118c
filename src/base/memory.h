// How much memory pieces of work take, as the system counts resident pages, and what they leave.
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

// Returns to the system what was freed and malloc() keeps: between two pieces of work that take
// much memory each, since what the first one leaves is seldom what the second asks for. Cost: a
// walk over what is free.
void GiveBackFreedMemory();

// The process's peak, since it began or since the last meter did.
std::optional<uint64_t> PeakResidentBytes();

// The same as the system counted it for the process as a whole; it never decreases.
uint64_t PeakMemoryBytes();

}  // namespace syncline
