// Which collectives of an exported trace OTF2 can say, and as what.
//
// OTF2 gives instances no names: the n-th of each member of a communicator belong together. So an
// instance must be whole: every member of a group that is defined begins and ends it once, as the
// same kind, which OTF2 knows, and at most one is the root; and all members must have begun the
// whole instances of a group in the same order, else none of them can be said. A part whose end
// does not follow on its begin is a non-blocking one.
// Cost: O(events). Memory: 100 bytes per part. Tested by: exported_archive_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <otf2/otf2.h>

#include "write/exported_trace.h"

namespace syncline::otf2_write {

struct ExportedPart {
  OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
  uint32_t group = 0;                     // in TraceSet::groups
  uint32_t root = OTF2_UNDEFINED_UINT32;  // a rank
  uint64_t begin = 0;                     // in ExportedProcess::events
  uint64_t sent = 0;                      // bytes
  bool is_blocking = false;
};

// By begin and by end, where it can be said what they are part of.
using ExportedParts = absl::flat_hash_map<uint64_t, ExportedPart>;
// By process.
std::vector<ExportedParts> FindExportedParts(const ExportedTrace& trace);

}  // namespace syncline::otf2_write
