// Every method of estimation on the same messages, side by side (docs/compare.md).
//
// Units and threads as estimate.h; but memory is measured for the whole process, so that of several
// comparisons at once only these figures are wrong.
#pragma once

#include <string>

#include "syncline/estimate.h"
#include "syncline/export.h"
#include "syncline/result.h"
#include "syncline/traces.h"

namespace syncline {

struct Compared {
  std::string json = {};  // docs/compare.schema.json
  std::string text = {};  // what `syncline compare` prints
  bool holds = false;     // all guarantees of a method do: what exit code 0 says of the program
};

// `methods`: names with commas between them, as --methods takes them. The method of `options` does
// not count. Errors: kUsage for options and names; storage that fails; kCancelled.
SYNCLINE_EXPORT Result<Compared> Compare(const Traces& traces, const EstimateOptions& options = {},
                                         const std::string& methods = "all",
                                         const ProgressCallback& progress = {});

}  // namespace syncline
