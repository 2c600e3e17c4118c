// syncline clock characterize: what its command line asks for, running it, and what it says.
//
// Tested by: characterize_command_test.cc, characterization_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "cli/optional_output.h"
#include "live/character/characterization.h"

namespace CLI {
class App;
}

namespace syncline {

struct CharacterizeOptions : OutputOptions {
  ClockSource source = ClockSource::kCounter;
  ClockSource against = ClockSource::kRealtime;
  std::string peer;  // empty: a clock of this machine
  std::string key;
  uint32_t exchanges = 4;
  int64_t duration_ns = 10'000'000'000;
  std::optional<int64_t> interval_ns;
  std::string plot;
};

void DeclareCharacterizeOptions(CLI::App& command, CharacterizeOptions& options);

// Prints the figures and returns the exit code: 0; 3 where measurements are missing.
Result<int> RunCharacterize(const CharacterizeOptions& options);

std::string CharacterizationText(const ClockCharacterization& c);
// Holds at most 2000 samples, evenly chosen.
std::string CharacterizationJson(const ClockCharacterization& c);
// Empty where there is no character.
std::string CharacterizationPlot(const ClockCharacterization& c);

}  // namespace syncline
