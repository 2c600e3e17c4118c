// The logical clock on a text trace against the direction of time: the last event comes first.
//
// The same algorithm on times with the opposite sign: sends and receives, and begins and ends of
// collectives, change places, and groups have the opposite rank order. A broadcast becomes one
// receive per receiver, all at its time; it comes out once. So events are moved back in time, and
// never forward. Declarations, comments and empty lines come first, in their order.
// Units: nanoseconds; times come out with their own sign. Errors: as TextFilter's; nothing is put
// out of a trace that ends with an error.
// Ownership: options, delays and progress must outlive the filter.
// Memory: all events up to the start, about 70 bytes each and their lines.
// Method: Rabenseifner 2000, 7.2. Tested by: filter_reverse_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/event.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "logical/logical_filter.h"
#include "measure/change_over_time.h"
#include "measure/logical_figures.h"
#include "pipeline/correct/logical_adapter.h"
#include "pipeline/filter/filter_delays.h"
#include "pipeline/filter/filter_output.h"
#include "pipeline/filter/filter_text.h"
#include "read/text/text_reader.h"

namespace syncline {

class ReverseTextFilter : public LogicalSink {
 public:
  // Requires: delays of TimeDirection::kReverse. With options.start_ns later events are left out.
  ReverseTextFilter(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
                    Progress& progress);

  // To be called once. Events are numbered in the order of the output.
  Result<FilterOutcome> Run(TextReader& reader);

  void OnEvent(const RetimedEvent& event) override;
  void OnMessage(const RetimedMessage& message) override;

 private:
  struct Stored {
    Event event;           // its time: nominal nanoseconds
    uint32_t block = 0;    // of the lines
    uint32_t offset = 0;   // in the block
    uint32_t before = 0;   // bytes before the line's time
    uint32_t after = 0;    // and behind it
    uint32_t pending = 0;  // parts of it that the logical clock has not put out
    bool takes_part = true;
  };
  struct Lane {
    std::deque<Stored> events;  // in program order, without those that came out
    size_t pushed = 0;          // of them, the last ones
    uint64_t numbered = 0;
    int64_t last_before_ns = 0;
    ProcessReport report;  // of what came out
  };

  void ReadAll(TextReader& reader);
  void Declare(const TraceSet& traces);
  void Store(const TextReader& reader, const TextLine& line);
  void FindReceivers();
  void Push(ProcessId process, std::span<const std::string> names);
  LogicalEvent Adapted(const Event& event, uint64_t number, std::span<const std::string> names);
  LineParts LineOf(const Stored& stored) const;
  FilterOutcome MakeOutcome(const TextReader& reader);

  const TextFilterOptions* options_;
  FilterDelays* delays_;
  FilterOutput output_;
  Progress* progress_;
  LogicalFigures figures_;
  ChangeOverTime changes_;  // empty unless asked for; of opposite times
  LogicalFilter filter_;
  LogicalAdapter adapter_;
  std::vector<std::string> lines_;  // in blocks, so that nothing is copied as they grow
  std::vector<Lane> lanes_;         // by process
  // Of each broadcast, by its sender and message.
  absl::flat_hash_map<std::pair<ProcessId, uint64_t>, std::vector<ProcessId>> receivers_;
  uint64_t stored_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace syncline
