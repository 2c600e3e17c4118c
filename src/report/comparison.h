// What `compare` found: the figures of every method on one trace set, as plain values from which
// the text and the JSON are made.
//
// Units and signs are in the names and in docs/compare.md; an absent optional is an open bound or
// an undetermined value and becomes null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/diagnostics.h"

#include "report/summary.h"
#include "report/summary_parts.h"

namespace syncline {

struct Comparison {
  struct Clock {
    std::string name;
    std::string quality;
    std::string reference;  // of the clock's component; its own name where it is one
    std::string reason;     // why the quality is below accurate; else empty
    std::optional<double> drift_ppm;
    std::optional<int64_t> offset_ns;
    Summary::Bound bound;
    std::optional<Summary::Truth> truth;

    bool IsReference() const { return name == reference; }
  };
  struct Method {
    std::string name, group;
    std::string line;  // empty: the group method needs no line of a pair
    std::string needs;
    std::string failure;  // why there is no correction; else empty
    // The rest only where there is one.
    // What its bounds rest on: "clocks of constant rates", and what else.
    std::string assumes;
    bool assumes_constant_rates = false;
    std::string contradiction;  // what messages say against that; else empty
    std::vector<Clock> clocks;
    uint64_t inverted = 0, too_fast = 0;
    std::optional<int64_t> half_width_ns;  // of the widest interval between bounds
    std::optional<double> residual_ns;     // root mean square of corrected delays
    std::optional<double> broadcast_ns;    // the same of differences between receivers
    std::optional<Summary::Truth> truth;
    Diagnostics findings;  // of the method, beside the qualities of clocks and the counts above
    double estimate_s = 0;
    std::optional<uint64_t> memory_bytes;
    bool is_weak = false;  // `sync` would exit with 3

    bool IsFound() const { return failure.empty(); }
    // Over the clocks with bounds that are no reference.
    Summary::Bound Bound() const;
    uint64_t AccurateClocks() const;
    uint64_t CorrectedClocks() const;  // all but references
  };

  std::string version;
  std::string command;    // as typed
  std::string reference;  // empty: each method's own
  std::string bounds_assume = "nothing";
  std::optional<double> max_drift_ppm;
  std::vector<Summary::Input> inputs;
  size_t clocks = 0;
  SummaryMessages messages;  // as recorded
  std::vector<Method> methods;
  std::vector<std::string> plots;  // the files written
  Diagnostics diagnostics;
  SummaryTiming timing;
};

// Tables wider than `columns` are folded.
std::string ComparisonToText(const Comparison& comparison, size_t columns = SIZE_MAX);
std::string ComparisonToJson(const Comparison& comparison);

// What the methods compared assume, which of these assumptions messages contradict, and which
// method of those that assume the same gives the most that can be guaranteed, and why. Bounds rest
// on what is assumed: they are compared where that is the same, and nowhere if messages contradict
// it. What cannot be known without the truth does not count: neither residuals, which hold the true
// delays, nor errors. Order: no stated weakness, fewer inverted messages, fewer too fast, more
// accurate clocks, bounds narrower on average. Tested by: comparison_test.cc.
struct BestMethod {
  std::string name;                  // the first of equals
  std::vector<std::string> as_good;  // the others
  std::string reason;                // without a full stop
};

// What some methods assume of clocks.
struct SharedAssumption {
  std::string assumes;
  std::string contradiction;         // empty: messages leave it possible
  std::vector<std::string> methods;  // that assume it, and found corrections
  std::optional<BestMethod> best;    // of these; none where it is contradicted
};

// Weaker assumptions first: what they give holds wherever stronger ones hold.
std::vector<SharedAssumption> RankByAssumption(const Comparison& comparison);

}  // namespace syncline
