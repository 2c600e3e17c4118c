// `syncline concurrency` of teams of threads.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"
#include "read/otf2/testing/team_archive.h"

namespace syncline {
namespace {

using TeamConcurrency = CommandTest;

TEST_F(TeamConcurrency, ThreadsWaitForForksBarriersAndTheJoinsRoot) {
  const auto json = Summary("concurrency " + WriteTeamArchive(At("team")), 0);
  const auto& processes = json["processes"];
  ASSERT_EQ(processes[0]["name"], "7");
  // Until the barrier, from it to the join; to the next fork and barrier; to the end.
  EXPECT_EQ(processes[0]["computed_ns"], (20 - 10) + (40 - 31) + (120 - 46) + (140 - 131));
  EXPECT_EQ(processes[0]["delayed_ns"], 2 * ((31 - 20) + (46 - 40)));
  EXPECT_EQ(processes[1]["computed_ns"], 2 * ((21 - 13) + (45 - 31)));
  EXPECT_EQ(processes[1]["delayed_ns"], 2 * (31 - 21) + (113 - 45));
  EXPECT_EQ(processes[2]["computed_ns"], 2 * ((30 - 15) + (41 - 32)));
  EXPECT_EQ(processes[2]["delayed_ns"], 2 * (32 - 30) + (115 - 41));
  // Thread 2 is the last in the barriers, thread 1 at the joins; between them thread 0 computes.
  const int parallel = (30 - 15) + (45 - 31);
  EXPECT_EQ(json["computation"]["height_ns"], parallel + (110 - 46) + parallel);
  // Ends of forks, barriers and joins.
  EXPECT_EQ(json["computation"]["collective_ends"], 2 * (3 + 3 + 1));
}

TEST_F(TeamConcurrency, IsNotSeenWhereThreadsShareAClock) {
  const auto json =
      Summary("concurrency " + WriteTeamArchive(At("team")) + " --clock-per process", 0);
  EXPECT_EQ(json["computation"]["collective_ends"], 0);
}

}  // namespace
}  // namespace syncline
