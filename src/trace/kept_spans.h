// What is kept of a loaded file of spans: its events by lanes, and which time of the file each is.
//
// Memory: 24 bytes per event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syncline/event.h"
#include "syncline/time.h"

#include "read/spans/span_reader.h"
#include "trace/load.h"

namespace syncline {

struct KeptSpanEvent {
  LocalTime time;
  uint32_t in_file = 0;  // number among all times that are there, in the order of SpanReader
  uint32_t name = 0;     // in KeptSpans::names
  EventKind kind = EventKind::kMark;
  bool is_of_call = false;  // begins or ends a client's span, in which its lane waits
};

struct KeptSpans : KeptInput {
  SpanForm form = SpanForm::kOtlpJson;
  std::vector<std::vector<KeptSpanEvent>> lanes;  // as the input's processes
  std::vector<std::string> names;
  uint64_t times = 0;  // that are there
};

// Requires: an input of spans.
inline const KeptSpans& SpansOf(const LoadedInput& input) {
  return static_cast<const KeptSpans&>(*input.kept);
}

}  // namespace syncline
