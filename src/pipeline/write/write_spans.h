// Writes a file of spans again with corrected times.
//
// Lanes are corrected one after the other, each in program order, then the file is copied. Memory:
// 8 bytes per time of the file. Tested by: spans_command_test.cc.
#pragma once

#include "syncline/result.h"

#include "base/file.h"
#include "estimate/group.h"
#include "measure/retiming.h"
#include "measure/truth.h"
#include "pipeline/correct/process_retimer.h"
#include "trace/load.h"

namespace syncline {

// Does not commit `output`. `truth` may be null.
Result<ProcessRetimer::Figures> WriteSpans(const LoadedTraces& loaded, const LoadedInput& input,
                                           const GroupEstimate& estimate, const Retiming& retiming,
                                           const Truth* truth, OutputFile& output);

}  // namespace syncline
