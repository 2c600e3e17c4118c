#include "logical/raised_events.h"

namespace syncline {

void RaisedEvents::ChangeLater(uint64_t number, const RiseLine& line) {
  Event& event = events_[number];
  if (event.content <= 1) {
    if (free_changes_.empty()) {
      changes_.emplace_back();
      free_changes_.push_back(changes_.size());
    }
    event.content |= free_changes_.back() << 1;
    free_changes_.pop_back();
  }
  changes_[(event.content >> 1) - 1] += line;
}

void RaisedEvents::TakeChange() {
  Event& event = events_[first_open_];
  const uint64_t change = event.content >> 1;
  event.content &= 1;
  first_line_ += changes_[change - 1];
  changes_[change - 1] = {};
  free_changes_.push_back(change);
}

// From the other end: events from next() on are not raised.
UInt128 RaisedEvents::RaisedLater(uint64_t number) const {
  RiseLine line;
  for (uint64_t later = number + 1; later < next_; ++later) {
    const uint64_t change = events_[later].content >> 1;
    if (change > 0) line -= changes_[change - 1];
  }
  return line.At(events_[number].x);
}

}  // namespace syncline
