// The events of one thread in order, in a file mapped into memory window by window: what was
// appended is in the file, whatever becomes of the process.
//
// Space is reserved before it is mapped, so a full disk shows as Result or as events lost and
// counted, never as a signal. Once an event is lost, all later ones are: a log is whole from its
// beginning. No descriptor is held. Cost: a few ns per event, some system calls per 3 MiB. Not for
// two threads at once.
// Errors: kUnreadable where the file cannot be created or grow. Tested by: event_log_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "syncline/result.h"

#include "record/mpi/raw_event.h"

namespace syncline::mpi {

class EventLog {
 public:
  static constexpr size_t kWindowEvents = size_t{1} << 16;  // 3 MiB: whole pages

  // A new file; `most_bytes` 0: no limit.
  static Result<EventLog> Create(const std::string& path, uint64_t most_bytes);
  // No file: counts as lost what is appended.
  static EventLog Without(std::string problem);
  EventLog() = default;
  EventLog(EventLog&& other) noexcept { *this = std::move(other); }
  EventLog& operator=(EventLog&& other) noexcept;
  ~EventLog();

  void Append(const RawEvent& event) {
    if (next_ == end_ && !NextWindow()) {
      ++lost_;
      return;
    }
    *next_++ = event;
  }
  // Forgets what was appended last, if that is still possible: nothing of it was lost.
  void Rewind(uint64_t size) {
    const uint64_t surplus = this->size() - size;
    if (lost_ > 0 || surplus > static_cast<uint64_t>(next_ - begin_)) return;
    for (uint64_t i = 0; i < surplus; ++i) *--next_ = RawEvent{};
  }
  uint64_t size() const { return before_window_ + static_cast<uint64_t>(next_ - begin_); }
  uint64_t lost() const { return lost_; }
  // Why events were lost; empty while none is.
  const std::string& problem() const { return problem_; }
  // Takes no memory until the next event; the file ends with the last one.
  void Release();
  // No more events.
  void Close();

 private:
  bool NextWindow();
  void Unmap();

  RawEvent* begin_ = nullptr;  // the window
  RawEvent* next_ = nullptr;
  RawEvent* end_ = nullptr;
  uint64_t before_window_ = 0;
  uint64_t most_windows_ = UINT64_MAX;
  uint64_t lost_ = 0;
  std::string path_;  // empty: closed
  std::string problem_;
};

// The events of a log, also of one that was never closed; nothing of it is copied.
class EventLogReader {
 public:
  static Result<EventLogReader> Open(const std::string& path);
  EventLogReader(EventLogReader&& other) noexcept;
  EventLogReader& operator=(EventLogReader&&) = delete;
  ~EventLogReader();

  const RawEvent* begin() const { return events_; }
  const RawEvent* end() const { return events_ + size_; }
  uint64_t size() const { return size_; }

 private:
  EventLogReader(const RawEvent* events, size_t size, size_t mapped_bytes)
      : events_(events), size_(size), mapped_bytes_(mapped_bytes) {}
  const RawEvent* events_ = nullptr;
  size_t size_ = 0;
  size_t mapped_bytes_ = 0;
};

}  // namespace syncline::mpi
