// Measures the concurrency of an archive of whose events each process of an MPI run holds some:
// each has a meter of its own, and these tell each other stamps
// (measure/concurrency/meter_share.h).
//
// What travels besides: the events of each message, from who matched it to who holds them; totals
// and rankings to the first process, and the order of events where they are few enough for their
// consistent cuts to be counted. Memory in each process: that of meter_run.h for its own events,
// and of stamp_post.h.
// Tested by: src/cli/distributed_command_test.cc, src/measure/concurrency/shared_meter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/result.h"

#include "base/parcel.h"
#include "measure/concurrency/concurrency_meter.h"
#include "measure/concurrency/region_ranking.h"
#include "measure/concurrency/region_series.h"
#include "pipeline/concurrency/process_feed.h"
#include "pipeline/correct/share_messages.h"
#include "trace/load.h"

namespace syncline {

struct SharedMeterOptions {
  WaitRule rule = WaitRule::kRecorded;
  ConcurrencyOptions meter;
  size_t most_regions = 0;          // in the ranking
  std::vector<int64_t> origins_ns;  // by process, for the series; empty: there is none

  static auto Members(auto& self) {
    return std::tie(self.rule, self.meter, self.most_regions, self.origins_ns);
  }
};

struct SharedMeasures {
  MeasuredComputation computation;
  RegionRanking ranking;
  RegionSeries series;
};

// Has the processes that hold the events do it; none where one has to: where events are not held
// by several, some messages were set aside, or not all events find what they wait for.
Result<std::optional<SharedMeasures>> RunSharedMeter(const LoadedTraces& loaded,
                                                     const SharedMeterOptions& options);

// What such a process makes of the task. All at once.
Result<void> RunShareOfMeter(const TraceShare& share, ParcelReader& task, Parcel& outcome);

}  // namespace syncline
