// A clock measured over time: what was measured, how, and what it is like.
//
// Units: nanoseconds; drift in ppm. Sign: offset = clock − reference. Errors: kUnsupported where
// the counter cannot be read; kUnreadable where the peer does not answer. Tested by:
// src/cli/clock/characterization_test.cc, characterize_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "live/character/character.h"
#include "live/character/local_meter.h"
#include "live/character/peer_meter.h"
#include "record/counter/frequency.h"

namespace syncline {

struct ClockCharacterization {
  std::string clock;
  std::string reference;
  std::optional<Frequency> frequency;    // that the counter's ticks were turned into time with
  std::optional<Resolution> resolution;  // of clocks of this machine
  int64_t wanted_interval_ns = 0;
  Measurement measurement;
  std::optional<Character> character;  // of at least three samples

  // In words, what the figures suffer from. Empty: nothing.
  std::vector<std::string> Weaknesses() const;
};

// Of a clock of this machine against another one. The counter's frequency is measured before.
Result<ClockCharacterization> CharacterizeLocal(ClockSource source, ClockSource against,
                                                const Pace& pace);
// Of the system's clock of a host that serves exchanges, against this machine's. Each measurement
// takes so many exchanges. `name` is what the host is called.
Result<ClockCharacterization> CharacterizePeer(const std::string& name, ExchangeClient client,
                                               uint32_t exchanges, const Pace& pace);

}  // namespace syncline
