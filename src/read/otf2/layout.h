// What the numbers in an archive's event records mean: definitions resolved to this project's ids.
//
// Ownership: immutable once made; the archive and its cursors share it.
// Errors: no location, no timer resolution. Counted: "location-without-group",
// "communicator-unusable" (warning): members that are no locations or are repeated; its operations
// become marks.
// Tested by: archive_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <otf2/otf2.h>

#include "syncline/clock.h"
#include "syncline/result.h"

#include "read/otf2/clock_offsets.h"
#include "read/otf2/definitions.h"

namespace syncline {

// Whose timestamps count as one clock's.
enum class ClockPer {
  kProcess,   // a location group
  kNode,      // a node of the system tree: a host
  kLocation,  // every location
};

struct Otf2CommunicatorUse {
  enum class Kind : uint8_t {
    kGroup,
    kSelf,
    kInter,
    kTeam,  // of threads that have clocks of their own
    kUnusable,
  };
  Kind kind = Kind::kUnusable;
  uint32_t group = 0;        // number in TraceSet::groups
  uint32_t first_group = 0;  // kInter: how many members belong to the first of the two groups
};

struct Otf2Layout {
  std::string anchor;  // path of the .otf2 file
  std::string folder;  // of the locations' files
  TraceSet traces;
  std::vector<std::string> names;
  Otf2ClockProperties clock;
  std::vector<OTF2_LocationRef> locations;  // by ProcessId
  std::vector<uint64_t> claimed_events;     // by ProcessId
  std::vector<uint64_t> ranks;              // by ProcessId: its location group or own number
  std::vector<Otf2ClockOffsets> offsets;    // by ProcessId
  // By ProcessId: whether events need the location's mapping tables, and whether there are local
  // definitions besides clock offsets.
  std::vector<uint8_t> is_mapped;
  std::vector<uint8_t> has_other_definitions;
  absl::flat_hash_map<uint32_t, uint32_t> regions;  // OTF2's number to the number in names
  absl::flat_hash_map<uint32_t, Otf2CommunicatorUse> communicators;  // by OTF2's number
  // Whether a team of threads has several clocks, and OTF2's numbers of the barriers' regions then.
  bool has_teams = false;
  absl::flat_hash_set<uint32_t> thread_barriers;

  std::string FileOf(OTF2_LocationRef location, const char* suffix) const;
};

// The ticks to add to a reading so that it counts from 1970, or 0 where the archive does not tell.
int64_t EpochOffsetTicks(const Otf2ClockProperties& clock);

// `definitions.diagnostics` gets what is found.
Result<Otf2Layout> MakeLayout(Otf2Definitions& definitions, std::string anchor, ClockPer clock_per);

}  // namespace syncline
