// What one run found and did: plain values from which the text, the JSON and later reports are
// made.
//
// Units and signs are in the names and in docs/summary.md; an absent optional is an open bound or
// an undetermined value and becomes null.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "syncline/correction.h"
#include "syncline/diagnostics.h"
#include "syncline/time.h"

#include "report/logical_protocol.h"
#include "report/summary_parts.h"

namespace syncline {

struct Summary {
  struct Input {
    std::string path;
    std::string format;
    uint64_t bytes = 0;
    uint64_t events = 0;
    std::vector<std::string> clocks;
  };
  struct Bound {
    std::optional<int64_t> best_ns, mean_ns, worst_ns;
  };
  struct Clock {
    std::string name;
    std::string quality;
    std::string reference;  // of the clock's component; its own name where it is one
    std::string reason;     // as of pairs
    uint64_t events = 0;
    // Its earliest and latest reading, ticks; of a clock that was set back, of its first epoch.
    int64_t first_local = 0, last_local = 0;
    int64_t reading_ns = 0;  // Clock::reading_ns
    std::optional<double> drift_ppm;
    std::optional<int64_t> offset_ns;
    Bound bound;         // the larger of the two:
    Bound below, above;  // from the corrected time to the earliest and the latest true one
    // Of its time, in which a side is open. Best and mean are of the rest then; its worst ± is
    // beside them.
    double unbounded_share = 0;
    std::optional<int64_t> worst_of_rest_ns;
    // What bounds assume of the clock's rate, and what its correction rests on; none: constant
    // rates. kAnyRatePpm: any rate that is not below half of the reference's.
    static constexpr double kAnyRatePpm = 1'000'000;
    std::optional<double> rate_limit_ppm, guess_limit_ppm;
    Bound constant_rate_bound;  // beside them, if rates are constant; open where that cannot be
    std::vector<Correction::Knot> correction;
    // Of a clock that was set back, the epochs after the first, which is what `correction` is of.
    struct Epoch {
      int64_t first_local = 0, last_local = 0;  // its earliest and latest reading, ticks
      std::vector<Correction::Knot> correction;
      // By name of a process: the number of its first event in it.
      std::vector<std::pair<std::string, uint64_t>> events;
    };
    std::vector<Epoch> later_epochs;
    std::vector<RateStretch> rates;  // in order of time, without steps
    struct Bounds {
      int64_t local = 0;  // ticks
      std::optional<int64_t> lower_ns, upper_ns;
      uint32_t epoch = 0;
    };
    std::vector<Bounds> bounds;  // where asked for
    int64_t max_advance_ns = 0;  // by the logical clock
    // Of the ±, where there is one.
    std::optional<int64_t> WorstKnownNs() const {
      return bound.worst_ns ? bound.worst_ns : worst_of_rest_ns;
    }
    uint64_t events_moved = 0;
  };
  struct Direction {
    uint64_t messages = 0;
    uint64_t hull_points = 0;
    int64_t minimum_delay_ns = 0;
    DelayFigures before;
    DelayFigures after;
    CollectiveOrder of_collectives;  // of the messages; in no other figure
  };
  // Of a line of least squares: standard deviations and half-widths of confidence intervals.
  struct Regression {
    struct Parameter {
      double deviation = 0, student = 0, chebyshev = 0;
    };
    uint64_t messages = 0;
    double residual_deviation_ns = 0, confidence = 0;
    Parameter offset_ns, drift_ppm;
  };
  struct Pair {
    std::string a, b;
    std::string quality;
    // Why the quality is below accurate, or what the line violates; else empty.
    std::string reason;
    Direction ab, ba;
    std::optional<std::string> slope_min, slope_max;  // decimal numbers of 20 digits
    Bound accuracy;                                   // U − L over the interval traced by clock a
    uint64_t violated_hull_points = 0;                // on the wrong side of the line
    double worst_violation_ns = 0;
    std::string line_from;  // the method, fallback or least-delay; empty without a line
    std::optional<Regression> regression;
  };
  struct BroadcastFigures {
    int64_t smallest_ns = 0, largest_ns = 0;
    double mean_ns = 0, deviation_ns = 0;
  };
  struct BroadcastPair {
    std::string a, b;
    uint64_t count = 0;
    BroadcastFigures before, after;  // receive instant at b − receive instant at a
  };
  struct Truth {
    int64_t max_error_ns = 0;
    double rms_error_ns = 0;
    uint64_t events = 0, outside_bound = 0;
  };
  // A message that is set aside: by estimation because it contradicts the others, or by the logical
  // clock because it closes a cycle of messages, which no times satisfy.
  struct Suspect {
    enum class Why { kContradiction, kCycle };
    struct End {
      std::string clock, process;
      uint64_t event = 0;  // number within the process, from 0
      int64_t local_ticks = 0;
      auto operator<=>(const End&) const = default;
    };
    End send, receive;
    Why why = Why::kContradiction;
    bool is_of_collective = false;
    int64_t delay_ns = 0;  // of the corrections; negative: inverted
  };
  // A clock that was set, between two instants of the reference's time.
  struct Step {
    std::string clock;
    int64_t ahead_ns = 0;  // more than before; negative: it was set back
    int64_t after_ns = 0, before_ns = 0;
    int64_t after_local = 0, before_local = 0;                       // the clock's ticks
    std::optional<int64_t> least_ahead_ns = {}, most_ahead_ns = {};  // by bounds; none: open
  };
  // Of the reference's events, by its own time: what instants are told by.
  struct Extent {
    GlobalTime first, last;
  };
  std::string version;
  std::string command;  // as typed
  // sync: `after` is what was written; check: what would be, used for delays alone.
  bool corrected = false;
  std::string group_method, pair_method;
  std::string bounds_assume = "nothing";
  std::optional<double> max_drift_ppm;   // the prior on rates; none: any
  std::optional<double> max_wander_ppm;  // and how far they may stray from their mean; none: any
  std::string reference;                 // of the largest component
  std::vector<Input> inputs;
  std::vector<Clock> clocks;
  std::vector<Pair> pairs;
  std::vector<BroadcastPair> broadcasts;
  SummaryMessages messages;
  std::vector<Suspect> suspects;
  std::vector<Step> steps;
  Extent extent;

  size_t CountSuspects(Suspect::Why why) const {
    return static_cast<size_t>(std::ranges::count(suspects, why, &Suspect::why));
  }
  std::optional<SummaryIntervals> intervals;
  std::optional<Truth> truth;
  std::optional<LogicalProtocol> logical;  // none: it was not needed, or not wanted
  Diagnostics diagnostics;
  SummaryTiming timing;
  std::vector<std::string> outputs;
};

// Text for a person, in UTF-8: a verdict in plain sentences, tables of clocks and pairs, findings.
// Usually tables have the rows that matter most, and say how many there are besides.
std::string SummaryToText(const Summary& summary, const TextStyle& style = {});
// The first lines alone: what was wrong, what is now, how far to trust it.
std::string VerdictText(const Summary& summary);
// Keys are a contract, documented in docs/summary.md and docs/summary.schema.json. Pretty-printed,
// ends with a newline. Integers are JSON integers, also above 2^53.
std::string SummaryToJson(const Summary& summary);

}  // namespace syncline
