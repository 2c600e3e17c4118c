// Chrome JSON as an archive for Perfetto: which constant offset each file gets.
//
// Such an archive says of each file one offset. So the correction of a clock must not change by
// more over its trace than its time is known: drift · duration stays within the bounds. Errors:
// kUsage for inputs that are no Chrome JSON, or hold several clocks; kNoCorrection where a constant
// does not do, or would put events before 0, where Perfetto drops them. Tested by:
// convert_command_test.cc, simulate_command_test.cc.
#pragma once

#include <vector>

#include "syncline/result.h"

#include "trace/load.h"
#include "write/exported_trace.h"
#include "write/perfetto/perfetto_bundle.h"

namespace syncline {

struct FileBundle {
  std::vector<BundledFile> files;
  size_t reference = 0;
};

Result<FileBundle> BundleFiles(const LoadedTraces& loaded, const ExportedTrace& trace);

}  // namespace syncline
