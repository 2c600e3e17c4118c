// What is kept of a Chrome JSON file that was read: the times of all events by track, and which of
// them are part of messages and collectives.
//
// Memory: that of block_store.h, 8 bytes per time and 40 per part. Units: nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "syncline/event.h"

#include "trace/load.h"

namespace syncline {

// What an event of a track is besides one that has a time.
struct ChromePart {
  uint64_t index = 0;  // within the track
  EventKind kind = EventKind::kMark;
  bool is_root = false;
  ProcessId peer;
  uint64_t message = 0;
  uint32_t group = 0;
  uint32_t name = 0;  // of a collective's kind, in KeptChrome::kinds
};

struct KeptChromeTrack {
  TimeStore times;  // in the order of the file
  // Of collectives, and of messages; either ascending.
  BlockStore<ChromePart> of_collectives, of_messages;
};

struct KeptChrome : KeptInput {
  std::vector<KeptChromeTrack> tracks;  // as the processes
  int64_t base_ns = 0;
  int decimals = 0;                                       // of times as written
  bool has_own_ids = false;                               // ids of other inputs mean something else
  std::map<std::string, std::string> process_names;       // by pid
  std::shared_ptr<const std::vector<std::string>> kinds;  // of collectives, of all inputs
};

inline const KeptChrome& ChromeOf(const LoadedInput& input) {
  return static_cast<const KeptChrome&>(*input.kept);
}

}  // namespace syncline
