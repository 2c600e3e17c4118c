// The processor's counter: reading it between fences, and choosing it where it can be trusted.
//
// Units: ticks. Requires: a kind that HasCounter() allows. Cost: some 10 ns for the processor's
// counter, 20 to 40 ns for the system's clock. Method: Tinetti and Romero, Sincronización de
// Relojes en Ambientes Distribuidos, 2.1; departure: fences around the reading, without which
// processors read the counter before earlier instructions are done, or after later ones began.
// Tested by: counter_test.cc.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include <sys/time.h>

#include "syncline/result.h"

namespace syncline {

enum class CounterKind : uint8_t {
  kRdtscp,        // x86: waits for earlier instructions by itself; a fence holds back later ones
  kRdtsc,         // x86 without RDTSCP: a fence on either side
  kVirtualCount,  // 64-bit ARM: CNTVCT_EL0
  kSystemClock,   // clock_gettime(CLOCK_MONOTONIC_RAW): nanoseconds
};

inline int64_t ReadSystemNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline int64_t GetTimeOfDayNs() {
  timeval now = {};
  gettimeofday(&now, nullptr);
  return (int64_t{now.tv_sec} * 1'000'000 + now.tv_usec) * 1000;
}
inline int64_t SteadyNs() { return ReadSystemNs(CLOCK_MONOTONIC); }

// The instant of the reading lies after all instructions before it and before all after it.
inline int64_t ReadCounter(CounterKind kind) {
#if defined(__x86_64__)
  uint64_t low = 0;
  uint64_t high = 0;
  if (kind == CounterKind::kRdtscp) {
    __asm__ __volatile__("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return static_cast<int64_t>(high << 32 | low);
  }
  if (kind == CounterKind::kRdtsc) {
    __asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return static_cast<int64_t>(high << 32 | low);
  }
#elif defined(__aarch64__)
  if (kind == CounterKind::kVirtualCount) {
    uint64_t count = 0;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count) : : "memory");
    return static_cast<int64_t>(count);
  }
#endif
  return ReadSystemNs(CLOCK_MONOTONIC_RAW);
}

// "RDTSCP" and the like.
const char* CounterName(CounterKind kind);

// What processor and kernel say about the counter.
struct CounterFacts {
  std::string processor;  // its model, as the kernel names it; may be empty
  std::string kernel;     // name and version
  bool is_virtual_machine = false;
  std::vector<CounterKind> counters;  // that can be read here; the system's clock comes last
  bool is_invariant = false;          // the processor promises a constant rate in all its states
  std::string clock_source;           // the kernel's own choice; empty: unknown
  // The kernel lists the counter among the sources that it would use: it has found it equal on all
  // cores. Unknown counts as true.
  bool is_trusted_by_kernel = true;
};
CounterFacts InspectCounter();

enum class CounterWish { kAuto, kProcessor, kSystem };
struct CounterChoice {
  CounterKind kind = CounterKind::kSystemClock;
  std::string reason;
};
// Errors: kUnsupported, where the processor's counter is asked for but absent or not steady.
Result<CounterChoice> ChooseCounter(const CounterFacts& facts, CounterWish wish);

}  // namespace syncline
