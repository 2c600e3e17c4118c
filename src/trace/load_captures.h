// Reads captures, several at a time, and matches their packets.
//
// Every capture is read twice: surveyed, then matched. Packets reach the matcher in an order that
// does not depend on the threads' timing, so results are the same to the last digit. Memory: the
// matcher's, and a few batches of packets per capture being read.
#pragma once

#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "trace/load.h"

namespace syncline {

// Defines a process and, by the input's name, a clock for each capture, and fills in what `loaded`
// holds of them. Messages go to `sink`.
Result<void> LoadCaptures(std::vector<LoadedInput*> captures, LoadedTraces& loaded,
                          MessageSink& sink, Progress& progress);

}  // namespace syncline
