// Where the corrected times of a CTF trace come from.
//
// Streams are visited one after another, each in program order.
// Units: cycles as the trace records them; GlobalTime in nanoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "syncline/time.h"

namespace syncline {

class CtfRetimer {
 public:
  virtual ~CtfRetimer() = default;
  // The stream whose times follow; `file` is the path of its (first) data file, as libbabeltrace2
  // names the stream.
  virtual void BeginStream(std::string_view file) = 0;
  // Events in a row, the first of them number `first` of the stream.
  virtual void Retime(uint64_t first, std::span<const uint64_t> cycles,
                      std::span<GlobalTime> corrected) = 0;
  // A time of the stream's clock that is no event: where a packet begins or ends.
  virtual GlobalTime Plain(uint64_t cycles) = 0;
};

}  // namespace syncline
