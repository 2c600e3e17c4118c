// The global definitions of an archive as they stand in its .def file.
//
// References are kept as OTF2's numbers; nothing is resolved or repaired, only repeated definitions
// are dropped: of several with one number the first counts. A group's number may stand for one
// group of each type, because eztrace numbers them so. Errors: what libotf2 cannot read. Counted:
// "repeated-definition" (info) where it says the same again, "contradicting-definition" (warning)
// where it says something else. Tested by: archive_test.cc, bad_input_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <otf2/otf2.h>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

namespace syncline {

struct Otf2ClockProperties {
  uint64_t ticks_per_second = 0;
  uint64_t global_offset = 0;
  uint64_t length = 0;
  uint64_t realtime_ns = OTF2_UNDEFINED_TIMESTAMP;  // at global_offset, since 1970
  friend bool operator==(const Otf2ClockProperties&, const Otf2ClockProperties&) = default;
};

struct Otf2TreeNode {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  friend bool operator==(const Otf2TreeNode&, const Otf2TreeNode&) = default;
};

struct Otf2LocationGroup {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  friend bool operator==(const Otf2LocationGroup&, const Otf2LocationGroup&) = default;
};

struct Otf2Location {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  uint64_t events = 0;  // as claimed
  OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;
  friend bool operator==(const Otf2Location&, const Otf2Location&) = default;
};

struct Otf2Group {
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  std::vector<uint64_t> members;
  friend bool operator==(const Otf2Group&, const Otf2Group&) = default;
};

struct Otf2Communicator {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
  std::optional<OTF2_GroupRef> remote_group;  // of an inter-communicator
  friend bool operator==(const Otf2Communicator&, const Otf2Communicator&) = default;
};

struct Otf2Definitions {
  std::optional<Otf2ClockProperties> clock;
  std::map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_SystemTreeNodeRef, Otf2TreeNode> nodes;
  std::set<OTF2_SystemTreeNodeRef> hosts;  // nodes whose domain is shared memory
  std::map<OTF2_LocationGroupRef, Otf2LocationGroup> location_groups;
  std::map<OTF2_LocationRef, Otf2Location> locations;
  std::vector<OTF2_LocationRef> location_order;  // as defined
  std::map<OTF2_RegionRef, OTF2_StringRef> regions;
  std::set<OTF2_RegionRef> thread_barriers;  // regions: OpenMP's, explicit and implicit
  std::map<std::pair<OTF2_GroupRef, OTF2_GroupType>, Otf2Group> groups;
  std::map<OTF2_CommRef, Otf2Communicator> communicators;
  Diagnostics diagnostics;

  // Empty where undefined.
  std::string String(OTF2_StringRef reference) const;
};

// `reader` must have read no definitions yet; `file` names it in errors.
Result<Otf2Definitions> ReadGlobalDefinitions(OTF2_Reader* reader, const std::string& file);

}  // namespace syncline
