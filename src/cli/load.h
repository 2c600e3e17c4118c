// Reads all inputs once and matches them: clocks, processes, messages, and the hulls of every pair.
//
// Memory: constant besides clocks and processes; messages beyond a budget go to temporary disk
// space.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "cli/inputs.h"
#include "estimate/pair_points.h"
#include "match/message_store.h"

namespace syncline {

// What a clock was seen to stamp.
struct ClockSpan {
  LocalTime first, last;  // by value, not by order; equal to zero while there are no events
  uint64_t events = 0;
  void Include(LocalTime t);
  void Merge(const ClockSpan& other);
};

// An input as loaded: its processes by their number within the file.
struct LoadedInput {
  Input input;
  std::vector<ProcessId> processes;  // a capture has one
  // By number within the file: how many events of the process earlier inputs held.
  std::vector<uint64_t> first_event;
  uint64_t events = 0;
  int64_t ticks_per_second = 1'000'000'000;  // coarsest resolution of a capture
};

struct LoadedTraces {
  std::vector<LoadedInput> inputs;
  TraceSet traces;
  std::vector<ClockSpan> spans;  // by ClockId
  MessageStore messages;
  // Between different clocks, keyed (a, b) with a < b, in nominal nanoseconds.
  std::map<std::pair<ClockId, ClockId>, PairPoints> pairs;
  uint64_t unmatched_sends = 0;
  uint64_t unmatched_receives = 0;
  Diagnostics diagnostics;
  double read_s = 0;
  double match_s = 0;

  // The clock of this name; defined like `clock` if there is none yet.
  ClockId ClockNamed(const Clock& clock);
  ProcessId AddProcess(Process process);
};

Result<LoadedTraces> LoadTraces(const ResolvedInputs& inputs, Progress& progress);

}  // namespace syncline
