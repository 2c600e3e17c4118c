// syncline clock characterize: what its command line asks for, and running it.
//
// Tested by: characterize_command_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct CharacterizeOptions {
  std::string source = "counter";
  std::string against = "realtime";
  std::string peer;
  std::string key;
  std::string exchanges = "4";
  std::string duration = "10";
  std::string interval;
  std::string json;
  std::string plot;
  std::string config;
  bool quiet = false;
  bool force = false;
};

void DeclareCharacterizeOptions(CLI::App& command, CharacterizeOptions& options);

// Prints the figures and returns the exit code: 0; 3 where measurements are missing.
Result<int> RunCharacterize(const CharacterizeOptions& options);

}  // namespace syncline
