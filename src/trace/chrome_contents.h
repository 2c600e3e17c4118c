// One Chrome JSON file, read once: times of all tracks, and what may be messages.
//
// A file that says its base time behind its events is read a second time, and so is one of whose
// NCCL kernels only the calls that launched them tell what they are. Flows that
// the profiler of PyTorch draws from a call to what it launched join nothing.
// Errors: those of the reader; kUnsupported beyond its limits; those of temporary storage. Memory:
// names of tracks and groups; all else beyond a budget in temporary disk space, 8 bytes per time,
// 112 per collective or transfer, some 350 more where its kernel does not say all of it, and 48 per
// end of a flow.
// Tested by: chrome_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/external_sort.h"
#include "match/group_operations.h"
#include "read/chrome/chrome_reader.h"
#include "trace/load.h"

namespace syncline {

// Texts of which there are few, kept once each: who names one holds 16 bytes. Views stay valid as
// long as the pool, wherever that moves.
class WordPool {
 public:
  std::string_view Keep(std::string_view word) {
    const auto known = words_.find(word);
    return known != words_.end() ? *known : *words_.emplace(word).first;
  }

 private:
  std::set<std::string, std::less<>> words_;
};

enum class FlowPart : uint8_t { kBegin, kStep, kEnd };

struct ChromeFlowEnd {
  uint64_t key[2] = {};  // of id, category and name; of numbers, the number comes first
  uint64_t index = 0;
  LocalTime time;
  uint32_t track = 0;
  uint32_t file = 0;
  FlowPart part = FlowPart::kBegin;
  bool is_of_process = false;  // the id means something within its pid only
};

// Those of a key lie by file, in each begins first, then in order of time.
struct FlowOrder {
  bool operator()(const ChromeFlowEnd& a, const ChromeFlowEnd& b) const {
    if (a.key[0] != b.key[0]) return a.key[0] < b.key[0];
    const auto rest = [](const ChromeFlowEnd& end) {
      return std::tuple(end.key[1], end.file, end.part != FlowPart::kBegin, end.time);
    };
    return rest(a) < rest(b);
  }
};
using SortedFlows = ExternalSort<ChromeFlowEnd, FlowOrder>;

struct ChromeContents {
  ChromeHeader header;
  int64_t base_ns = 0;
  int decimals = 0;  // of microseconds, the most
  DecimalCounts time_decimals, duration_decimals;
  CoarseTimes begins;  // since base_ns
  CoarseTimes durations;
  bool is_finer_than_ns = false;
  std::vector<ChromeTrack> tracks;
  std::vector<TimeStore> times;  // by track; nothing in them unless wanted
  std::vector<ClockSpan> spans;
  std::map<std::string, std::string> process_names;  // by pid
  std::map<std::pair<std::string, std::string>, std::string> thread_names;
  WordPool words;                // groups of the operations
  GroupOperations operations{};  // of NCCL
  // Kernels that are none of them, or deliver no message.
  uint64_t without_root = 0, may_leave_out = 0, unexplained = 0;
  SortedFlows flows{};
  Diagnostics diagnostics;
};

// `number`: the file's among all. `on_bytes` is told what has been read, now and then, and may end
// it by an error. `found` is for what may be messages, `times` for all times, unless it is null.
Result<ChromeContents> ReadChromeContents(const std::string& path, uint32_t number,
                                          const std::shared_ptr<SpillSpace>& times,
                                          const std::shared_ptr<SpillSpace>& found,
                                          const std::function<Result<void>(uint64_t)>& on_bytes);

}  // namespace syncline
