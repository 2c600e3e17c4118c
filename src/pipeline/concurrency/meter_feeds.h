// Reads the events of the loaded inputs once more, for a meter of concurrency: each process until
// it waits for others.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers.
// Memory: what process_feed.h and otf2_waits.h say.
// Tested by: concurrency_command_test.cc, distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "measure/concurrency/concurrency_meter.h"
#include "pipeline/concurrency/process_feed.h"
#include "pipeline/correct/event_sources.h"
#include "pipeline/correct/logical_stage.h"
#include "trace/load.h"

namespace syncline {

class MeterFeeds {
 public:
  // All must outlive this object.
  MeterFeeds(const LoadedTraces& loaded, WaitRule rule, const MessageLinks& links,
             ConcurrencyMeter& meter);

  // These ends of collectives wait for nobody.
  void SetAside(std::span<const CycleMessage> messages);
  // The processes of which `is_here`. Requires, where some are not: a format whose processes each
  // come from a cursor of their own.
  Result<void> Open(const std::vector<bool>& is_here);

  bool has_more() const;
  // One source after the other, each while its process does not wait but `at_least` so many events:
  // how many in all. `has_read` is called after each source that was read from.
  Result<uint64_t> Read(uint64_t at_least, const std::function<void()>& has_read);

 private:
  struct Source {
    std::unique_ptr<EventSource> events;
    bool is_at_end = false;
  };

  Result<void> AddWaits(const std::vector<bool>& is_here);
  void SetWaits(const LoadedInput& input, std::vector<std::vector<WaitSpan>> waits);
  bool GoesOn(const Source& source) const;
  Result<uint64_t> ReadSource(Source& source, uint64_t at_least);

  const LoadedTraces& loaded_;
  ConcurrencyMeter& meter_;
  std::vector<ProcessFeed> feeds_;  // by ProcessId
  std::vector<Source> sources_;
};

}  // namespace syncline
