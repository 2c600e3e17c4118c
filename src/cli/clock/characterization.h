// What `syncline clock characterize` has measured, as plain values, as text, as JSON and as a plot.
//
// Units: nanoseconds; drift in ppm. Sign: offset = clock − reference. Tested by:
// characterization_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/character/character.h"
#include "live/character/local_meter.h"
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

std::string CharacterizationText(const ClockCharacterization& c);
// Holds at most 2000 samples, evenly chosen.
std::string CharacterizationJson(const ClockCharacterization& c);
// Empty where there is no character.
std::string CharacterizationPlot(const ClockCharacterization& c);

}  // namespace syncline
