#include "read/otf2/thread_teams.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/otf2/archive.h"
#include "read/otf2/testing/team_archive.h"
#include "read/otf2/testing/test_folder.h"

namespace syncline {
namespace {

using testing::ElementsAre;

constexpr uint32_t kTeam = 3;
constexpr uint32_t kInner = 4;

Otf2Record Thread(Otf2MarkType mark, uint32_t team = 0) {
  return {.communicator = team, .mark = mark};
}
Otf2Record Barrier(Otf2RecordKind kind) { return {.kind = kind}; }

// What each record is, in short: the team, "f", "j" or "b", "<" for a begin and ">" for an end,
// twice where it is alone, "*" for the root.
std::string PartOf(Otf2ThreadTeams& teams, const Otf2Record& record,
                   std::optional<uint32_t> next = std::nullopt) {
  const auto part = teams.PartOf(record, next);
  if (!part) return "-";
  const char what = part->name == kForkName ? 'f' : part->name == kJoinName ? 'j' : 'b';
  const std::string sign = part->kind == MpiKind::kCollectiveBegin ? "<"
                           : part->kind == MpiKind::kCollectiveEnd ? ">"
                           : part->kind == MpiKind::kBeginAlone    ? "<<"
                                                                   : ">>";
  return std::to_string(part->team) + what + sign + (part->is_root ? "*" : "");
}

TEST(Otf2ThreadTeams, TheForkingThreadHasBothEndsOfForkAndJoin) {
  Otf2ThreadTeams teams;
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kEnter)), "-");  // outside of any team
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kLeave)), "-");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadFork), kTeam), "3f<*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamBegin, kTeam)), "3f>*");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kEnter)), "3b<");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kLeave)), "3b>");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamEnd, kTeam)), "3j<*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadJoin)), "3j>*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadJoin)), "-");  // one too many
}

TEST(Otf2ThreadTeams, AMemberThatForksATeamOfItsOwnReturnsToTheOuterOne) {
  Otf2ThreadTeams teams;
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamBegin, kTeam)), "3f>>");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadFork), kInner), "4f<*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamBegin, kInner)), "4f>*");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kEnter)), "4b<");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kLeave)), "4b>");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamEnd, kInner)), "4j<*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadJoin)), "4j>*");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadFork)), "-");  // of a team that never began
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadJoin)), "-");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kEnter)), "3b<");
  EXPECT_EQ(PartOf(teams, Barrier(Otf2RecordKind::kLeave)), "3b>");
  EXPECT_EQ(PartOf(teams, Thread(Otf2MarkType::kThreadTeamEnd, kTeam)), "3j<<");
}

std::vector<Event> EventsOf(const Otf2Archive& archive, uint32_t process) {
  std::vector<Event> events;
  auto cursor = archive.OpenLocation(ProcessId(process));
  EXPECT_TRUE(cursor);
  while (const Event* event = cursor->Next()) events.push_back(*event);
  return events;
}

std::vector<EventKind> KindsOf(const std::vector<Event>& events) {
  std::vector<EventKind> kinds;
  for (size_t i = 0; i < events.size() / 2; ++i) {
    EXPECT_EQ(events[i].kind, events[i + events.size() / 2].kind);  // the second region
    kinds.push_back(events[i].kind);
  }
  return kinds;
}

TEST(Otf2Archive, TeamsOfThreadsWithClocksOfTheirOwnForkMeetAndJoin) {
  constexpr auto kBegin = EventKind::kCollectiveBegin;
  constexpr auto kEnd = EventKind::kCollectiveEnd;
  const TestFolder folder;
  const auto archive =
      Otf2Archive::Open(WriteTeamArchive(folder.path()), {.clock_per = ClockPer::kLocation});
  ASSERT_TRUE(archive) << archive.error().ToString();
  const std::vector<Event> first = EventsOf(*archive, 0);
  EXPECT_THAT(KindsOf(first), ElementsAre(kBegin, kEnd, kBegin, kEnd, kBegin, kEnd));
  EXPECT_THAT(KindsOf(EventsOf(*archive, 1)), ElementsAre(kEnd, kBegin, kEnd, kBegin));
  std::vector<std::string> names;
  for (size_t i = 0; i < 6; ++i) names.push_back(archive->names()[first[i].name]);
  EXPECT_THAT(names, ElementsAre("thread fork", "thread fork", "barrier", "barrier", "thread join",
                                 "thread join"));
  EXPECT_THAT(archive->traces().groups[first[0].group].members,
              ElementsAre(ProcessId(0), ProcessId(1), ProcessId(2)));
}

TEST(Otf2Archive, ThreadsOfOneClockSayNothingOfClocks) {
  const TestFolder folder;
  const auto archive = Otf2Archive::Open(WriteTeamArchive(folder.path()));
  ASSERT_TRUE(archive) << archive.error().ToString();
  const std::vector<EventKind> kinds = KindsOf(EventsOf(*archive, 0));
  EXPECT_THAT(kinds, ElementsAre(EventKind::kMark, EventKind::kMark, EventKind::kEnter,
                                 EventKind::kLeave, EventKind::kMark, EventKind::kMark));
  auto cursor = archive->OpenLocation(ProcessId(0));
  std::vector<uint64_t> times;
  cursor->TakePlain(times);
  EXPECT_EQ(times.size(), 12u);
  EXPECT_EQ(cursor->Next(), nullptr);
}

}  // namespace
}  // namespace syncline
