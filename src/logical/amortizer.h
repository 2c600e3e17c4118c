// Backward amortization: spreads the forward jumps of one process's logical clock over the time
// before them, as a stream.
//
// Units: nanoseconds. Events are named by their number within the process, from 0.
// Requires: clock_ns does not decrease from event to event (a lower one counts as the one before).
// Errors: none. Times anywhere in int64 are safe.
// Cost: O(1) amortized per event in practice (SendLimits says where more), 20 to 60 ns
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
//   its jump.
// - h is rounded down to lines with slopes of whole 2^-60 (rise.h), the sum to nanoseconds. Each
//   piece begins at a vertex of the exact h and stays below it; so the rounded h does not decrease
//   either: the order of events and each distance between them (without jumps) stay or grow. And no
//   send passes its limit, as h does not exceed what it allows.
// Tested by: src/logical/amortizer_test.cc, against a naive implementation on whole arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"
#include "logical/computed_event.h"
#include "logical/jump_spread.h"
#include "logical/ring.h"
#include "logical/rise.h"

namespace syncline {

// The buffered events of one process, and how far the jumps after them have raised each.
//
// Units: times in nanoseconds, rises as in rise.h. Events are named by their number, from 0: those
// before first_open() are final, those before next() have had their jump spread.
// Requires: abscissae do not decrease; first_open() ≤ next() ≤ end().
// Cost: O(1), but RaisedLater() O(n). Memory: 64 bytes per buffered event, at most twice that, and
// 40 per change.
// Method: the rise of an event is the value, at its abscissa, of the sum of some jumps' lines. It
// is kept as the places where that sum changes: events become final in order, so a running sum
// needs each change once.
class RaisedEvents {
 public:
  static constexpr int64_t kUnlimited = INT64_MAX;
  // So many events had better become final together: which event of which process is next is hard
  // to foresee, for the cache and for the prediction of branches.
  static constexpr uint64_t kBatch = 8;

  uint64_t first_open() const { return first_open_; }
  uint64_t next() const { return next_; }
  uint64_t end() const { return events_.end(); }  // one past the newest

  int64_t clock(uint64_t number) const { return events_[number].clock; }
  uint64_t x(uint64_t number) const { return events_[number].x; }
  int64_t limit(uint64_t number) const { return events_[number].limit; }
  bool is_held(uint64_t number) const { return (events_[number].content & 1) != 0; }
  size_t held() const { return held_; }  // events that are, final or not
  const ComputedEvent& computed(uint64_t number) const { return events_[number].computed; }
  // Of next().
  uint64_t next_jump() const { return events_[next_].content >> 1; }

  // Requires: jump < 2^63.
  uint64_t Append(int64_t clock, uint64_t x, uint64_t jump, bool is_held,
                  const ComputedEvent& computed) {
    Event& event = events_.push_slot();
    event.clock = clock;
    event.x = x;
    event.limit = kUnlimited;
    event.content = jump << 1 | (is_held ? 1 : 0);
    // By members: what was just stored in pieces is not read well as a whole.
    event.computed.before = computed.before;
    event.computed.tag = computed.tag;
    event.computed.arrival = computed.arrival;
    event.computed.link = computed.link;
    held_ += is_held ? 1 : 0;
    events_.PrefetchSlot(end() + 1);
    return end() - 1;
  }
  void SetLimit(uint64_t number, int64_t latest) { events_[number].limit = latest; }
  void Release(uint64_t number) {
    held_ -= events_[number].content & 1;
    events_[number].content &= ~uint64_t{1};
  }
  void PassNext() { events_[next_++].content &= 1; }

  // From `number` on, events are raised by `line` more. Requires: first_open() ≤ number < next().
  void Change(uint64_t number, const RiseLine& line) {
    if (number == first_open_) {
      first_line_ += line;
    } else {
      ChangeLater(number, line);
    }
  }
  // How far the first open event is raised. Requires: there is one.
  UInt128 RaisedFirst() const { return first_line_.At(events_[first_open_].x); }
  // … or any event that is not final.
  UInt128 RaisedLater(uint64_t number) const;

  // The first open event gets its final time, as its clock from now on.
  void Settle(int64_t clock) {
    events_[first_open_++].clock = clock;
    if (first_open_ < next_ && events_[first_open_].content > 1) TakeChange();
  }
  // The oldest event is not needed any more; it stays readable until the next Append(). Requires:
  // it is final.
  void DropFirst() {
    held_ -= events_.front().content & 1;
    events_.pop_front();
    // Other processes' events have driven the next ones out of the cache by the time they settle.
    events_.PrefetchSlot(events_.first() + 2 * kBatch);
  }

 private:
  struct alignas(64) Event {
    int64_t clock = 0;
    uint64_t x = 0;
    int64_t limit = kUnlimited;
    // Twice the jump; once that is spread, twice the number of a change, from 1. Plus 1 if held.
    uint64_t content = 0;
    ComputedEvent computed;
  };

  void ChangeLater(uint64_t number, const RiseLine& line);
  void TakeChange();

  Ring<Event> events_;
  uint64_t first_open_ = 0;
  uint64_t next_ = 0;
  size_t held_ = 0;
  RiseLine first_line_;  // of the first open event
  std::vector<RiseLine> changes_;
  std::vector<uint64_t> free_changes_;
};

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
