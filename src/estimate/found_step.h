// A clock that was set, as its messages show it.
//
// Units: nanoseconds where a name says so; times are those of the root of the clock's component.
#pragma once

#include <cstdint>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

struct FoundStep {
  ClockId clock;
  GlobalTime after;  // between these two
  GlobalTime before;
  int64_t ahead_ns = 0;  // positive: from then on it is further ahead
};

}  // namespace syncline
