// Where a location wrote its buffer to disk.
#pragma once

#include <cstdint>

namespace syncline {

struct Otf2FlushEnd {
  uint64_t event = 0;  // a BufferFlush
  uint64_t time = 0;   // its end
};

}  // namespace syncline
