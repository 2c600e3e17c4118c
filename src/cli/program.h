// The whole program: parses the command line and runs one subcommand.
#pragma once

#include <exception>
#include <span>
#include <string>

namespace syncline {

// What main() begins with: whatever is opened is not a standard stream, and a file that may not
// grow any more is an error to be said, as a full disk is.
void PrepareProcess();
// As main() gets them. Returns the exit code. Errors: exceptions of the standard library, as when
// there is no memory left.
int RunProgram(std::span<char*> arguments);
// What to say of such an exception.
std::string WordsOf(const std::exception& error);

}  // namespace syncline
