// A clock: the source of timestamps of one or more processes, and how its ticks count time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syncline/export.h"
#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

struct SYNCLINE_EXPORT Clock {
  std::string name;
  int64_t ticks_per_second = 1'000'000'000;  // > 0
  // Ticks to add to a reading so that it counts from the epoch.
  int64_t offset_ticks = 0;
  // How far behind the true instant a reading may be: the length of a tick (or of the file's
  // resolution) where that is more than a nanosecond, else 0. Bounds allow for it.
  int64_t reading_ns = 0;

  // The nanoseconds since the epoch that the clock itself claims: (ticks + offset) / rate, rounded
  // to nearest, saturating at the ends of int64. Exact for whole-nanosecond ticks. This is the
  // abscissa of all estimation, and the global time of the reference clock.
  int64_t NominalNs(LocalTime t) const {
    int64_t ns = 0;
    if (CountsNanoseconds() && !__builtin_add_overflow(t.ticks, offset_ticks, &ns)) return ns;
    return ScaledNs(t);
  }
  // The reading whose nominal time is nearest to `ns`, saturating.
  LocalTime FromNominalNs(int64_t ns) const {
    int64_t ticks = 0;
    if (CountsNanoseconds() && !__builtin_sub_overflow(ns, offset_ticks, &ticks)) return {ticks};
    return ScaledTicks(ns);
  }
  // The value of reading_ns for readings that count whole ticks.
  static int64_t ReadingNs(int64_t ticks_per_second) {
    return ticks_per_second >= 1'000'000'000
               ? 0
               : (1'000'000'000 + ticks_per_second - 1) / ticks_per_second;
  }
  // True when one tick is one nanosecond and the origin is the epoch: NominalNs is the identity.
  bool IsNanoseconds() const { return CountsNanoseconds() && offset_ticks == 0; }
  bool CountsNanoseconds() const { return ticks_per_second == 1'000'000'000; }
  friend bool operator==(const Clock&, const Clock&) = default;

 private:
  int64_t ScaledNs(LocalTime t) const;
  LocalTime ScaledTicks(int64_t ns) const;
};

// A sequence of events in program order, stamped by one clock.
struct Process {
  std::string name;   // as in the input: an id, a rank, a capture's name
  std::string label;  // free text for people; may be empty
  ClockId clock;
};

// Processes that take part in collectives together: a communicator.
struct Group {
  std::string name;
  std::vector<ProcessId> members;  // in rank order
};

// The clocks, processes and groups that a set of inputs defines. Index them by ClockId, ProcessId
// and number.
struct TraceSet {
  std::vector<Clock> clocks;
  std::vector<Process> processes;
  std::vector<Group> groups;
};

}  // namespace syncline
