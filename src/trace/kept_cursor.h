// Cursors over what loading kept of an input's processes: their times, from which all their events
// are made.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trace/event_cursor.h"
#include "trace/load.h"

namespace syncline {

// The kept times of one process. Formats that know more of its events describe them.
class KeptTimesCursor : public EventCursor {
 public:
  // `number` is the process's within the input.
  KeptTimesCursor(const LoadedInput& input, size_t number, const TimeStore& times)
      : EventCursor({input.processes[number]}),
        times_(times),
        number_(static_cast<uint32_t>(number)) {}

  const TraceEvent* Next() override {
    if (index_ == times_.size()) return nullptr;
    const auto time = times_.At(index_);
    if (!time) return Stop(time.error());
    return Make(index_, **time);
  }

 protected:
  // Adds what is known of the event besides its time, or stops.
  virtual void Describe(TraceEvent& /*event*/) {}
  // The event of this number, which the next one follows.
  const TraceEvent* Make(uint64_t index, LocalTime time) {
    next_ = {.event = {.time = time, .process = processes()[0]}, .index = index, .number = number_};
    index_ = index + 1;
    Describe(next_);
    return error() ? nullptr : &next_;
  }

 private:
  BlockReader<LocalTime> times_;
  uint32_t number_;
  uint64_t index_ = 0;
  TraceEvent next_;
};

// A cursor for each process of the input, made of `from` and the process's number within it.
template <typename Cursor, typename From>
EventCursors CursorsOf(const LoadedInput& input, const From& from) {
  EventCursors cursors;
  for (uint32_t i = 0; i < input.processes.size(); ++i) {
    cursors.push_back(std::make_unique<Cursor>(from, i));
  }
  return cursors;
}

template <typename Cursor>
EventCursors OneCursor(Cursor cursor) {
  EventCursors cursors;
  cursors.push_back(std::make_unique<Cursor>(std::move(cursor)));
  return cursors;
}

}  // namespace syncline
