// What is said where a command line was not understood: which word, and what may have been meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/command_model.h"

namespace syncline {

// `words` are those behind the program's name, `problem` what the parser said of them. Lines, each
// ending in a line break. Unknown commands and options come first, whatever the parser found.
std::string UsageError(const CommandModel& program, const std::vector<std::string>& words,
                       std::string_view problem);

// How many letters are to be inserted, removed, replaced or swapped with their neighbour.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace syncline
