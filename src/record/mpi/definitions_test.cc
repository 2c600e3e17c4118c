#include "record/mpi/definitions.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline::mpi {
namespace {

using testing::ElementsAre;

RankDefinitions Sample() {
  return {.rank = 1,
          .ranks = 3,
          .host = "node7",
          .clock = "monotonic",
          .times = {{.ticks = 10, .epoch_ns = 1'700'000'000'000'000'000, .steady_ns = 5}},
          .offsets = {{.ticks = 100, .added = -25, .uncertainty = 3}},
          .threads = {{.events = 4, .first = 11, .last = 90}},
          .communicators = {{.number = 0, .key = 77, .name = "MPI_COMM_WORLD"},
                            {.number = 1, .key = 78, .name = "pair", .members = {1, 2}},
                            {.number = 2, .key = 79, .name = "x", .members = {1}, .remote = {2}}}};
}

std::string TextOf(const RankDefinitions& process) {
  std::string text = FirstLines(process);
  for (const auto& point : process.times) text += LineOf(point);
  for (const auto& point : process.offsets) text += LineOf(point);
  for (const auto& thread : process.threads) text += LineOf(thread);
  for (const auto& communicator : process.communicators) text += LineOf(communicator);
  return text;
}

TEST(Definitions, AreReadAsTheyWereWritten) {
  const auto parsed = ParseDefinitions(TextOf(Sample()), "file");
  ASSERT_TRUE(parsed) << parsed.error().ToString();
  EXPECT_EQ(*parsed, Sample());
}

TEST(Definitions, ALineThatWasCutOffIsIgnored) {
  const auto parsed = ParseDefinitions(TextOf(Sample()) + "offset 12", "file");
  ASSERT_TRUE(parsed) << parsed.error().ToString();
  EXPECT_EQ(*parsed, Sample());
}

TEST(Definitions, NameTheLineThatMakesNoSense) {
  EXPECT_EQ(ParseDefinitions("rank 0 1\nnonsense\n", "file").error().ToString(),
            "file:2:1: a line that the recorder does not write");
  EXPECT_EQ(ParseDefinitions("rank 0 1\n", "file").error().message,
            "ends before the recording began");
  EXPECT_FALSE(ParseDefinitions("rank 3 3\ntime 1 1 1\n", "file"));
}

TEST(GlobalCommunicators, MeanTheSameForAllMembers) {
  // World (key 1) is number 0 of both; the pair (key 2) is number 1 of rank 0, and 2 of rank 1,
  // which has one of its own before it that nobody lists (key 3).
  RankDefinitions first{.rank = 0, .ranks = 2};
  first.communicators = {{.number = 0, .key = 1, .name = "w", .members = {0, 1}},
                         {.number = 1, .key = 2, .name = "p", .members = {1, 0}}};
  RankDefinitions second{.rank = 1, .ranks = 2};
  second.communicators = {{.number = 0, .key = 1, .name = "w"},
                          {.number = 1, .key = 3, .name = "?"},
                          {.number = 2, .key = 2, .name = "p"}};
  const std::array processes = {first, second};
  const GlobalCommunicators global = Unify(processes);
  ASSERT_EQ(global.all.size(), 2U);
  EXPECT_THAT(global.all[1].members, ElementsAre(1, 0));
  EXPECT_THAT(global.numbers[0], ElementsAre(0, 1));
  EXPECT_THAT(global.numbers[1], ElementsAre(0, GlobalCommunicators::kUnknown, 1));
}

TEST(CommunicatorKeys, DependOnMembersTheirOrderAndHowOftenTheyCame) {
  const std::array<uint32_t, 2> members = {1, 2};
  const std::array<uint32_t, 2> turned = {2, 1};
  constexpr uint64_t kNone = CommunicatorKeys::kNoOrigin;
  CommunicatorKeys one;
  CommunicatorKeys other;
  const uint64_t first = one.Next(kNone, members, {});
  const uint64_t second = one.Next(kNone, members, {});
  EXPECT_NE(first, second);
  EXPECT_NE(first, one.Next(kNone, turned, {}));
  EXPECT_NE(one.Next(kNone, std::array<uint32_t, 1>{1}, std::array<uint32_t, 1>{2}), first);
  // Another process that made others in between comes to the same keys.
  other.Next(kNone, turned, {});
  EXPECT_EQ(other.Next(kNone, members, {}), first);
  EXPECT_EQ(other.Next(kNone, members, {}), second);
}

TEST(CommunicatorKeys, OfChildrenDoNotDependOnTheOrderAmongParents) {
  // Two parents, a child of each: made in either order by two processes.
  constexpr uint64_t kOneParent = 10;
  constexpr uint64_t kOtherParent = 20;
  const std::array<uint32_t, 2> members = {0, 1};
  CommunicatorKeys one;
  CommunicatorKeys other;
  const uint64_t of_first = one.Next(OriginOfChild(kOneParent, 0), members, {});
  const uint64_t of_second = one.Next(OriginOfChild(kOtherParent, 0), members, {});
  EXPECT_NE(of_first, of_second);
  EXPECT_EQ(other.Next(OriginOfChild(kOtherParent, 0), members, {}), of_second);
  EXPECT_EQ(other.Next(OriginOfChild(kOneParent, 0), members, {}), of_first);
  EXPECT_NE(one.Next(OriginOfChild(kOneParent, 1), members, {}), of_first);
  // A group's are told by their tags, and by their number where these are the same.
  const uint64_t tagged = one.Next(OriginOfGroup(kOneParent, 3), members, {});
  EXPECT_NE(one.Next(OriginOfGroup(kOneParent, 4), members, {}), tagged);
  EXPECT_NE(one.Next(OriginOfGroup(kOneParent, 3), members, {}), tagged);
  EXPECT_EQ(other.Next(OriginOfGroup(kOneParent, 3), members, {}), tagged);
}

}  // namespace
}  // namespace syncline::mpi
