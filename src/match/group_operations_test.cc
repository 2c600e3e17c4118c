#include "match/group_operations.h"

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

GroupOperation Named(uint32_t member, std::string_view instance,
                     std::string_view kind = "allreduce") {
  return {.member = member, .kind = kind, .group = "g", .instance = TextKey(instance)};
}
GroupOperation Numbered(uint32_t member, int64_t sequence, std::string_view kind = "allreduce") {
  return {.member = member, .kind = kind, .group = "g", .sequence = sequence};
}
GroupOperation Ordered(uint32_t member, std::string_view kind, std::string_view size = "") {
  return {.member = member, .kind = kind, .group = "g", .size = TextKey(size).Digest()};
}
GroupOperation Transfer(uint32_t member, std::string_view kind, int64_t from, int64_t to,
                        std::optional<int64_t> sequence = {}, std::string_view size = "") {
  return {.member = member,
          .kind = kind,
          .group = "g",
          .sequence = sequence,
          .size = TextKey(size).Digest(),
          .from = from,
          .to = to};
}

// The numbers of operations that belong together.
struct Matches : MatchedOperations {
  struct Transfer {
    uint64_t send = 0, receive = 0;
  };
  std::vector<std::vector<uint64_t>> collectives;
  std::vector<Transfer> transfers;
};

Matches Match(const std::vector<GroupOperation>& operations, size_t memory_bytes = 1 << 20) {
  GroupOperations matching(memory_bytes);
  for (size_t i = 0; i < operations.size(); ++i) {
    GroupOperation operation = operations[i];
    operation.index = i;
    EXPECT_TRUE(matching.Add(operation));
  }
  Matches matches;
  const auto on_collective = [&](std::span<const GroupOperation> members) -> Result<void> {
    std::vector<uint64_t>& collective = matches.collectives.emplace_back();
    for (const GroupOperation& o : members) collective.push_back(o.index);
    return {};
  };
  const auto on_transfer = [&](const GroupOperation& send,
                               const GroupOperation& receive) -> Result<void> {
    matches.transfers.push_back({send.index, receive.index});
    return {};
  };
  static_cast<MatchedOperations&>(matches) = *matching.Match(on_collective, on_transfer);
  return matches;
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
  a.size = TextKey("10").Digest();
  b.size = TextKey("20").Digest();
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

// All members recorded three, the second one of which yields nothing for some.
TEST(GroupOperations, WhatYieldsNothingCountsForOrder) {
  std::vector<GroupOperation> operations;
  for (uint32_t member = 0; member < 4; ++member) {
    operations.push_back(Ordered(member, "bcast"));
    operations.push_back(Ordered(member, "alltoall"));
    operations.back().only_orders = member < 2;
    operations.push_back(Ordered(member, "alltoall"));
  }
  const auto matched = Match(operations);
  EXPECT_THAT(matched.collectives,
              ElementsAre(ElementsAre(0, 3, 6, 9), ElementsAre(7, 10), ElementsAre(2, 5, 8, 11)));
  EXPECT_EQ(matched.by_order, 3U);
  EXPECT_EQ(matched.unmatched_collectives, 0U);
  for (GroupOperation& o : operations) o.only_orders = true;
  operations.pop_back();
  const auto nothing = Match(operations);
  EXPECT_THAT(nothing.collectives, IsEmpty());
  EXPECT_EQ(nothing.by_order + nothing.ambiguous + nothing.unmatched_collectives, 0U);
}

// Member 0 sends twice and receives, 1 receives once before the second one and sends: each counts
// its own.
TEST(GroupOperations, NumbersOfTransfersAreEachMembersOwn) {
  const auto matched = Match({Transfer(0, "send", 0, 1, 1), Transfer(0, "send", 0, 1, 2),
                              Transfer(0, "recv", 1, 0, 3), Transfer(1, "send", 1, 0, 1),
                              Transfer(1, "recv", 0, 1, 2), Transfer(1, "recv", 0, 1, 3)});
  ASSERT_EQ(matched.transfers.size(), 3U);
  EXPECT_EQ(matched.transfers[0].send, 0U);
  EXPECT_EQ(matched.transfers[0].receive, 4U);
  EXPECT_EQ(matched.transfers[1].send, 1U);
  EXPECT_EQ(matched.transfers[1].receive, 5U);
  EXPECT_EQ(matched.transfers[2].send, 3U);
  EXPECT_EQ(matched.transfers[2].receive, 2U);
  EXPECT_EQ(matched.by_order, 3U);
}

TEST(GroupOperations, TransfersGoInOrderOfTheirPair) {
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

TEST(GroupOperations, BegunEarlierComesFirst) {
  auto late = Ordered(0, "allreduce");
  late.begin = {7};
  EXPECT_THAT(
      Match({late, Ordered(0, "bcast"), Ordered(1, "bcast"), Ordered(1, "allreduce")}).collectives,
      ElementsAre(ElementsAre(1, 2), ElementsAre(0, 3)));
}

TEST(GroupOperations, NamesAreInOrderAsTexts) {
  EXPECT_THAT(Match({Named(0, "w/9"), Named(0, "w/10"), Named(0, "w/1"), Named(1, "w/1"),
                     Named(1, "w/9"), Named(1, "w/10")})
                  .collectives,
              ElementsAre(ElementsAre(2, 3), ElementsAre(1, 5), ElementsAre(0, 4)));
  const std::string long_name(40, 'x');
  EXPECT_THAT(Match({Named(0, long_name + "1"), Named(0, long_name + "2"),
                     Named(1, long_name + "2"), Named(1, long_name + "3")})
                  .collectives,
              ElementsAre(ElementsAre(1, 2)));
}

TEST(GroupOperations, MatchesTheSameBeyondItsMemory) {
  std::vector<GroupOperation> operations;
  for (uint32_t member = 0; member < 3; ++member) {
    for (int i = 0; i < 2'000; ++i) {
      operations.push_back(Ordered(member, i % 7 == 0 ? "bcast" : "allreduce"));
      operations.push_back(Numbered(member, i * 13 % 2'000));
    }
    for (int i = 0; i < 2'000 && member < 2; ++i) {
      operations.push_back(Transfer(member, member == 0 ? "send" : "recv", 0, 1));
    }
  }
  const Matches in_memory = Match(operations, size_t{64} << 20);
  const Matches on_disk = Match(operations, 1'000);
  EXPECT_EQ(in_memory.collectives.size(), 4'000U);
  EXPECT_EQ(on_disk.collectives, in_memory.collectives);
  ASSERT_EQ(in_memory.transfers.size(), 2'000U);
  ASSERT_EQ(on_disk.transfers.size(), 2'000U);
  for (size_t i = 0; i < 2'000; ++i) {
    EXPECT_EQ(on_disk.transfers[i].send, in_memory.transfers[i].send);
    EXPECT_EQ(on_disk.transfers[i].receive, in_memory.transfers[i].receive);
  }
}

TEST(GroupOperations, AMemberAloneHasNoPartner) {
  EXPECT_EQ(Match({Numbered(0, 1)}).unmatched_collectives, 1U);
  EXPECT_EQ(Match({}).collectives.size(), 0U);
}

}  // namespace
}  // namespace syncline
