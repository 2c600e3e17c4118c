// Test only: an archive of two ranks, the first with a team of three threads whose clocks differ.
//
// Locations 7, 8 and 9 are threads 0, 1 and 2 of rank 0; 9 stands first in the group of all OpenMP
// locations, as numbers within it tell. Thread t's clock is ahead by 1000 · t. True times:
//   10 fork · team begins: 11, 13, 15 · barrier entered: 20, 21, 30, left: 31, 31, 32
//   team ends: 40, 45, 41 · 46 join; and once more, 100 later.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "read/otf2/testing/archive_builder.h"

namespace syncline {

inline constexpr uint32_t kTeamOfThree = 3;  // a communicator
inline constexpr int64_t kThreadAhead = 1000;

inline void WriteParallelRegion(OTF2_EvtWriter* w, uint64_t thread, uint64_t start) {
  constexpr OTF2_RegionRef kBarrier = 5;
  const uint64_t at = start + thread * static_cast<uint64_t>(kThreadAhead);
  const auto pick = [&](std::array<uint64_t, 3> times) { return at + times.at(thread); };
  if (thread == 0) OTF2_EvtWriter_ThreadFork(w, nullptr, at + 10, OTF2_PARADIGM_OPENMP, 3);
  OTF2_EvtWriter_ThreadTeamBegin(w, nullptr, pick({11, 13, 15}), kTeamOfThree);
  OTF2_EvtWriter_Enter(w, nullptr, pick({20, 21, 30}), kBarrier);
  OTF2_EvtWriter_Leave(w, nullptr, pick({31, 31, 32}), kBarrier);
  OTF2_EvtWriter_ThreadTeamEnd(w, nullptr, pick({40, 45, 41}), kTeamOfThree);
  if (thread == 0) OTF2_EvtWriter_ThreadJoin(w, nullptr, at + 46, OTF2_PARADIGM_OPENMP);
}

inline void DefineTeam(OTF2_GlobalDefWriter* w) {
  OTF2_GlobalDefWriter_WriteString(w, 100, "team");
  OTF2_GlobalDefWriter_WriteString(w, 101, "!$omp implicit barrier");
  OTF2_GlobalDefWriter_WriteRegion(w, 5, 101, 101, 0, OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                   OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, 0, 0, 0);
  const std::array<uint64_t, 3> locations = {9, 7, 8};
  const std::array<uint64_t, 3> threads = {1, 2, 0};
  OTF2_GlobalDefWriter_WriteGroup(w, 10, 100, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, 3, locations.data());
  OTF2_GlobalDefWriter_WriteGroup(w, 11, 100, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, 3, threads.data());
  OTF2_GlobalDefWriter_WriteComm(w, kTeamOfThree, 100, 11, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
}

inline std::string WriteTeamArchive(const std::string& folder) {
  BuiltArchive built{.definitions = &DefineTeam};
  for (uint64_t thread = 0; thread < 3; ++thread) {
    built.locations.push_back({.number = 7 + thread, .events = [thread](OTF2_EvtWriter* w) {
                                 WriteParallelRegion(w, thread, 0);
                                 WriteParallelRegion(w, thread, 100);
                               }});
  }
  built.locations.push_back({.number = 20, .group = 1});
  return WriteArchive(built, folder);
}

}  // namespace syncline
