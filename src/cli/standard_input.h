// Standard input as a file, for commands that read their inputs more than once.
//
// Text is left where it is, to be read as it comes. All else, and what is compressed, is copied to
// a file without a name in TMPDIR, which takes the place of standard input and is called
// /dev/stdin. Errors: those of both. Cost: as much disk as there is input. Threads: none may read
// standard input meanwhile. Tested by: spans_command_test.cc, compare_command_test.cc.
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

namespace syncline {

// Changes those of `inputs` ("-", NAME=-) that are standard input.
Result<void> KeepStandardInput(std::vector<std::string>& inputs);

}  // namespace syncline
