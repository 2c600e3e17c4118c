// Reads files of spans, OpenTelemetry's and Jaeger's, and relates their spans.
//
// A clock for each machine, told by the attributes of resources; a process for each lane
// (span_lanes.h) of a service's instance in a file. Where all spans of a machine begin at whole
// milliseconds, or microseconds, its clock is taken to be read as coarsely. Counted: what
// span_matcher.h says, and "machine-unknown" (warning), "hosts-of-one-name", "spans-incomplete",
// "spans-without-id" (info), "spans-end-before-start", "spans-side-by-side" (warning). Memory: 200
// bytes per span while loading, then that of kept_spans.h. Tested by: load_spans_test.cc.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

Result<void> LoadSpans(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// A cursor for each lane, of what was kept.
Result<EventCursors> OpenSpanEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                    EventDetail detail);

}  // namespace syncline
