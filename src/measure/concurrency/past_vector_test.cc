#include "measure/concurrency/past_vector.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(PastVector, IsZeroAtFirst) {
  const PastVector v(100);
  EXPECT_EQ(v.At(99), PastEntry{});
  EXPECT_EQ(v.Sum(), PastEntry{});
}

TEST(PastVector, CopiesAreIndependent) {
  PastVector a(20);
  a.Set(3, {1, 2, 3, 4});
  const PastVector copy = a;
  EXPECT_TRUE(copy.IsSharedWith(a));
  a.Set(3, {5, 6, 7, 8});
  EXPECT_EQ(copy.At(3), (PastEntry{1, 2, 3, 4}));
  EXPECT_EQ(a.At(3), (PastEntry{5, 6, 7, 8}));
}

TEST(PastVector, MergingWhatKnowsMoreTakesItOver) {
  PastVector a(300);
  a.Set(0, {1, 0, 1, 1});
  PastVector b = a;
  b.Set(299, {2, 0, 1, 1});
  a.Merge(b);
  EXPECT_TRUE(a.IsSharedWith(b));
  b.Merge(PastVector(300));
  EXPECT_TRUE(a.IsSharedWith(b));
}

TEST(PastVector, TellsWhatHasChanged) {
  PastVector before(300);
  before.Set(1, {1, 0, 1, 1});
  before.Set(20, {5, 6, 7, 8});
  PastVector now = before;
  now.SetEach(std::vector<PlacedEntry>{{1, {2, 0, 2, 2}}, {20, {5, 6, 7, 8}}, {299, {3, 3, 3, 3}}});
  std::vector<size_t> places;
  now.ForEachChange(before, [&](size_t place, const PastEntry& old, const PastEntry& entry) {
    places.push_back(place);
    EXPECT_EQ(old, before.At(place));
    EXPECT_EQ(entry, now.At(place));
  });
  EXPECT_EQ(places, (std::vector<size_t>{1, 299}));
  EXPECT_EQ(now.Sum().computed_ns, 2 + 5 + 3);
}

TEST(PastVector, SumsSaturate) {
  PastVector a(2);
  a.Set(0, {INT64_MAX, 1, 1, 1});
  a.Set(1, {INT64_MAX, 1, 1, 1});
  EXPECT_EQ(a.Sum(), (PastEntry{INT64_MAX, 2, 2, 2}));
}

using Plain = std::vector<PastEntry>;

void ExpectEqualPast(const PastVector& v, const Plain& plain) {
  PastEntry sum;
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(v.At(i), plain[i]) << i;
    sum = {sum.computed_ns + plain[i].computed_ns, sum.delayed_ns + plain[i].delayed_ns,
           sum.events + plain[i].events, sum.height + plain[i].height};
  }
  ASSERT_EQ(v.Sum(), sum);
}

// From the first vector to the second, which differ where the plain ones do.
void ExpectChangesLead(PastVector from, const PastVector& to, const std::vector<Plain>& plains) {
  std::vector<PlacedEntry> changes;
  to.ForEachChange(from, [&](size_t place, const PastEntry& old, const PastEntry& entry) {
    ASSERT_EQ(old, plains[0][place]);
    changes.push_back({place, entry});
  });
  size_t differing = 0;
  for (size_t i = 0; i < plains[0].size(); ++i) differing += plains[0][i] == plains[1][i] ? 0 : 1;
  EXPECT_EQ(changes.size(), differing);
  from.SetEach(changes);
  ExpectEqualPast(from, plains[1]);
}

TEST(PastVector, EqualsPlainVectors) {
  for (const size_t size : {1, 15, 16, 17, 255, 257, 4097}) {
    constexpr uint32_t kSeed = 7;
    SCOPED_TRACE(testing::Message() << "size " << size << ", seed " << kSeed);
    std::mt19937 random(kSeed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    std::vector<PastVector> vectors(4, PastVector(size));
    std::vector<Plain> plains(4, Plain(size));
    for (int step = 0; step < 200; ++step) {
      const size_t a = below(4);
      const size_t b = below(4);
      if (below(3) == 0) {
        vectors[a].Merge(vectors[b]);
        for (size_t i = 0; i < size; ++i) {
          if (plains[b][i].events > plains[a][i].events) plains[a][i] = plains[b][i];
        }
      } else {
        const size_t i = below(size);
        const auto events = static_cast<int64_t>(below(100));
        const PastEntry entry{2 * events, 3 * events, events, events / 2};
        vectors[a].Set(i, entry);
        plains[a][i] = entry;
      }
    }
    for (size_t i = 0; i < 4; ++i) ExpectEqualPast(vectors[i], plains[i]);
    ExpectChangesLead(vectors[0], vectors[1], plains);
  }
}

}  // namespace
}  // namespace syncline
