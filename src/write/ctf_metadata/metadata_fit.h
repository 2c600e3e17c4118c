// Chooses for every clock block of several traces the values that express its correction best and
// leave no message too fast, on the integers that readers compute.
//
// Units: cycles of the blocks' counters, nanoseconds. Method: every block gets its nearest line
// (clock_line.h); where rounding to whole hertz takes more from a message than it had to spare,
// clocks are shifted by the least that mends it (clock_shifts.h). Messages are checked as
// babeltrace2 computes times, in double precision, and as exact readers do.
// Cost: one pass over the messages, two where something has to be shifted.
// Tested by: metadata_fit_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "write/ctf_metadata/clock_line.h"

namespace syncline::ctf_metadata {

// A clock block of one trace. Several can belong to one clock.
struct BlockToFit {
  size_t clock = 0;
  CorrectedSpan span;
  ClockSetting before;
};

// An end of a message: a count of a block, or, where its trace is written otherwise, a time.
struct FitEvent {
  std::optional<size_t> block;
  size_t clock = 0;
  uint64_t cycles = 0;
  int64_t written_ns = 0;
};
struct FitMessage {
  FitEvent send;
  FitEvent receive;
  int64_t least_ns = 0;  // the delay that must remain
};
// Visits every message between different clocks that holds under the corrections themselves; may be
// called again.
using FitPass = std::function<Result<void>(const std::function<void(const FitMessage&)>&)>;

struct MetadataFit {
  // By block. A block that already says it stays as it is.
  std::vector<ClockSetting> settings;
  // By block: how far the times that readers compute are from the correction at most.
  std::vector<int64_t> deviations_ns;
};
struct FitOutcome {
  std::optional<MetadataFit> fit;
  std::string why_not;  // where there is none
};

// `movable`: by clock, whether it may be shifted (not the reference, nor a clock whose other
// traces are written otherwise).
Result<FitOutcome> FitMetadata(std::span<const BlockToFit> blocks, const std::vector<bool>& movable,
                               const FitPass& pass);

}  // namespace syncline::ctf_metadata
