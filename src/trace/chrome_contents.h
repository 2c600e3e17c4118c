// One Chrome JSON file, read once: times of all tracks, and what may be messages.
//
// A file that says its base time behind its events is read a second time, and so is one of whose
// NCCL kernels only the calls that launched them tell what they are. Flows that
// the profiler of PyTorch draws from a call to what it launched join nothing.
// Errors: those of the reader; kUnsupported beyond its limits. Memory: that of time_store.h, 200
// bytes per collective or transfer and 64 per end of a flow.
// Tested by: chrome_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "match/group_operations.h"
#include "read/chrome/chrome_reader.h"
#include "trace/load.h"
#include "trace/time_store.h"
#include "trace/word_pool.h"

namespace syncline {

// Of the profiler: a kernel of NCCL, or a call that may have launched one.
struct ChromeOperation {
  uint32_t track = 0;
  uint64_t index = 0;  // of its begin; the end is the next
  LocalTime begin, end;
  std::string_view kind;  // empty: not known; this and the next three in ChromeContents::words
  std::string_view group, instance, size;
  std::optional<int64_t> sequence, from, to, root, correlation;
  bool may_leave_out = false;
  bool is_explained = false;  // by the kernel itself
};

enum class FlowPart : uint8_t { kBegin, kStep, kEnd };

struct ChromeFlowEnd {
  std::pair<uint64_t, uint64_t> key;  // of id, category and name
  FlowPart part = FlowPart::kBegin;
  bool is_of_process = false;  // the id means something within its pid only
  uint32_t track = 0;
  uint64_t index = 0;
  LocalTime time;
};

struct ChromeContents {
  ChromeHeader header;
  int64_t base_ns = 0;
  int decimals = 0;  // of microseconds, the most
  DecimalCounts decimal_counts;
  bool is_finer_than_ns = false;
  std::vector<ChromeTrack> tracks;
  std::vector<TimeStore> times;  // by track
  std::vector<ClockSpan> spans;
  std::map<std::string, std::string> process_names;  // by pid
  std::map<std::pair<std::string, std::string>, std::string> thread_names;
  std::vector<ChromeOperation> kernels, calls;
  WordPool words;
  std::vector<ChromeFlowEnd> flows;
  Diagnostics diagnostics;
};

// `on_bytes` is told what has been read, now and then, and may end it by an error.
Result<ChromeContents> ReadChromeContents(const std::string& path,
                                          const std::shared_ptr<TimeSpace>& space,
                                          const std::function<Result<void>(uint64_t)>& on_bytes);

// Of kernels that do not say it: kind, group and more of the call that launched them. Reads the
// file again where there are such.
Result<void> ExplainByLaunches(const std::string& path, ChromeContents& contents);

}  // namespace syncline
