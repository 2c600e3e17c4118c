// Which epoch of its clock an event belongs to.
//
// A clock that was set back shows some readings twice. An epoch is a stretch between two such
// moments: within one, readings tell instants apart. Epochs of a clock count from 0; all processes
// that share a clock number them alike. A clock that was set forward stays in one epoch.
// Cost: nothing for processes without; else O(log epochs), by a cursor O(1).
// Tested by: src/model/epochs_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "syncline/id.h"
#include "syncline/message.h"
#include "syncline/time.h"

namespace syncline {

// The epoch of the event of this number, where `first_event` holds, ascending, the first event of
// each further epoch. An epoch without events begins where the next one does.
inline uint32_t EpochAt(std::span<const uint64_t> first_event, uint64_t event) {
  const auto later = std::ranges::upper_bound(first_event, event);
  return static_cast<uint32_t>(later - first_event.begin());
}

// What a clock showed in one epoch, at least.
struct ReadingSpan {
  LocalTime first;
  LocalTime last;
  friend bool operator==(const ReadingSpan&, const ReadingSpan&) = default;
};

struct EpochTable {
  // By ProcessId: the number of the first event of each further epoch (1, 2, …), ascending. Empty:
  // all its events are of epoch 0. Processes beyond the end are as those.
  std::vector<std::vector<uint64_t>> first_event;

  static auto Members(auto& self) { return std::tie(self.first_event); }
  std::span<const uint64_t> FirstEvents(ProcessId process) const {
    if (process.index() >= first_event.size()) return {};
    return first_event[process.index()];
  }
  uint32_t EpochOf(ProcessId process, uint64_t event) const {
    const std::span<const uint64_t> first = FirstEvents(process);
    return first.empty() ? 0 : EpochAt(first, event);
  }
  uint32_t EpochOf(const EventRef& event) const { return EpochOf(event.process, event.index); }
};

// The same for events of one process in order of their numbers.
class EpochCursor {
 public:
  EpochCursor() = default;
  // What `first_event` lies in must outlive the cursor.
  explicit EpochCursor(std::span<const uint64_t> first_event) : first_event_(first_event) {}

  uint32_t At(uint64_t event) {
    while (epoch_ < first_event_.size() && event >= first_event_[epoch_]) ++epoch_;
    return static_cast<uint32_t>(epoch_);
  }
  // Of the latest event asked for.
  uint32_t current() const { return static_cast<uint32_t>(epoch_); }

 private:
  std::span<const uint64_t> first_event_;
  size_t epoch_ = 0;
};

}  // namespace syncline
