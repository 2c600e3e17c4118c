#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "logical/extreme_tree.h"
#include "logical/process_order.h"

namespace syncline {
namespace {

TEST(ExtremeTree, MatchesASearchThroughAllValues) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const size_t count = 1 + random() % 40;
    ExtremeTree<std::less<>> least(INT64_MAX);
    ExtremeTree<std::greater<>> most(INT64_MIN);
    least.Resize(count);
    most.Resize(count);
    std::vector<int64_t> set;
    std::vector<int64_t> values(count, 0);
    std::vector<bool> is_set(count, false);
    for (int i = 0; i < 300; ++i) {
      const size_t index = random() % count;
      values[index] = static_cast<int64_t>(random() % 50);
      is_set[index] = true;
      least.Set(index, values[index]);
      most.Set(index, values[index]);
      set.clear();
      for (size_t k = 0; k < count; ++k) {
        if (is_set[k]) set.push_back(values[k]);
      }
      ASSERT_EQ(least.best(), *std::min_element(set.begin(), set.end()));
      ASSERT_EQ(most.best(), *std::max_element(set.begin(), set.end()));
      ASSERT_EQ(most.Get(index), values[index]);
    }
  }
}

TEST(ExtremeTree, KeepsItsValuesWhenItGrows) {
  ExtremeTree<std::less<>> tree(INT64_MAX);
  EXPECT_EQ(tree.best(), INT64_MAX);
  tree.Resize(1);
  tree.Set(0, 5);
  for (size_t count = 2; count < 40; ++count) {
    tree.Resize(count);
    tree.Set(count - 1, static_cast<int64_t>(4 + count));
    EXPECT_EQ(tree.best(), 5);
  }
  tree.Set(0, 100);
  EXPECT_EQ(tree.best(), 4 + 2);
}

// With times near each other alone, and with some at the ends of time.
void CompareWithASearch(uint32_t seed, bool has_ends) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  ProcessOrder tree;
  std::vector<std::optional<int64_t>> times;
  for (int i = 0; i < 400; ++i) {
    if (times.empty() || random() % 10 == 0) {
      times.emplace_back();
      tree.Resize(times.size());
    }
    const size_t p = random() % times.size();
    if (random() % 3 == 0) {
      times[p].reset();
      tree.Clear(p);
    } else {
      constexpr int64_t kEnds[] = {INT64_MIN, INT64_MAX};
      const bool is_end = has_ends && random() % 8 == 0;
      times[p] = is_end ? kEnds[random() % 2] : static_cast<int64_t>(random() % 9) - 4;
      tree.Set(p, *times[p]);
    }
    uint32_t first = ProcessOrder::kNobody;
    for (uint32_t k = 0; k < times.size(); ++k) {
      if (!times[k]) continue;
      if (first == ProcessOrder::kNobody || *times[k] < *times[first]) first = k;
    }
    ASSERT_EQ(tree.first(), first);
  }
}

TEST(ProcessOrder, MatchesASearchThroughAllProcesses) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    CompareWithASearch(seed, false);
    CompareWithASearch(seed, true);
  }
}

TEST(ProcessOrder, TakesTimesThatLieCenturiesApart) {
  constexpr int64_t kYear = 365 * 86'400'000'000'000;
  ProcessOrder tree;
  tree.Resize(2);
  tree.Set(1, 250 * kYear);
  tree.Set(0, -250 * kYear);
  EXPECT_EQ(tree.first(), 0u);
  tree.Clear(0);
  EXPECT_EQ(tree.first(), 1u);
  tree.Resize(5);
  tree.Set(4, 250 * kYear - 1);
  EXPECT_EQ(tree.first(), 4u);
}

TEST(ProcessOrder, NobodyIsReadyAtFirst) {
  ProcessOrder tree;
  EXPECT_EQ(tree.first(), ProcessOrder::kNobody);
  tree.Resize(3);
  EXPECT_EQ(tree.first(), ProcessOrder::kNobody);
}

}  // namespace
}  // namespace syncline
