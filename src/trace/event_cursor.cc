#include "trace/event_cursor.h"

#include "base/check.h"
#include "base/try.h"
#include "trace/formats.h"

namespace syncline {

Result<EventCursors> OpenEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                EventDetail detail) {
  SYNCLINE_CHECK(loaded.has_events || !FormatOf(input).opens_if_needed);
  return FormatOf(input).open(loaded, input, detail);
}

Result<void> ForEachEvent(const LoadedTraces& loaded, const LoadedInput& input, EventDetail detail,
                          const std::function<void(const TraceEvent&)>& visit) {
  SYNCLINE_ASSIGN(auto cursors, OpenEvents(loaded, input, detail));
  for (const auto& cursor : cursors) {
    while (const TraceEvent* event = cursor->Next()) visit(*event);
    if (cursor->error()) return tl::unexpected(*cursor->error());
  }
  return {};
}

}  // namespace syncline
