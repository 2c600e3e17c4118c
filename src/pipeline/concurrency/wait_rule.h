// Which time of a process counts as waiting.
#pragma once

#include <cstdint>

namespace syncline {

enum class WaitRule : uint8_t {
  kRecorded,  // what the trace says: `block`, waiting MPI calls
  kReplies,   // besides, from a send to the receives from the same process that follow directly
  kReceives,  // besides, before each receive the time since the message event before
};

}  // namespace syncline
