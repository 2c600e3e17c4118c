// How the writers of OTF2 archives ask for corrected times, and what they say of their work.
//
// Units: recorded times are ticks of the archive's timer, as they stand in the event files, without
// ClockOffset records that the archive may have; corrected ones nanoseconds, written as the nearest
// tick of the same timer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "base/file.h"
#include "read/otf2/flush_end.h"

namespace syncline {

namespace otf2_write {
struct LocationFit;
}

// The corrected time of an event, given by the OTF2 number of its location, its own number therein
// (every event record counts, from 0) and its recorded time. Asked once for every event, location
// by location in the order of their definition, each in program order.
using Otf2Retime = std::function<GlobalTime(uint64_t location, uint64_t index, LocalTime recorded)>;

// The recorded times of a location's events, for whoever has them already.
struct Otf2LocationTimes {
  std::span<const uint64_t> times;
  std::span<const Otf2FlushEnd> flushes;  // in order of events
  // Whether the location has local definitions besides ClockOffset records.
  bool has_other_definitions = true;
  // What the spans lie in, where it lives no longer than this.
  std::shared_ptr<const void> owner = nullptr;
};

// Knows all recorded times of an archive and corrects them.
class Otf2TimeSource {
 public:
  virtual ~Otf2TimeSource() = default;
  virtual Otf2LocationTimes Recorded(uint64_t location) const = 0;
  // The corrected times of events in a row, the first of them number `first`. Asked once for every
  // event, in program order; different locations in different threads.
  virtual void Correct(uint64_t location, uint64_t first, std::span<const LocalTime> recorded,
                       std::span<GlobalTime> corrected) = 0;
  // The clock offsets of the location, where they have been fitted (location_fit.h): then its times
  // are not asked for. Else null.
  virtual otf2_write::LocationFit* Fitted(uint64_t /*location*/) { return nullptr; }
};

struct Otf2WriteRequest {
  std::string input;   // anchor file NAME.otf2
  std::string output;  // anchor file of the new archive, in an existing folder
  IfExists if_exists = IfExists::kFail;
  // Nanoseconds ↔ ticks: `offset_ticks` of the archive's clock (clock.h); its rate is the
  // archive's.
  int64_t offset_ticks = 0;
};

struct Otf2WriteCounts {
  uint64_t locations = 0;  // with events
  uint64_t events = 0;
  uint64_t changed = 0;  // events whose time as recorded is another one than now
  // OTF2 has no times before 0: where corrected ones lie there, this was added to all of them.
  uint64_t shift_ticks = 0;
  uint64_t clock_offsets = 0;  // records written
  // Times that are not corrected: readers of OTF2 apply no clock offsets to markers and snapshots.
  uint64_t marker_files = 0;
  uint64_t snapshot_files = 0;
  // Events that clock offsets cannot move where they belong: events recorded at one time that must
  // be moved apart, or events out of order. When there are any, no metadata is written.
  uint64_t inexpressible = 0;
  std::string first_inexpressible;  // for a person to look at
};

// An archive that is written, under a temporary name. What `finish` gives is to be committed
// (base/replace_together.h); without that it disappears with the last copy of this.
struct Otf2Pending {
  Otf2WriteCounts counts;
  std::function<Result<std::vector<Replacement>>()> finish;
};

}  // namespace syncline
