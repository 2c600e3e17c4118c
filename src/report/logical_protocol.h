// What the logical clock found and did, as plain values for text and JSON.
//
// Units and signs are in the names and in docs/summary.md; an absent optional becomes null.
// Method: what the implementation of Rabenseifner 2000 prints (6.3.1), by the same names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/summary_parts.h"

namespace syncline {

struct LogicalProtocol {
  struct Place {
    std::string process;
    uint64_t event = 0;  // number within the process, from 0
  };
  struct Process {
    std::string name;
    uint64_t events = 0, moved = 0;
    int64_t last_advance_ns = 0;     // corrected − original at its last event
    int64_t largest_advance_ns = 0;  // over all events
    std::optional<int64_t> least_interval_ns;
    std::string label;  // for people; may be empty
  };
  struct Direction {
    std::string from, to;  // clocks
    uint64_t messages = 0;
    DelayFigures before, after;
  };
  struct HalfRoundTrips {  // ½ (least delay there + least delay back) of pairs with both
    uint64_t pairs = 0;
    int64_t min_ns = 0, mean_ns = 0, max_ns = 0;
  };
  struct Collectives {  // ends that wait for somebody
    uint64_t ends = 0, violated_before = 0, violated_after = 0;
  };
  struct Online {  // from arrival to delivery
    int64_t median_at_most_ns = 0, max_ns = 0;
  };

  std::string clock;       // "controlled", "simple"
  std::string controller;  // "revised", "original"; empty for the simple clock
  uint64_t events = 0, events_moved = 0;
  std::vector<Process> processes;
  std::vector<Direction> directions;
  std::optional<HalfRoundTrips> half_round_trips;
  std::optional<int64_t> advised_min_delay_ns;     // 0.8 of the least half round trip
  int64_t largest_difference_ns = 0;               // of clocks: the largest jump
  int64_t start_difference_ns = 0;                 // what amortization started from
  std::optional<Place> exceeded_at;                // the first event with a larger jump
  std::optional<int64_t> advised_difference_ns;    // where it was exceeded
  std::array<uint64_t, 4> controller_events = {};  // at which A, B, C, D set γ
  std::optional<double> smallest_gamma;            // none for the simple clock
  std::optional<Place> smallest_gamma_at;
  uint64_t jumps = 0, jumps_amortized = 0;
  double largest_slope = 0;  // relative; 0.005 is 0.5 %
  std::optional<Place> largest_slope_at;
  Collectives collectives;
  uint64_t given_up = 0, late_partners = 0, broken = 0;
  uint64_t peak_buffered_events = 0;
  std::optional<Online> online;
};

// What `syncline filter` reports.
struct FilterSummary {
  std::string version;
  std::string command;  // as typed
  SummaryMessages messages;
  SummaryIntervals intervals;
  LogicalProtocol logical;
  Diagnostics diagnostics;
  SummaryTiming timing;
};

}  // namespace syncline
