// The events of loaded inputs again, for every pass after loading: one way for all formats.
//
// Each process's events come in the order of its file, numbered as messages number them. That is
// program order but where TraceFormat::in_program_order says otherwise: a capture's packets may
// stand in another one than that of their times.
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers, and
// kMalformed where a process has another number of events than before.
// Tested by: event_cursor_test.cc, convert_command_test.cc, report_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/event.h"
#include "syncline/result.h"

#include "trace/load.h"

namespace syncline {

// What a pass looks at; a format may spare itself the rest.
enum class EventDetail : uint8_t {
  kTimes,  // which event, and when
  kKinds,  // also its kind, partner, message and size, and what collectives are called
  kNames,  // also the names of regions, marks, packets, event classes
};

struct TraceEvent {
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  // Process, peer and group are numbers in the trace set; Event::name counts for nothing.
  // Where the format does not tell kinds, they are marks: messages tell what they are.
  Event event;
  uint64_t index = 0;          // within the process, as in EventRef
  uint32_t number = 0;         // of the process within its input
  bool has_message = false;    // Event::message tells sends and receives apart
  bool moves_nothing = false;  // part of a collective of 0 bytes, where that means something
  bool is_limit = false;       // of the next event, which may have sent as early; of names alone
  // Valid until the next event.
  std::string_view name;     // of regions and marks, a collective's kind, a packet's protocol
  std::string_view message;  // what the message is called, where that is no number
  std::string_view group;    // of collectives, where it is not the name of the group of that number
};

// Events of one process or several. Different cursors may be read in different threads.
class EventCursor {
 public:
  explicit EventCursor(std::vector<ProcessId> processes) : processes_(std::move(processes)) {}
  virtual ~EventCursor() = default;

  // nullptr at the end and at an error.
  virtual const TraceEvent* Next() = 0;
  // The times of all events of its only process at once, where they were kept, else none. Next()
  // then leaves out events that tell nothing but their time.
  virtual Result<std::vector<LocalTime>> TakeTimes() { return std::vector<LocalTime>(); }

  const std::vector<ProcessId>& processes() const { return processes_; }
  const std::optional<Error>& error() const { return error_; }

 protected:
  const TraceEvent* Stop(Error error) {
    error_ = std::move(error);
    return nullptr;
  }
  const TraceEvent* StopChanged(std::string file) {
    return Stop({.code = ErrorCode::kMalformed,
                 .message = "has changed while it was read",
                 .file = std::move(file)});
  }

 private:
  std::vector<ProcessId> processes_;
  std::optional<Error> error_;
};
using EventCursors = std::vector<std::unique_ptr<EventCursor>>;

// In the order of the input's processes. `loaded` must outlive the cursors.
Result<EventCursors> OpenEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                EventDetail detail);

// All events of the input, one cursor after the other.
Result<void> ForEachEvent(const LoadedTraces& loaded, const LoadedInput& input, EventDetail detail,
                          const std::function<void(const TraceEvent&)>& visit);

}  // namespace syncline
