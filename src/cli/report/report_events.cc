#include "cli/report/report_events.h"

#include <string>
#include <vector>

#include "cli/event_times.h"
#include "read/text/text_reader.h"

namespace syncline {
namespace {

std::string_view NameOf(const Event& event, const std::vector<std::string>& names) {
  switch (event.kind) {
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kMark:
    case EventKind::kCollectiveBegin:
    case EventKind::kCollectiveEnd:
      return event.name < names.size() ? std::string_view(names[event.name]) : "";
    default:
      return "";
  }
}

Result<void> VisitText(const LoadedInput& input, const VisitEvent& visit) {
  auto reader = TextReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  while (const Event* event = reader->Next()) {
    const size_t number = event->process.index();
    visit({input.processes[number], input.first_event[number] + reader->index(), event->time,
           event->kind, NameOf(*event, reader->names())});
  }
  if (reader->error()) return tl::unexpected(*reader->error());
  return {};
}

Result<void> VisitTimesOf(const LoadedInput& input, const VisitEvent& visit) {
  return ForEachEventTime(input, [&](size_t number, uint64_t index, LocalTime time) {
    const uint64_t before = number < input.first_event.size() ? input.first_event[number] : 0;
    visit({input.processes[number], before + index, time});
  });
}

Result<void> VisitEventsOf(const LoadedInput& input, const VisitEvent& visit) {
  switch (input.input.format) {
    case Format::kText:
      return VisitText(input, visit);
    case Format::kOtf2:
      return VisitArchive(input, visit);
    default:
      return VisitTimesOf(input, visit);
  }
}

}  // namespace

Result<void> VisitTimes(const LoadedTraces& loaded, const VisitEvent& visit) {
  for (const LoadedInput& input : loaded.inputs) {
    if (auto done = VisitTimesOf(input, visit); !done) return done;
  }
  return {};
}

Result<void> VisitEvents(const LoadedTraces& loaded, const VisitEvent& visit) {
  for (const LoadedInput& input : loaded.inputs) {
    if (auto done = VisitEventsOf(input, visit); !done) return done;
  }
  return {};
}

}  // namespace syncline
