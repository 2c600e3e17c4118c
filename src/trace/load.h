// Reads all inputs once and matches them: clocks, processes, messages, and the hulls of every pair.
//
// Memory: constant besides clocks and processes, but for archives, which are kept
// (trace/kept_archive.h); messages and the times of CTF traces (TimeStore) go to
// temporary disk space where they take more than a budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/block_store.h"
#include "base/decimal_counts.h"
#include "base/progress.h"
#include "estimate/hulls/pair_points.h"
#include "match/message_store.h"
#include "model/epochs.h"
#include "model/reading_rank.h"
#include "trace/coarse_times.h"
#include "trace/inputs.h"
#include "trace/set_backs.h"

namespace syncline {

// Recorded times of a stream, for passes after the one that reads them.
using TimeStore = BlockStore<LocalTime>;

// What a clock was seen to stamp.
struct ClockSpan {
  LocalTime first, last;  // by value, not by order; equal to zero while there are no events
  uint64_t events = 0;
  void Include(LocalTime t) {
    first = events == 0 ? t : std::min(first, t);
    last = events == 0 ? t : std::max(last, t);
    ++events;
  }
  // What it may have stamped, had something been stamped then. Requires an event.
  void Reach(LocalTime t) {
    first = std::min(first, t);
    last = std::max(last, t);
  }
  void Merge(const ClockSpan& other);
};

// What a format keeps of a loaded input for later passes.
struct KeptInput {
  virtual ~KeptInput() = default;
};

// An input as loaded: its processes by their number within the file.
struct LoadedInput {
  Input input;
  std::vector<ProcessId> processes;  // a capture has one
  // By number within the file: how many events of the process earlier inputs held.
  std::vector<uint64_t> first_event;
  uint64_t events = 0;
  // Of the written times: a capture's coarsest resolution, an archive's timer, a CTF clock.
  int64_t ticks_per_second = 1'000'000'000;
  std::shared_ptr<const KeptInput> kept;  // of formats that keep something
};

struct LoadedTraces {
  std::vector<LoadedInput> inputs;
  InputStates states;  // of these, from before they were read
  TraceSet traces;
  std::vector<ClockSpan> spans;  // by ClockId
  // Of clocks that were set back: which epoch an event belongs to, where the clock went back, and
  // what each epoch spans. Made, at the end, of what each process saw (clock_epochs.h).
  EpochTable epochs;
  std::vector<std::vector<ClockSetBack>> clock_set_backs;  // by ClockId; the k-th begins epoch k
  std::vector<std::vector<ReadingSpan>> epoch_spans;       // by ClockId; empty without epochs
  std::vector<UnseenSetBack> unseen_set_backs;             // by clock, process and set-back
  std::vector<SeenSetBacks> set_backs;                     // by ProcessId
  // By ProcessId, ascending, of logs: sends of which the file's order does not tell that they came
  // after others of the same reading. They come before them.
  std::vector<std::vector<uint64_t>> first_of_reading;
  // A receive at a moment that was computed, and whose reading is therefore early by more than one
  // that was stamped: it came by `latest`, or before its own end, which has this reading.
  struct ComputedReceive {
    uint64_t event = 0;
    LocalTime latest;
    bool is_before_own_end = false;
  };
  // By ProcessId, ascending, of logs.
  std::vector<std::vector<ComputedReceive>> computed_receives;
  // By ProcessId, of logs whose readings are not all multiples of the coarsest stamps' tick, as
  // computed moments: that tick. Of readings in one of it nothing but the file tells the order.
  std::vector<int64_t> uneven_ticks_ns;
  // Whether events come in an order of which the stamps are certain, instead of by their readings:
  // computed receives behind all that they may have come after, others at their tick.
  bool only_certain_order = false;
  bool has_events = true;  // else TraceFormat::opens_if_needed
  // Of all the messages below together.
  std::shared_ptr<SpillSpace> message_space = std::make_shared<SpillSpace>();
  MessageStore messages{message_space};
  // What complete collectives stand for; estimated with, but not counted among messages.
  MessageStore collective_messages{message_space};
  // What messages imply without being it: estimated with, and shown nowhere.
  MessageStore implied_messages{message_space};
  // What mostly is in order, but need not be, so that bounds do not rest on it: guides the
  // correction within them.
  MessageStore likely_messages{message_space};
  // Between different clocks, keyed (a, b) with a < b, in nominal nanoseconds.
  std::map<std::pair<ClockId, ClockId>, PairPoints> pairs;
  uint64_t unmatched_sends = 0;
  uint64_t unmatched_receives = 0;
  Diagnostics diagnostics;
  double read_s = 0;
  double match_s = 0;

  const std::string& NameOf(ClockId clock) const { return traces.clocks[clock.index()].name; }
  ClockId ClockOf(const EventRef& event) const {
    return traces.processes[event.process.index()].clock;
  }
  // The clock of this name; defined like `clock` if there is none yet.
  ClockId ClockNamed(const Clock& clock);
  ProcessId AddProcess(Process process);
  void SetSeen(ProcessId process, SeenSetBacks seen);
  // "no-events" (warning).
  void CountIfEmpty(const LoadedInput& input);
  // "coarser-times" (info): of which decimals of a unit they have.
  void CountCoarseTimes(const LoadedInput& input, const DecimalCounts& times,
                        std::string_view unit);
  // The same: multiples of a tick, and where.
  void CountCoarseTimes(const CoarseTimes& times, int64_t tick_ns, std::string_view where);
  // CoarseTimes::TickNs(); counted as that, too, where they are coarser than written.
  int64_t TickOf(const LoadedInput& input, const CoarseTimes& times, int64_t written_ns) {
    return CountTick(input, times, times.TickNs(written_ns), written_ns);
  }
  int64_t DurationTickOf(const LoadedInput& input, const CoarseTimes& times, int64_t written_ns) {
    return CountTick(input, times, times.TickOfAllNs(written_ns), written_ns);
  }
  // Where an event of a log comes among those of its process: they ascend, by the file where they
  // are equal.
  std::pair<LocalTime, ReadingRank> PlaceOf(const EventRef& event) const;
  // Nothing where the clock was never set back.
  std::span<const ClockSetBack> SetBacksOf(ClockId clock) const;
  std::span<const ReadingSpan> EpochSpansOf(ClockId clock) const;

 private:
  int64_t CountTick(const LoadedInput& input, const CoarseTimes& times, int64_t tick_ns,
                    int64_t written_ns);
};

// Of all files together.
uint64_t BytesOf(std::span<LoadedInput* const> inputs);

Result<LoadedTraces> LoadTraces(const ResolvedInputs& asked, Progress& progress);

// Traces made of messages in memory, without files: their events are the messages' ends.
//
// Requires: processes of messages are in `set`, and clocks of processes. An event that has two
// times counts with the first. Memory: 16 bytes per end besides the messages. Cost: O(n log n).
// Errors: kUsage for numbers that the set does not have, a clock that does not tick, a message
// within one event. Tested by: library_test.cc.
Result<LoadedTraces> LoadMessages(TraceSet set, std::span<const Message> messages);

}  // namespace syncline
