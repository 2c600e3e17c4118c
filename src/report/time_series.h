// What happened in successive equal parts of time, as plain values for the page of a report.
//
// Units: nanoseconds; instants are since the epoch, or since the first event of a process where it
// says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/summary_parts.h"

namespace syncline {

template <typename Part>
struct TimeSeries {
  int64_t start_ns = 0;  // of the first part
  double width_ns = 1;   // of each
  std::vector<Part> parts;
};

// What a logical clock did, by the time before it.
struct LogicalTimeline {
  struct Gamma {
    std::array<uint64_t, 4> events = {};  // at which A, B, C, D determined γ
    double smallest = 1;                  // 1 also where there is no event
  };
  struct Changes {
    uint64_t intervals = 0;  // between successive events of a process
    uint64_t changed = 0;
    int64_t largest_advance_ns = 0;
    double largest_change = 0;  // relative
    std::optional<SummaryIntervals::Largest> where;
  };
  int64_t first_ns = 0, last_ns = 0;  // of all events
  TimeSeries<Gamma> gamma;            // empty for the simple clock
  TimeSeries<Changes> changes;
};

// The regions of all processes, each in the part in which it ends, by the time since the first
// event of its clock.
struct RegionTimeline {
  struct Part {
    uint64_t regions = 0;
    int64_t computed_ns = 0, delayed_ns = 0;
    std::optional<double> mean_alpha, least_alpha;
    std::string process;  // of the least
    uint64_t region = 0;
  };
  TimeSeries<Part> regions;
};

}  // namespace syncline
