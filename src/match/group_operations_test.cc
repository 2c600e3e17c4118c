#include "match/group_operations.h"

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

GroupOperation Named(uint32_t member, std::string_view instance,
                     std::string_view kind = "allreduce") {
  return {.member = member, .kind = kind, .group = "g", .instance = instance};
}
GroupOperation Numbered(uint32_t member, int64_t sequence, std::string_view kind = "allreduce") {
  return {.member = member, .kind = kind, .group = "g", .sequence = sequence};
}
GroupOperation Ordered(uint32_t member, std::string_view kind, std::string_view size = "") {
  return {.member = member, .kind = kind, .group = "g", .size = size};
}
GroupOperation Transfer(uint32_t member, std::string_view kind, int64_t from, int64_t to,
                        std::optional<int64_t> sequence = {}, std::string_view size = "") {
  return {.member = member,
          .kind = kind,
          .group = "g",
          .sequence = sequence,
          .size = size,
          .from = from,
          .to = to};
}

MatchedOperations Match(const std::vector<GroupOperation>& operations) {
  return MatchGroupOperations(operations);
}

TEST(GroupOperations, NamesOfInstancesCountMoreThanNumbers) {
  auto first = Named(0, "x");
  first.sequence = 1;
  auto second = Named(1, "x");
  second.sequence = 2;
  EXPECT_THAT(Match({first, second}).collectives, ElementsAre(ElementsAre(0, 1)));
}

TEST(GroupOperations, NumbersWithinAGroupAreOneOperation) {
  const auto matched =
      Match({Numbered(0, 1), Numbered(0, 2), Numbered(1, 2), Numbered(1, 3), Numbered(2, 2)});
  EXPECT_THAT(matched.collectives, ElementsAre(ElementsAre(1, 2, 4)));
  EXPECT_EQ(matched.unmatched_collectives, 2U);
  EXPECT_EQ(matched.by_order, 0U);
}

TEST(GroupOperations, KindsOrSizesThatDifferAreInDoubt) {
  EXPECT_EQ(Match({Numbered(0, 1), Numbered(1, 1, "allgather")}).ambiguous, 2U);
  auto a = Numbered(0, 1);
  auto b = Numbered(1, 1);
  a.size = "10";
  b.size = "20";
  EXPECT_EQ(Match({a, b}).ambiguous, 2U);
  // Members of these may give and take different amounts.
  a.kind = b.kind = "alltoall";
  EXPECT_EQ(Match({a, b}).collectives.size(), 1U);
}

TEST(GroupOperations, ARepeatedNumberIsTakenInOrderOnlyWhereAllRepeatIt) {
  const auto matched = Match({Numbered(0, 1), Numbered(0, 1), Numbered(1, 1), Numbered(1, 1)});
  EXPECT_THAT(matched.collectives, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_EQ(matched.by_order, 2U);
  EXPECT_EQ(Match({Numbered(0, 1), Numbered(0, 1), Numbered(1, 1)}).ambiguous, 3U);
}

TEST(GroupOperations, WithoutNumbersOrderCountsWhereItAgrees) {
  const auto matched = Match({Ordered(0, "allreduce"), Ordered(0, "alltoall"),
                              Ordered(1, "allreduce"), Ordered(1, "alltoall")});
  EXPECT_THAT(matched.collectives, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_EQ(matched.by_order, 2U);
}

// The second one's window begins an operation later.
TEST(GroupOperations, AMemberThatLacksSomeIsShiftedWhereOnlyOneShiftAgrees) {
  const auto matched = Match({Ordered(0, "allreduce", "1"), Ordered(0, "allreduce", "2"),
                              Ordered(0, "allreduce", "3"), Ordered(1, "allreduce", "2"),
                              Ordered(1, "allreduce", "3")});
  EXPECT_THAT(matched.collectives, ElementsAre(ElementsAre(1, 3), ElementsAre(2, 4)));
  EXPECT_EQ(matched.unmatched_collectives, 1U);
  // All alike: any shift would do.
  const auto doubtful = Match({Ordered(0, "barrier"), Ordered(0, "barrier"), Ordered(0, "barrier"),
                               Ordered(1, "barrier"), Ordered(1, "barrier")});
  EXPECT_THAT(doubtful.collectives, IsEmpty());
  EXPECT_EQ(doubtful.ambiguous, 5U);
}

TEST(GroupOperations, ASendBelongsToTheReceiveOfItsNumber) {
  const auto matched = Match({Transfer(0, "send", 0, 1, 7), Transfer(1, "recv", 0, 1, 7),
                              Transfer(1, "send", 1, 0, 7), Transfer(0, "recv", 1, 0, 8)});
  ASSERT_EQ(matched.transfers.size(), 1U);
  EXPECT_EQ(matched.transfers[0].send, 0U);
  EXPECT_EQ(matched.transfers[0].receive, 1U);
  EXPECT_EQ(matched.unmatched_sends, 1U);
  EXPECT_EQ(matched.unmatched_receives, 1U);
}

TEST(GroupOperations, TransfersWithoutNumbersGoInOrderOfTheirPair) {
  const auto matched =
      Match({Transfer(0, "send", 0, 1, {}, "5"), Transfer(0, "send", 0, 1, {}, "6"),
             Transfer(1, "recv", 0, 1, {}, "5"), Transfer(1, "recv", 0, 1, {}, "6")});
  EXPECT_EQ(matched.transfers.size(), 2U);
  EXPECT_EQ(matched.by_order, 2U);
  EXPECT_EQ(Match({Transfer(0, "send", 0, 1), Transfer(0, "send", 0, 1), Transfer(1, "recv", 0, 1)})
                .ambiguous,
            3U);
  EXPECT_EQ(
      Match({Transfer(0, "send", 0, 1, {}, "5"), Transfer(1, "recv", 0, 1, {}, "6")}).ambiguous,
      2U);
}

TEST(GroupOperations, AMemberAloneHasNoPartner) {
  EXPECT_EQ(Match({Numbered(0, 1)}).unmatched_collectives, 1U);
  EXPECT_EQ(Match({}).collectives.size(), 0U);
}

}  // namespace
}  // namespace syncline
