#include "measure/quality.h"

#include <algorithm>

namespace syncline {

void MessageQuality::AddMessage(ClockId from, ClockId to, Duration delay, Duration minimum_delay) {
  if (last_ == nullptr || last_key_ != std::pair(from, to)) {
    last_key_ = {from, to};
    last_ = &directions_[last_key_];
  }
  DirectionQuality& direction = *last_;
  direction.delays.Add(delay.ns);
  ++messages_;
  if (delay.ns < 0) {
    ++direction.inverted;
    ++inverted_;
  } else if (delay < minimum_delay) {
    ++direction.too_fast;
    ++too_fast_;
  }
}

void MessageQuality::AddBroadcastDifference(ClockId from, ClockId to, Duration difference) {
  if (to < from) {
    std::swap(from, to);
    difference = -difference;
  }
  broadcasts_[{from, to}].Add(difference.ns);
}

const DirectionQuality& MessageQuality::direction(ClockId from, ClockId to) const {
  static const DirectionQuality kNone;
  const auto it = directions_.find({from, to});
  return it == directions_.end() ? kNone : it->second;
}

}  // namespace syncline
