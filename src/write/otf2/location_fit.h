// The clock offsets of one location that is to be corrected, and what its times are then.
//
// Units: ticks of the archive's timer. Errors (LocationFit::error): kUnsupported for a time that
// OTF2 cannot hold. Different locations may be fitted in different threads. Memory: 2 MiB, and 16
// bytes per ClockOffset record. Tested by: metadata_writer_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/clock.h"
#include "syncline/result.h"

#include "write/otf2/clock_offset.h"
#include "write/otf2/retime.h"
#include "write/otf2/time_span.h"

namespace syncline::otf2_write {

// What has to be known of a location whose times are corrected.
struct LocationFit {
  uint64_t location = 0;
  std::vector<ClockOffset> records;
  TimeSpan span;
  bool has_other_definitions = true;
  uint64_t events = 0;
  uint64_t changed = 0;
  uint64_t inexpressible = 0;
  uint64_t first_inexpressible = 0;  // the event's number
  std::optional<Error> error;

  static auto Members(auto& self) {
    return std::tie(self.location, self.records, self.span, self.has_other_definitions, self.events,
                    self.changed, self.inexpressible, self.first_inexpressible, self.error);
  }
};

// `clock`: the archive's; `file`: the location's events, for errors.
LocationFit FitLocation(const Clock& clock, uint64_t location, Otf2TimeSource& times,
                        const std::string& file);

}  // namespace syncline::otf2_write
