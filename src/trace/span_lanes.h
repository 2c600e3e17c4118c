// Puts the spans of one service, which run side by side, into lanes: sequences of events in which
// spans lie within one another, as calls of one thread do.
//
// A span stands in its parent's lane where it lies within what is open there, else in the first
// lane that is free. A lane is free after the end of what was open there, as far as the clock
// tells: its readings may be late by `reading_ns`, so that of spans of which one begins earlier
// than that after the end of another nothing says which came first; they do not follow each other
// in a lane. Spans that lack a time, end before they begin, or come when kMostLanes are busy only
// leave marks, in the first lane. Cost: O(n log n). Tested by: span_lanes_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/event.h"
#include "syncline/time.h"

namespace syncline {

struct SpanOfLane {
  std::optional<LocalTime> start;
  std::optional<LocalTime> end;
  std::optional<size_t> parent;  // in the same service: its number among these
};

struct LaneEvent {
  LocalTime time;
  uint32_t span = 0;  // its number
  EventKind kind = EventKind::kMark;
  // What of the span: 0 its start, 1 its end, 2 and more its moments.
  uint32_t part = 0;
};

struct SpanMark {
  uint32_t span = 0;
  uint32_t part = 0;
  LocalTime time;
};

inline constexpr size_t kMostLanes = 1000;

struct SpanLanes {
  std::vector<std::vector<LaneEvent>> lanes;  // each in order of time
  uint64_t backward = 0;                      // spans that end before they begin
  uint64_t incomplete = 0;                    // spans without start or end
  uint64_t crowded = 0;                       // spans that found all lanes busy
};

// `moments` are what happened within spans. At least one lane where there is any event.
SpanLanes PutIntoLanes(std::span<const SpanOfLane> spans, std::span<const SpanMark> moments,
                       int64_t reading_ns = 0);

}  // namespace syncline
