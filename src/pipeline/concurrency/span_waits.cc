#include "pipeline/concurrency/span_waits.h"

#include "trace/kept_spans.h"

namespace syncline {

std::vector<std::vector<WaitSpan>> SpanWaitsOf(const LoadedInput& input) {
  std::vector<std::vector<WaitSpan>> waits;
  for (const std::vector<KeptSpanEvent>& lane : SpansOf(input).lanes) {
    std::vector<WaitSpan>& of_lane = waits.emplace_back();
    uint64_t depth = 0;
    for (uint64_t i = 0; i < lane.size(); ++i) {
      if (!lane[i].is_of_call) continue;
      const bool begins = lane[i].kind == EventKind::kEnter;
      if (begins && depth++ == 0) of_lane.push_back({i, UINT64_MAX});
      if (!begins && --depth == 0) of_lane.back().end = i;
    }
  }
  return waits;
}

}  // namespace syncline
