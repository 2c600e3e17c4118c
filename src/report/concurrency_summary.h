// What `syncline concurrency` found, as plain values, as text, JSON and CSV.
//
// Units and meanings: docs/methods/concurrency.md; the JSON's keys: docs/concurrency.schema.json.
// Undefined ratios are null in JSON, empty in CSV and "n/a" in text. Tested by:
// concurrency_summary_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "syncline/diagnostics.h"

#include "measure/concurrency/event_order.h"
#include "measure/concurrency/measures.h"
#include "measure/concurrency/region_ranking.h"
#include "report/summary_parts.h"

namespace syncline {

struct ConcurrencySummary {
  struct Process {
    std::string name;
    std::string label;  // may be empty
    bool has_events = false;
    int64_t first_ns = 0;
    ProcessTotals totals;
    uint64_t regions = 0;
  };

  std::string version;
  std::string command;
  std::vector<std::string> inputs;
  std::string waits;               // which rule: "recorded", "replies", "receives"
  std::vector<Process> processes;  // by ProcessId
  ComputationMeasures measures;    // of the processes with events
  ConsistentCuts cuts;
  uint64_t messages = 0;  // between two events of the traces
  uint64_t collective_ends = 0;
  std::vector<Region> regions;  // with the least α
  std::vector<Region> longest_waits;
  std::vector<WaitedFor> waited_for;
  Diagnostics diagnostics;
  SummaryTiming timing;
};

// Tables wider than `columns` are folded.
std::string ConcurrencySummaryToText(const ConcurrencySummary& summary, size_t columns = SIZE_MAX);
std::string ConcurrencySummaryToJson(const ConcurrencySummary& summary);

// A line per region, with this one first; both end with a line end.
std::string RegionCsvHeader();
std::string RegionCsvLine(const Region& region, const std::string& process,
                          const std::string& sender);

// "send", "delivery", "collective-begin", "collective-end", "termination".
std::string RegionEndName(RegionEnd end);

}  // namespace syncline
