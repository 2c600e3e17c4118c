// The comments of texts, beside the declarations and events that they belong to.
//
// What stands behind a line belongs to it; lines of comment alone belong to the line below them. Of
// several texts that declare the same, the later ones' comments stand above it. Other inputs have
// none. Cost: reads each text once more. Memory: the comments. Errors: those of the reader.
// Requires: the inputs have not changed since they were loaded.
// Tested by: convert_command_test.cc.
#pragma once

#include "syncline/result.h"

#include "trace/load.h"
#include "write/exported_trace.h"

namespace syncline {

Result<ExportedComments> ReadTextComments(const LoadedTraces& loaded);

}  // namespace syncline
