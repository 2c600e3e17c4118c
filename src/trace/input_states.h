// Whether inputs are still what they were when a command began: it reads them more than once, and
// what it writes mixes both states otherwise.
//
// A state is the size, the time of the last change and the identity of every file of an input: of a
// folder or an archive all that its folder holds. Cost: one look at each file. Tested by:
// input_states_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "syncline/result.h"

#include "trace/inputs.h"

namespace syncline {

class InputStates {
 public:
  InputStates() = default;
  explicit InputStates(std::span<const Input> inputs);
  // Errors: kMalformed for the first file, by name, that is gone, is another one, or was changed.
  Result<void> CheckUnchanged() const;

 private:
  // Device, number, size, and seconds and nanoseconds of the last change.
  using State = std::tuple<uint64_t, uint64_t, int64_t, int64_t, int64_t>;
  std::map<std::string, State> states_;  // by file
};

}  // namespace syncline
