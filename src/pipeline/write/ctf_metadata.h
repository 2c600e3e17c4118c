// Whether the corrections of CTF traces can be said by the clock blocks of their metadata alone,
// and what readers then compute.
//
// All CTF traces are written the same way: their clocks' rounding is chosen together, so that no
// message between them, or with traces of other formats, becomes too fast.
// Requires: traces that the logical clock has not moved. Errors: those of the message store.
// Cost: one or two passes over the messages; the traces' events are not looked at.
// Tested by: ctf_metadata_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "measure/retiming.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "report/summary.h"
#include "trace/load.h"
#include "write/ctf_metadata/clock_setting.h"
#include "write/ctf_metadata/metadata_trace.h"

namespace syncline {

// The times that readers compute for the events of one process.
struct ReadTimes {
  ProcessId process;
  int64_t origin = 0;  // cycles = ticks + origin
  ctf_metadata::BabeltraceClock clock;
  GlobalTime operator()(LocalTime t) const;
};

struct CtfMetadata {
  // By input: what its clock blocks are to say, for CTF traces; others have none. Empty as a whole
  // where events have to be written.
  std::vector<std::optional<std::vector<ctf_metadata::NamedSetting>>> settings;
  std::vector<ReadTimes> times;
  // By clock: how far its written times are from the correction at most.
  std::vector<int64_t> deviations_ns;
  std::string why_not;  // where settings is empty
};

// `retiming`: of the corrections as they are. Where clock blocks can say them, it becomes what
// readers compute, and `quality` what is measured of that.
Result<CtfMetadata> FitCtfMetadata(const LoadedTraces& loaded, const Solution& solution,
                                   QualityFigures& quality, Retiming& retiming);

// Widens the bounds by the deviations, and says so by "clock-blocks-rounded"; where events have to
// be written, says why by "clock-blocks-insufficient".
void AddCtfMetadata(const CtfMetadata& metadata, Summary& summary);

}  // namespace syncline
