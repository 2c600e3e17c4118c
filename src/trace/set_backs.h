// Where the readings of a process go back: its clock was set back, or they are out of order.
//
// Units: LocalTime in ticks; differences as unsigned ticks, exact over all of int64.
// A reading below the highest one so far by more than a tolerance begins an epoch, and counts as
// the highest from then on. Captures hold packets out of order: there such a packet begins an epoch
// only if those after it stay below the old highest as well, as far as there are any. Many of them
// for the number of packets say that the capture is in no order, and nothing of its clock.
// Cost: O(1) per event. Memory: a few events, and 24 bytes per set-back, at most kMostSetBacks.
// Tested by: set_backs_test.cc, text_parcel_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "syncline/clock.h"
#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

struct SetBack {
  uint64_t event = 0;  // the first one after, by its number within the process
  LocalTime before;    // the highest reading since the one before
  LocalTime after;     // the reading of `event`
  friend bool operator==(const SetBack&, const SetBack&) = default;
};

// A process with more has no order of time that a clock could have had.
inline constexpr size_t kMostSetBacks = 10'000;

// What one process saw of its clock.
struct SeenSetBacks {
  std::vector<SetBack> found;
  // Of all, and since the last set-back; both count where there are events.
  LocalTime first;
  LocalTime highest{std::numeric_limits<int64_t>::min()};
  bool has_events = false;
  bool are_too_many = false;  // `found` lacks those beyond kMostSetBacks

  static auto Members(auto& self) {
    return std::tie(self.found, self.first, self.highest, self.has_events, self.are_too_many);
  }
};

// A set-back of a clock as all its processes together saw it.
struct ClockSetBack {
  LocalTime before;  // the highest reading of any process before
  LocalTime after;   // the lowest first reading of any process after
  friend bool operator==(const ClockSetBack&, const ClockSetBack&) = default;
};

// Of a process that saw no drop: what it read next to it, below and above what others read twice.
// Where the clock was set back by so much more than they saw, these are of either side, too.
struct UnseenSetBack {
  ProcessId process;
  ClockSetBack set_back;
  std::optional<LocalTime> last_before, first_after;
};

struct SetBackRule {
  uint64_t tolerance_ticks = 0;  // of what is below by so much, nothing is concluded
  size_t confirmed_by = 0;       // events after it
  uint64_t events_each = 0;      // more than kFewSetBacks with fewer events each are no order
};

// Of a process whose events come in program order: more than a microsecond and a tick.
SetBackRule SetBackRuleOf(const Clock& clock);
// Of a capture, in nanoseconds: more than a millisecond, confirmed by three packets. Of shuffled
// packets every fifth would be one.
inline constexpr SetBackRule kCaptureSetBacks{1'000'000, 3, 16};
inline constexpr uint64_t kFewSetBacks = 8;

class SetBackFinder {
 public:
  explicit SetBackFinder(SetBackRule rule = {}) : rule_(rule) {}

  // Events in order; numbers ascend.
  void Add(LocalTime t) { Add(next_, t); }
  void Add(uint64_t event, LocalTime t) {
    next_ = event + 1;
    ++events_;
    if (!seen_.has_events) Begin(t);
    if (!waiting_.empty() || IsBelow(t)) return AddSlowly(event, t);
    seen_.highest = std::max(seen_.highest, t);
  }
  // After the last event; more may come all the same, where another input goes on.
  SeenSetBacks Finish() const;
  bool has_events() const { return seen_.has_events; }

  // As it is, to another process.
  static auto Members(auto& self) {
    return std::tie(self.rule_, self.next_, self.events_, self.set_backs_, self.top_, self.waiting_,
                    self.seen_);
  }

 private:
  struct Waiting {
    uint64_t event = 0;
    LocalTime time;
  };

  void Begin(LocalTime t) {
    seen_.has_events = true;
    seen_.first = t;
  }
  bool IsBelow(LocalTime t) const {
    return t<seen_.highest&& static_cast<uint64_t>(seen_.highest.ticks) -
             static_cast<uint64_t>(t.ticks)>
        rule_.tolerance_ticks;
  }
  void AddSlowly(uint64_t event, LocalTime t);
  void Settle(bool is_end);
  void BeginEpoch(uint64_t event, LocalTime t);
  bool IsInNoOrder() const {
    return set_backs_ > kFewSetBacks && set_backs_ * rule_.events_each > events_;
  }

  SetBackRule rule_;
  uint64_t next_ = 0;                                   // event
  uint64_t events_ = 0;                                 // so far
  uint64_t set_backs_ = 0;                              // also those that `found` lacks
  LocalTime top_{std::numeric_limits<int64_t>::min()};  // the highest before the last set-back
  std::vector<Waiting> waiting_;                        // from the one that may begin an epoch on
  SeenSetBacks seen_;
};

}  // namespace syncline
