// One event of a Chrome JSON file, with the places of what may be written anew.
//
// Units: LocalTime in nanoseconds. Ownership: all texts are the reader's, valid until the next
// event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "syncline/time.h"

namespace syncline {

// A value: a string without its quotes, its escapes resolved, unless one is none of JSON's.
struct ChromeToken {
  uint64_t offset = 0;  // of its first byte in the file
  size_t size = 0;      // of what stands there
  std::string_view text;
  bool is_string = false;
  bool is_there() const { return is_string || !text.empty(); }
};

struct ChromeEvent {
  uint64_t offset = 0;  // of the object in the file
  char phase = 0;       // 0: none is given
  ChromeToken name, category, pid, tid, time, duration;
  ChromeToken id, bind_id;     // numbers or strings
  std::string_view args, id2;  // objects, `id2` without blanks; empty where there are none
  bool has_time = false;       // `begin` is `time`
  LocalTime begin, end;        // the same where nothing lasts
  // As events of a process: none of metadata and what has no time, two where it lasts, else one.
  uint8_t instants = 0;
  uint32_t track = 0;  // in ChromeReader::tracks(); where there are instants
  uint64_t index = 0;  // of the first one in its track
};

// What one pid and tid, or "" where an event has none, have recorded.
struct ChromeTrack {
  std::string pid, tid;  // as text
  uint64_t instants = 0;
};

}  // namespace syncline
