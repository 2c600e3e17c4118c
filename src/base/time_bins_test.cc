#include "base/time_bins.h"

#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

struct Sum {
  uint64_t count = 0;
  void Merge(const Sum& other) { count += other.count; }
};

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

TEST(TimeBins, KeepsSingleNanosecondsAsLongAsTheyAreFewEnough) {
  TimeBins<Sum> bins;
  bins.At(1000).count += 1;
  bins.At(1000 + 511).count += 2;
  bins.At(1003).count += 4;
  EXPECT_EQ(bins.start_ns(), 1000);
  EXPECT_EQ(bins.width_ns(), 1);
  ASSERT_EQ(bins.bins().size(), 512);
  EXPECT_EQ(bins.bins()[0].count, 1);
  EXPECT_EQ(bins.bins()[3].count, 4);
  EXPECT_EQ(bins.bins()[511].count, 2);
}

// From 1001 to 1001 + 512 lie 513 instants: parts of 2 ns, which begin at even ones.
TEST(TimeBins, DoublesTheirWidthWhereTheyWouldBecomeTooMany) {
  TimeBins<Sum> bins;
  bins.At(1001).count += 1;
  bins.At(1002).count += 2;
  bins.At(1003).count += 4;
  bins.At(1001 + 512).count += 8;
  EXPECT_EQ(bins.start_ns(), 1000);
  EXPECT_EQ(bins.width_ns(), 2);
  ASSERT_EQ(bins.bins().size(), (1512 - 1000) / 2 + 1);
  EXPECT_EQ(bins.bins()[0].count, 1);      // 1001
  EXPECT_EQ(bins.bins()[1].count, 2 + 4);  // 1002 and 1003
  EXPECT_EQ(bins.bins().back().count, 8);
}

TEST(TimeBins, HoldAllOfTime) {
  TimeBins<Sum> bins;
  bins.At(kLast).count += 1;
  bins.At(kFirst).count += 2;
  bins.At(0).count += 4;
  bins.At(-1).count += 8;
  // Of 2^64 instants 512 parts have 2^55 each, and there is none beside.
  EXPECT_EQ(bins.width_ns(), uint64_t{1} << 55);
  EXPECT_EQ(bins.start_ns(), kFirst);
  ASSERT_EQ(bins.bins().size(), 512);
  EXPECT_EQ(bins.bins()[0].count, 2);
  EXPECT_EQ(bins.bins()[255].count, 8);
  EXPECT_EQ(bins.bins()[256].count, 4);
  EXPECT_EQ(bins.bins()[511].count, 1);
}

// The oracle keeps every instant and chooses the narrowest width that is enough.
void ExpectLikeOracle(const std::vector<int64_t>& instants) {
  TimeBins<Sum> bins;
  std::map<int64_t, uint64_t> all;
  for (const int64_t ns : instants) {
    bins.At(ns).count += 1;
    ++all[ns];
  }
  int shift = 0;
  const auto number = [&](int64_t ns) { return ns >> shift; };
  while (static_cast<uint64_t>(number(all.rbegin()->first)) -
             static_cast<uint64_t>(number(all.begin()->first)) >=
         TimeBins<Sum>::kMost) {
    ++shift;
  }
  ASSERT_EQ(bins.width_ns(), uint64_t{1} << shift);
  ASSERT_EQ(bins.start_ns(), number(all.begin()->first) << shift);
  std::vector<uint64_t> expected(bins.bins().size());
  for (const auto& [ns, count] : all) {
    expected[static_cast<size_t>(number(ns) - number(all.begin()->first))] += count;
  }
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(bins.bins()[i].count, expected[i]) << i;
}

// Two series of some of the instants each, one of which has travelled.
void ExpectPartsMerge(const std::vector<int64_t>& instants, size_t in_first) {
  TimeBins<Sum> all;
  TimeBins<Sum> first;
  TimeBins<Sum> second;
  for (size_t i = 0; i < instants.size(); ++i) {
    all.At(instants[i]).count += 1;
    (i < in_first ? first : second).At(instants[i]).count += 1;
  }
  Parcel parcel;
  second.Put(parcel);
  ParcelReader reader(parcel.bytes());
  first.Merge(TimeBins<Sum>::Take(reader));
  ASSERT_EQ(first.width_ns(), all.width_ns());
  ASSERT_EQ(first.start_ns(), all.start_ns());
  ASSERT_EQ(first.bins().size(), all.bins().size());
  for (size_t i = 0; i < all.bins().size(); ++i) {
    EXPECT_EQ(first.bins()[i].count, all.bins()[i].count) << i;
  }
}

TEST(TimeBins, AreWhatAllInstantsAtOnceWouldGive) {
  std::mt19937_64 random(20260);
  for (const int bits : {4, 9, 12, 40, 62}) {
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE(testing::Message() << "seed 20260, " << bits << " bits, round " << round);
      const auto origin = static_cast<int64_t>(random());
      std::vector<int64_t> instants;
      for (int i = 0; i < 300; ++i) {
        const auto away = static_cast<int64_t>(random() >> (64 - bits));
        instants.push_back(origin > 0 ? origin - away : origin + away);
      }
      ExpectLikeOracle(instants);
      for (const size_t in_first : {size_t{0}, size_t{1}, size_t{150}, size_t{299}, size_t{300}}) {
        ExpectPartsMerge(instants, in_first);
      }
    }
  }
}

}  // namespace
}  // namespace syncline
