// What the records of one location are in the collectives of its teams of threads.
//
// A team is forked by its first member: ThreadFork, then ThreadTeamBegin of the same team; each
// other member has its ThreadTeamBegin alone. At the end each has a ThreadTeamEnd, and the first a
// ThreadJoin after it. Teams nest. A barrier's region, entered and left, is of the innermost team.
// Cost: O(1) per record. Tested by: archive_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/mpi.h"

#include "read/otf2/event_stream.h"

namespace syncline {

struct Otf2TeamPart {
  uint32_t team = 0;  // OTF2's number of its communicator
  uint32_t name = 0;  // kForkName, kJoinName, kBarrierName
  MpiKind kind = MpiKind::kNone;
  bool is_root = false;  // it forks, and joins
};

class Otf2ThreadTeams {
 public:
  // Every thread record, and the enters and leaves of barriers, in their order. `next_team`: of the
  // ThreadTeamBegin that follows a ThreadFork.
  std::optional<Otf2TeamPart> PartOf(const Otf2Record& record, std::optional<uint32_t> next_team);

 private:
  bool IsForkedHere(uint32_t team) const { return !forks_.empty() && forks_.back() == team; }

  std::vector<std::optional<uint32_t>> forks_;  // not joined yet
  std::vector<uint32_t> teams_;                 // begun and not ended
  std::vector<uint32_t> barriers_;              // entered and not left: their teams
};

inline bool IsTeamRecord(const Otf2Record& record) {
  return record.kind == Otf2RecordKind::kMark &&
         (record.mark == Otf2MarkType::kThreadFork || record.mark == Otf2MarkType::kThreadJoin ||
          record.mark == Otf2MarkType::kThreadTeamBegin ||
          record.mark == Otf2MarkType::kThreadTeamEnd);
}

}  // namespace syncline
