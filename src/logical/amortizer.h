// Backward amortization: spreads the forward jumps of one process's logical clock over the time
// before them, as a stream.
//
// Units: nanoseconds. Events are named by their number within the process, from 0.
// Requires: clock_ns does not decrease from event to event (a lower one counts as the one before).
// Errors: none. Times anywhere in int64 are safe.
// Cost: O(1) amortized per event in practice (send_limits.h says where more), 20 to 60 ns
// (bench/amortizer_bench.cc). Memory 64 bytes per buffered event, at most twice that, and 40 per
// jump. Buffered are the events of the last W, a few before them, and those after the first jump
// that still waits for a held send.
//
// Method: Rabenseifner 2000, section 4.5, algorithm 5. For each receive R at which the message made
// the clock jump by J, events at most W = Dmax / Adef before R are raised by h(x): the largest
// convex function through (left end, 0) and (R, J) that no send's allowance lies below, which is
// latest(s) minus the present time of s. Dmax is the largest jump so far, J included. If no event
// lies before the interval, it begins at the first one with the lowest allowance, J if none.
// Departures from the paper:
// - The abscissa x is the process's clock without its jumps, instead of its clock with earlier
//   jumps amortized. So x stays what it is, rises are sums of lines, and a jump changes each
//   measured interval by at most its slope. The interval is longer by the jumps within it: rises
//   differ by the share these have of the time (amortizer_paper_test.cc).
// - Where the interval begins before an event that is already final (W has grown since), it begins
//   at the last such event, with rise 0. The slope may then exceed Adef. Final is each event from
//   which no jump up to W can be reached; so results do not depend on when holds end.
// - So are all events before one that is known to come more than 8 W later, even if W grows with
// its
//   jump.
// - h is rounded down to lines with slopes of whole 2^-60 (rise.h), the sum to nanoseconds. Each
//   piece begins at a vertex of the exact h and stays below it; so the rounded h does not decrease
//   either: the order of events and each distance between them (without jumps) stay or grow. And no
//   send passes its limit, as h does not exceed what it allows.
// Tested by: src/logical/amortizer_test.cc, against a naive implementation on whole arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "logical/jump_spread.h"
#include "logical/raised_events.h"
#include "logical/ring.h"
#include "logical/rise.h"

namespace syncline {

class Amortizer {
 public:
  enum class Hold : uint8_t {
    kNone,
    kWaits,  // a send: a receive that it limits has not been computed
  };
  struct Final {
    uint64_t sequence = 0;
    int64_t after_ns = 0;
    const ComputedEvent* event = nullptr;  // until the next Add()
  };

  explicit Amortizer(AmortizationOptions options);

  // The next event: its time LC' and the jump J ≥ 0 in it (LC'(R) minus what the other terms give).
  // Returns its number.
  uint64_t Add(int64_t clock_ns, int64_t jump_ns, Hold hold, const ComputedEvent& event = {});
  // The send may not be moved beyond: LC'(receive) − µ. The smallest of several counts. Without
  // effect on events that are final.
  void Limit(uint64_t sequence, int64_t latest_ns);
  // Ends the hold: the limits are all known, or given up. False if there is none any more.
  bool Release(uint64_t sequence);
  // The next event's time will be at least `clock_ns`, without its jump. If that is much more than
  // W after the latest event, all become final (once no hold is in the way): so an idle process
  // does not keep its last events. Returns whether it may be.
  bool Foresee(int64_t clock_ns) {
    if (clock_ns <= last_clock_ns_ || events_.end() == 0) return false;
    const uint64_t idle = static_cast<uint64_t>(clock_ns) - static_cast<uint64_t>(last_clock_ns_);
    if (!spread_.IsIdle(idle)) return false;  // nor with a larger W
    idle_ns_ = idle;
    SettleIdle();
    return true;
  }
  // Makes the events before `end` final as they are, held or not; returns how many holds that
  // ended. Later amortizations begin there, with rise 0.
  uint64_t Flush(uint64_t end);
  // No more events; ends all holds.
  void Finish();

  // The next final event, in program order.
  std::optional<Final> Pop() {
    if (popped_ == events_.first_open()) return std::nullopt;
    const Final result{popped_, events_.clock(popped_), &events_.computed(popped_)};
    events_.DropFirst();
    ++popped_;
    return result;
  }
  // No later Pop() gives less.
  int64_t LowerBound() const;
  // The event's time as amortized so far; nothing once Pop() gave it out. A receive that is
  // computed after its send was released must be later than this.
  std::optional<int64_t> Present(uint64_t sequence) const;

  // Events are kept from first() to end(), and these of them are held.
  uint64_t first() const { return popped_; }
  uint64_t end() const { return events_.end(); }
  size_t held() const { return events_.held(); }
  const ComputedEvent& operator[](uint64_t sequence) const { return events_.computed(sequence); }
  size_t buffered() const { return static_cast<size_t>(events_.end() - popped_); }
  const AmortizationFigures& figures() const { return spread_.figures(); }

 private:
  // Before this event nothing came for so long.
  struct Idle {
    uint64_t sequence = 0;
    uint64_t ns = 0;
  };

  void Advance();
  void SettleIdle();
  void SettleBefore(uint64_t end);
  void SettleBatch();
  void SettleOutOfReach(uint64_t x);
  void SettleFirst();
  bool HasHeldSend();
  void PutLimit(uint64_t send, Int128 raised);
  int64_t PresentTime(uint64_t sequence) const;

  RaisedEvents events_;
  JumpSpread spread_;        // with the limits of those before first_held_
  Ring<Idle> idles_;         // of events that were computed while a hold was in the way
  uint64_t popped_ = 0;      // events before it were given out,
  uint64_t first_held_ = 0;  // before this are final or not held,
  int64_t last_clock_ns_ = INT64_MIN;
  uint64_t last_x_ = 0;
  uint64_t last_final_x_ = 0;
  uint64_t idle_ns_ = 0;  // the next event is at least that far away; 0: not known, or not far
};

}  // namespace syncline
