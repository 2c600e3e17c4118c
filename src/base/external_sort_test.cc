#include "base/external_sort.h"

#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

struct Numbered {
  uint32_t key = 0;
  uint32_t number = 0;  // in the order of arrival
  friend bool operator==(const Numbered&, const Numbered&) = default;
};
struct ByKey {
  bool operator()(const Numbered& a, const Numbered& b) const { return a.key < b.key; }
};
using Sort = ExternalSort<Numbered, ByKey>;

constexpr size_t kNumberedBlock = BlockStore<Numbered>::kBlock;

std::vector<Numbered> Random(size_t count, uint32_t keys) {
  std::mt19937 random(7);
  std::vector<Numbered> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back({static_cast<uint32_t>(random() % keys), static_cast<uint32_t>(i)});
  }
  return values;
}

std::vector<Numbered> Visited(Sort& sort) {
  std::vector<Numbered> visited;
  const auto visit = [&](const Numbered& value) -> Result<void> {
    visited.push_back(value);
    return {};
  };
  EXPECT_TRUE(sort.ForEach(visit));
  return visited;
}

TEST(ExternalSort, SortsStablyWhateverItsMemoryAndAsOftenAsAsked) {
  for (const size_t memory : {size_t{1}, size_t{80}, size_t{1} << 13, size_t{1} << 20}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{10}, size_t{11}, size_t{5'000}}) {
      const std::vector<Numbered> values = Random(count, 700);
      Sort sort(memory);
      for (const Numbered& value : values) ASSERT_TRUE(sort.Add(value));
      std::vector<Numbered> expected = values;
      std::stable_sort(expected.begin(), expected.end(), ByKey());
      EXPECT_EQ(Visited(sort), expected) << memory << " bytes, " << count << " values";
      EXPECT_EQ(Visited(sort), expected) << "again";
    }
  }
}

TEST(ExternalSort, WhatOthersHoldComesBehindItsEqualsThatWereThere) {
  for (const size_t memory : {size_t{80}, size_t{1} << 20}) {
    const std::vector<Numbered> values = Random(3'000, 40);
    const auto space = std::make_shared<SpillSpace>(0);
    Sort all(memory, space);
    for (size_t first = 0; first < values.size(); first += 1'000) {
      Sort some(memory, space);
      for (size_t i = first; i < first + 1'000; ++i) ASSERT_TRUE(some.Add(values[i]));
      ASSERT_TRUE(all.Take(std::move(some)));
    }
    ASSERT_TRUE(all.Add({20, 3'000}));
    std::vector<Numbered> expected = values;
    expected.push_back({20, 3'000});
    std::stable_sort(expected.begin(), expected.end(), ByKey());
    EXPECT_EQ(Visited(all), expected) << memory << " bytes";
  }
}

TEST(ExternalSort, GroupsOfAnySizeAreWhole) {
  for (const uint32_t keys : {1U, 3U, 5'000U}) {
    const std::vector<Numbered> values = Random(3 * kNumberedBlock, keys);
    Sort sort(kNumberedBlock * sizeof(Numbered));
    for (const Numbered& value : values) ASSERT_TRUE(sort.Add(value));
    std::vector<Numbered> expected = values;
    std::stable_sort(expected.begin(), expected.end(), ByKey());
    std::vector<Numbered> visited;
    const auto same = [](const Numbered& a, const Numbered& b) { return a.key == b.key; };
    const auto visit = [&](const BlockStore<Numbered>& group) -> Result<void> {
      const auto all = group.All();
      for (const Numbered& value : *all) {
        EXPECT_EQ(value.key, all->front().key);
      }
      EXPECT_TRUE(visited.empty() || visited.back().key != all->front().key);
      visited.insert(visited.end(), all->begin(), all->end());
      return {};
    };
    ASSERT_TRUE(sort.ForEachGroup(same, visit));
    EXPECT_EQ(visited, expected) << keys << " keys";
  }
}

TEST(ExternalSort, EndsWithTheErrorOfAVisit) {
  Sort sort(16);
  for (const Numbered& value : Random(100, 9)) ASSERT_TRUE(sort.Add(value));
  int visits = 0;
  const auto fail = [&](const Numbered& /*value*/) -> Result<void> {
    ++visits;
    return Fail(ErrorCode::kMalformed, "enough");
  };
  EXPECT_EQ(sort.ForEach(fail).error().message, "enough");
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace syncline
