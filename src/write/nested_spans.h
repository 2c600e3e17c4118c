// Which regions and collectives of a process can be drawn as bars: those that lie within one
// another.
//
// A begin and the end of the same name belong together; what was begun between them and has not
// ended, and ends without begin, are left out, so that bars never cross. Cost: O(events).
// Tested by: nested_spans_test.cc.
#pragma once

#include <vector>

#include "write/exported_trace.h"

namespace syncline {

// By event: whether it is the begin or the end of a bar.
std::vector<bool> FindNestedSpans(const ExportedProcess& process);
// The same among regions alone, where collectives may cross them.
std::vector<bool> FindNestedRegions(const ExportedProcess& process);

}  // namespace syncline
