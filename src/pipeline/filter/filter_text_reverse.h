// The logical clock on a text trace against the direction of time: the last event comes first.
//
// The same algorithm on times with the opposite sign: sends and receives, and begins and ends of
// collectives, change places, and groups have the opposite rank order. A broadcast becomes one
// receive per receiver, all at its time; it comes out once. So events are moved back in time, and
// never forward. Declarations, comments and empty lines come first, in their order.
// Units: nanoseconds; times come out with their own sign. Errors: as FilterText's; nothing is put
// out of a trace that ends with an error.
// Memory: all events up to the start, about 70 bytes each and their lines.
// Method: Rabenseifner 2000, 7.2. Tested by: filter_reverse_test.cc.
#pragma once

#include "syncline/result.h"

#include "base/file.h"
#include "base/progress.h"
#include "pipeline/filter/filter_delays.h"
#include "pipeline/filter/filter_output.h"
#include "pipeline/filter/filter_text.h"

namespace syncline {

// Requires: delays of TimeDirection::kReverse. With options.start_ns later events are left out;
// events are numbered in the order of the output.
Result<FilterOutcome> FilterReverse(const TextFilterOptions& options, FilterDelays& delays,
                                    FilterOutput output, Progress& progress, InputFile input);

}  // namespace syncline
