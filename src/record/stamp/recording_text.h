// A recording as a text trace (docs/formats/text.md).
//
// Units: nanoseconds since the epoch by the recording's own clock; so all recordings say the same
// of their clocks, and one can name the threads of another. Errors: those of the output. Requires:
// names that IsStampName() allows. Tested by: recorder_test.cc (read back by TextReader).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "record/counter/frequency.h"
#include "record/stamp/event_buffer.h"

namespace syncline {

struct RecordedPeer {
  std::string thread;
  std::string clock;
};

struct RecordedThread {
  std::string name;
  std::vector<Stamp> stamps;
  uint64_t refused = 0;
  uint64_t overwritten = 0;
  uint64_t bad_handles = 0;
};

struct Recording {
  std::string clock;
  std::string counter;  // its name, and why it was chosen
  std::optional<Frequency> frequency;
  EpochLine line;
  uint64_t unregistered = 0;
  std::vector<RecordedThread> threads;
  std::vector<RecordedPeer> peers;
  std::vector<std::string> names;
};

Result<void> WriteRecording(const Recording& recording, OutputFile& output);

}  // namespace syncline
