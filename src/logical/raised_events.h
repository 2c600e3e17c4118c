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
// Tested by: src/logical/amortizer_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "logical/computed_event.h"
#include "logical/ring.h"
#include "logical/rise.h"

namespace syncline {

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

}  // namespace syncline
