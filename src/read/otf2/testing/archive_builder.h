// Writes small archives for tests, with the official library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <otf2/otf2.h>

namespace syncline {

struct BuiltLocation {
  uint64_t number = 0;
  std::function<void(OTF2_EvtWriter*)> events = {};
  std::function<void(OTF2_DefWriter*)> definitions = {};
  uint32_t group = 0;
  uint64_t claimed_events = UINT64_MAX;  // UINT64_MAX: the true number
};

// Beside what is given, an archive has a communicator 0 of all locations, the regions 0 "work" and
// 1 "MPI_Recv", a machine "cluster" with the nodes "node0" and "node1" (hosts), and a location
// group for every number that a location names; group g belongs to node g / 2.
struct BuiltArchive {
  std::vector<BuiltLocation> locations;
  uint64_t ticks_per_second = 1'000'000'000;
  uint64_t global_offset = 0;
  uint64_t realtime_ns = OTF2_UNDEFINED_TIMESTAMP;
  // Further global definitions; strings from 100 on are free.
  std::function<void(OTF2_GlobalDefWriter*)> definitions = {};
};

namespace otf2_test {

inline OTF2_FlushType OnPreFlush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*l*/,
                                 void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}
inline OTF2_TimeStamp OnPostFlush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*l*/) {
  return 0;
}

inline void WriteGlobalDefinitions(const BuiltArchive& built, const std::vector<uint64_t>& counts,
                                   OTF2_GlobalDefWriter* w) {
  OTF2_GlobalDefWriter_WriteClockProperties(w, built.ticks_per_second, built.global_offset, 1000,
                                            built.realtime_ns);
  const std::vector<std::string> strings = {"",      "work",  "MPI_Recv", "cluster",
                                            "node0", "node1", "world"};
  for (uint32_t i = 0; i < strings.size(); ++i)
    OTF2_GlobalDefWriter_WriteString(w, i, strings[i].c_str());
  for (uint32_t r = 0; r < 2; ++r) {
    OTF2_GlobalDefWriter_WriteRegion(w, r, 1 + r, 1 + r, 0, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
  }
  OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 3, 3, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t n = 0; n < 2; ++n) {
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 1 + n, 4 + n, 4 + n, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, 1 + n, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
  }
  std::vector<uint64_t> numbers;
  std::vector<bool> known(64);
  for (size_t i = 0; i < built.locations.size(); ++i) {
    const BuiltLocation& location = built.locations[i];
    const uint32_t g = location.group;
    if (!known[g]) {
      known[g] = true;
      OTF2_GlobalDefWriter_WriteString(w, 10 + g, ("rank" + std::to_string(g)).c_str());
      OTF2_GlobalDefWriter_WriteLocationGroup(w, g, 10 + g, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                              1 + g / 2, OTF2_UNDEFINED_LOCATION_GROUP);
      numbers.push_back(location.number);
    }
    const auto name = static_cast<uint32_t>(50 + i);
    OTF2_GlobalDefWriter_WriteString(w, name, ("thread" + std::to_string(location.number)).c_str());
    OTF2_GlobalDefWriter_WriteLocation(
        w, location.number, name, OTF2_LOCATION_TYPE_CPU_THREAD,
        location.claimed_events == UINT64_MAX ? counts[i] : location.claimed_events, g);
  }
  std::vector<uint64_t> ranks(numbers.size());
  for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = i;
  const auto size = static_cast<uint32_t>(numbers.size());
  OTF2_GlobalDefWriter_WriteGroup(w, 0, 6, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, size, numbers.data());
  OTF2_GlobalDefWriter_WriteGroup(w, 1, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, size, ranks.data());
  OTF2_GlobalDefWriter_WriteComm(w, 0, 6, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  if (built.definitions) built.definitions(w);
}

}  // namespace otf2_test

// Writes FOLDER/traces.otf2 and returns its path.
inline std::string WriteArchive(const BuiltArchive& built, const std::string& folder) {
  OTF2_Archive* archive = OTF2_Archive_Open(
      folder.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  static const OTF2_FlushCallbacks kFlush = {&otf2_test::OnPreFlush, &otf2_test::OnPostFlush};
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  std::vector<uint64_t> counts;
  for (const BuiltLocation& location : built.locations) {
    OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter(archive, location.number);
    if (location.events) location.events(events);
    uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(events, &count);
    counts.push_back(count);
    OTF2_Archive_CloseEvtWriter(archive, events);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (const BuiltLocation& location : built.locations) {
    OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive, location.number);
    if (location.definitions) location.definitions(definitions);
    OTF2_Archive_CloseDefWriter(archive, definitions);
  }
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
  otf2_test::WriteGlobalDefinitions(built, counts, global);
  OTF2_Archive_CloseGlobalDefWriter(archive, global);
  OTF2_Archive_Close(archive);
  return folder + "/traces.otf2";
}

}  // namespace syncline
