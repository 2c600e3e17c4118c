// What is kept of a CTF trace that was read: the recorded times of all events, and how its clocks'
// cycles relate to the local times of the hosts' clocks.
//
// Memory: that of base/block_store.h, and 16 bytes per send or receive of known size. Units:
// LocalTime in ticks of the host's clock; CtfClock::origin is the one that leads there from the
// trace's cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/ctf/ctf_clock.h"
#include "trace/load.h"

namespace syncline {

class ReadableFolder;

struct CtfMessageSize {
  uint64_t event = 0;
  uint64_t bytes = 0;
};

struct KeptCtfStream {
  std::string file;               // of its first packet, with its path
  std::optional<uint32_t> clock;  // in KeptCtfTrace::clocks; none: its events have no times
  TimeStore times;                // by event, in program order
  std::vector<CtfMessageSize> sizes;
  bool is_out_of_order = false;  // as of CtfStreamDefects
};

struct KeptCtfTrace : KeptInput {
  std::string host;
  std::shared_ptr<const ReadableFolder> readable;  // for the events again
  std::vector<CtfClock> clocks;                    // classes that the streams use
  std::vector<KeptCtfStream> streams;  // in the order of CtfReader::streams(), as the processes
};

// Of a loaded CTF trace; null of another input.
inline const KeptCtfTrace* CtfTraceIn(const LoadedInput& input) {
  return dynamic_cast<const KeptCtfTrace*>(input.kept.get());
}
inline const KeptCtfTrace& CtfTraceOf(const LoadedInput& input) {
  return static_cast<const KeptCtfTrace&>(*input.kept);
}

}  // namespace syncline
