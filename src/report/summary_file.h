// The corrections of a summary (syncline.json) by the names of their clocks, read back.
//
// Units: ticks of each clock in, nanoseconds out. The Babeltrace plugin is built of this file too.
// Errors: kUnreadable, kMalformed with what is missing where. Tested by: summary_file_test.cc,
// suspects_command_test.cc, cycle_command_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "syncline/correction.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "model/epochs.h"
#include "report/summary.h"

namespace syncline {

// Of a clock that was set back, one epoch after the first.
struct SummaryEpoch {
  LocalTime first;  // its earliest reading
  Correction correction;
  // By name of a process: the number of its first event in the epoch.
  std::map<std::string, uint64_t, std::less<>> events;
};

// The ± that holds over a clock's whole trace, and for no other reading.
struct SummaryBound {
  int64_t worst_ns = 0;
  int64_t reading_ns = 0;  // Clock::reading_ns, which it allows for
  // The trace, by epoch; empty ones where a summary of an earlier version does not say.
  std::vector<ReadingSpan> traced;
};

struct SummaryFile {
  std::string path;
  std::string reference;  // empty where it is not told
  // Of a clock that was set back, the first epoch's.
  std::map<std::string, Correction, std::less<>> corrections;
  std::map<std::string, std::vector<SummaryEpoch>, std::less<>> later_epochs;
  // On the time of the reference: none where a side is open, or no messages relate the two.
  std::map<std::string, SummaryBound, std::less<>> bounds;
  // How many events the logical clock moved besides, which no correction says.
  uint64_t events_moved = 0;
  Diagnostics weaknesses;                  // warnings and errors
  std::vector<Summary::Suspect> suspects;  // the first of each kind; without delays
  uint64_t suspects_in_all = 0;
};

Result<SummaryFile> ReadSummaryFile(const std::string& path);

}  // namespace syncline
