#include "read/otf2/thread_teams.h"

namespace syncline {

std::optional<Otf2TeamPart> Otf2ThreadTeams::PartOf(const Otf2Record& record,
                                                    std::optional<uint32_t> next_team) {
  if (record.kind == Otf2RecordKind::kEnter) {
    if (teams_.empty()) return std::nullopt;
    barriers_.push_back(teams_.back());
    return Otf2TeamPart{teams_.back(), kBarrierName, MpiKind::kCollectiveBegin, false};
  }
  if (record.kind == Otf2RecordKind::kLeave) {
    if (barriers_.empty()) return std::nullopt;
    const uint32_t team = barriers_.back();
    barriers_.pop_back();
    return Otf2TeamPart{team, kBarrierName, MpiKind::kCollectiveEnd, false};
  }
  const uint32_t team = record.communicator;
  const bool is_root = IsForkedHere(team);
  switch (record.mark) {
    case Otf2MarkType::kThreadFork:
      forks_.push_back(next_team);
      if (!next_team) return std::nullopt;
      return Otf2TeamPart{*next_team, kForkName, MpiKind::kCollectiveBegin, true};
    case Otf2MarkType::kThreadTeamBegin:
      teams_.push_back(team);
      return Otf2TeamPart{team, kForkName, is_root ? MpiKind::kCollectiveEnd : MpiKind::kEndAlone,
                          is_root};
    case Otf2MarkType::kThreadTeamEnd:
      if (!teams_.empty() && teams_.back() == team) teams_.pop_back();
      return Otf2TeamPart{team, kJoinName,
                          is_root ? MpiKind::kCollectiveBegin : MpiKind::kBeginAlone, is_root};
    case Otf2MarkType::kThreadJoin: {
      if (forks_.empty()) return std::nullopt;
      const std::optional<uint32_t> joined = forks_.back();
      forks_.pop_back();
      if (!joined) return std::nullopt;
      return Otf2TeamPart{*joined, kJoinName, MpiKind::kCollectiveEnd, true};
    }
    default: return std::nullopt;
  }
}

}  // namespace syncline
