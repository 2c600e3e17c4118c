// Values that the summaries of several commands have in common.
//
// Units and signs are in the names and in docs/summary.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "syncline/diagnostics.h"
#include "syncline/time.h"

namespace syncline {

// How much of what is known a text tells: what most people need, or all.
enum class TextDetail { kUsual, kAll };

struct TextStyle {
  TextDetail detail = TextDetail::kUsual;
  size_t columns = SIZE_MAX;  // of what it is shown on; wider tables are folded
};

struct DelayFigures {
  uint64_t inverted = 0;
  uint64_t too_fast = 0;
  std::optional<int64_t> smallest_ns;
  std::optional<int64_t> median_ns;  // within 1.6 %
  double deviation_ns = 0;           // standard deviation
};

// Messages that collectives stand for.
struct CollectiveOrder {
  uint64_t total = 0, inverted_before = 0, inverted_after = 0;
};

struct SummaryMessages {
  uint64_t total = 0, unmatched_sends = 0, unmatched_receives = 0;
  uint64_t inverted_before = 0, inverted_after = 0;
  uint64_t too_fast_before = 0, too_fast_after = 0;
  uint64_t moved_for_rounding = 0;
  CollectiveOrder of_collectives;  // not among the others

  uint64_t AllInvertedAfter() const { return inverted_after + of_collectives.inverted_after; }
};

// Between successive events of one process; changes are relative.
struct SummaryIntervals {
  struct Class {
    uint64_t count = 0;
    double mean_change = 0, max_change = 0;
  };
  struct Largest {
    std::string process;
    uint64_t event = 0;  // number within the process, from 0: the interval's later end
    int64_t original_ns = 0, corrected_ns = 0;
  };
  uint64_t unchanged = 0;
  Class up_to_a_thousandth, above;
  double mean_change = 0, max_change = 0;
  std::optional<Largest> largest;
};

// A clock between two instants of corrected time in which its rate did not change.
struct RateStretch {
  GlobalTime from, to;
  double drift_ppm = 0;
};

struct SummaryTiming {
  double read_s = 0, match_s = 0, estimate_s = 0, logical_s = 0, write_s = 0;
  uint64_t events = 0, peak_bytes = 0;
};

}  // namespace syncline
