#include "measure/concurrency/region_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;

// α = alpha_percent / 100.
Region Make(uint32_t process, uint64_t number, int64_t alpha_percent, int64_t delayed_ns) {
  return {.process = ProcessId(process),
          .number = number,
          .end = RegionEnd::kDelivery,
          .own_delayed_ns = delayed_ns,
          .sender = ProcessId(9),
          .values = {.weight_ns = alpha_percent, .volume_ns = 100}};
}

std::vector<uint64_t> Numbers(const std::vector<Region>& regions) {
  std::vector<uint64_t> numbers;
  for (const Region& region : regions) numbers.push_back(region.number);
  return numbers;
}

TEST(RegionRanking, KeepsTheWorst) {
  RegionRanking ranking(2);
  ranking.Add(Make(0, 0, 50, 3));
  ranking.Add(Make(0, 1, 10, 0));
  ranking.Add(Make(0, 2, 90, 7));
  ranking.Add(Make(0, 3, 20, 5));
  EXPECT_THAT(Numbers(ranking.LeastAlpha()), ElementsAre(1, 3));
  EXPECT_THAT(Numbers(ranking.LongestWaits()), ElementsAre(2, 3));
}

TEST(RegionRanking, TiesDoNotDependOnTheOrderOfArrival) {
  RegionRanking forward(3);
  RegionRanking backward(3);
  for (uint64_t i = 0; i < 10; ++i) {
    forward.Add(Make(0, i, 50, i == 6 ? 2 : 1));
    backward.Add(Make(0, 9 - i, 50, 9 - i == 6 ? 2 : 1));
  }
  EXPECT_THAT(Numbers(forward.LeastAlpha()), ElementsAre(6, 0, 1));
  EXPECT_THAT(Numbers(backward.LeastAlpha()), ElementsAre(6, 0, 1));
}

TEST(RegionRanking, UndefinedConcurrencyIsNotRanked) {
  RegionRanking ranking(2);
  ranking.Add({});
  EXPECT_TRUE(ranking.LeastAlpha().empty());
  EXPECT_TRUE(ranking.LongestWaits().empty());
}

TEST(RegionRanking, AddsUpWhoWaitedForWhom) {
  RegionRanking ranking(2);
  ranking.Add(Make(0, 0, 50, 3));
  ranking.Add(Make(0, 1, 50, 4));
  Region collective = Make(1, 0, 50, 5);
  collective.end = RegionEnd::kCollectiveEnd;
  collective.sender.reset();
  ranking.Add(collective);
  ranking.Add(Make(2, 0, 50, 1));
  const std::vector<WaitedFor> waits = ranking.Waits();
  ASSERT_EQ(waits.size(), 2);
  EXPECT_EQ(waits[0].sender, ProcessId(9));
  EXPECT_EQ(waits[0].waits, 2);
  EXPECT_EQ(waits[0].delayed_ns, 3 + 4);
  EXPECT_EQ(waits[1].process, ProcessId(1));
  EXPECT_FALSE(waits[1].sender);
}

TEST(RegionRanking, PartsAddUpToTheWhole) {
  RegionRanking whole(5);
  RegionRanking parts[] = {RegionRanking(5), RegionRanking(5)};
  for (uint32_t i = 0; i < 40; ++i) {
    Region region = Make(i % 4, i, 10 + i * 7 % 13, i % 6);
    region.sender = ProcessId(i % 3);
    whole.Add(region);
    parts[i % 2].Add(region);
  }
  Parcel parcel;
  parts[1].Put(parcel);
  ParcelReader reader(parcel.bytes());
  parts[0].Adopt(reader);
  EXPECT_EQ(Numbers(parts[0].LeastAlpha()), Numbers(whole.LeastAlpha()));
  EXPECT_EQ(Numbers(parts[0].LongestWaits()), Numbers(whole.LongestWaits()));
  const std::vector<WaitedFor> waits = parts[0].Waits();
  const std::vector<WaitedFor> expected = whole.Waits();
  ASSERT_EQ(waits.size(), expected.size());
  for (size_t i = 0; i < waits.size(); ++i) {
    EXPECT_EQ(waits[i].process, expected[i].process);
    EXPECT_EQ(waits[i].sender, expected[i].sender);
    EXPECT_EQ(waits[i].waits, expected[i].waits);
    EXPECT_EQ(waits[i].delayed_ns, expected[i].delayed_ns);
  }
}

}  // namespace
}  // namespace syncline
