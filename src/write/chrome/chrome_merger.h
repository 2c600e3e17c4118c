// Joins Chrome JSON files into one with corrected times, for a viewer that shows all at once.
//
// Processes of different files get pids of their own, counted from 1, and names that begin with the
// file's; ids of events keep apart those of different files where files count them for themselves.
// All else of an event is copied; what stands beside the events is not.
// Units: nanoseconds. Errors: those of the readers and of the output. Cost and memory: as
// chrome_rewriter.h, and a string per pid. Tested by: chrome_rewriter_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "read/chrome/chrome_reader.h"
#include "write/chrome/chrome_rewriter.h"

namespace syncline {

struct ChromeMergeInput {
  std::function<Result<ChromeReader>()> open;
  std::string name;
  std::map<std::string, std::string> process_names;  // by pid as written, without quotes
  bool has_own_ids = false;                          // the same id in another file is another one
  ChromeTimes times;                                 // base and decimals count for nothing
};

// `base_ns`: what the written times count from.
Result<void> MergeChrome(std::span<const ChromeMergeInput> inputs, int64_t base_ns, int decimals,
                         ByteSink output);

}  // namespace syncline
