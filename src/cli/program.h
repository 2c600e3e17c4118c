// The whole program: parses the command line and runs one subcommand.
#pragma once

#include <span>

namespace syncline {

// As main() gets them. Returns the exit code.
int RunProgram(std::span<char*> arguments);

}  // namespace syncline
