// What an archive's ClockProperties must say of its times.
//
// Units: ticks of the archive's timer. Tested by: metadata_writer_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "syncline/clock.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "write/otf2/archive_source.h"

namespace syncline::otf2_write {

// The nearest tick, or kUnsupported beyond ±kMaxOtf2Ticks. `clock`: the archive's.
Result<int64_t> ToTicks(const Clock& clock, GlobalTime time);

// The archive's clock with ticks that count from `offset_ticks` before the epoch, as in clock.h.
// Errors: kMalformed where the archive does not say how long a tick is.
Result<Clock> ArchiveClock(const ArchiveSource& source, int64_t offset_ticks);

// The first and the last of some times.
struct TimeSpan {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  bool empty() const { return first > last; }
  void Include(int64_t time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  void Include(const TimeSpan& others) {
    first = std::min(first, others.first);
    last = std::max(last, others.last);
  }
  // To add to all times so that none is negative.
  int64_t Shift() const { return empty() || first >= 0 ? 0 : -first; }
};

// What has to stand in place of `old` so that it encloses `span`, moved by `shift`; nothing where
// `old` does and no shift changes what its times mean.
std::optional<ClockProperties> Enclosing(const ClockProperties& old, const TimeSpan& span,
                                         int64_t shift);

}  // namespace syncline::otf2_write
