#include "estimate/groups/offset_closure.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// limits[i][k]: of x(k) − x(i); none where nothing limits it.
using Limits = std::vector<std::vector<std::optional<int64_t>>>;

OffsetClosure Built(const Limits& limits) {
  OffsetClosure closure(limits.size());
  for (size_t i = 0; i < limits.size(); ++i) {
    for (size_t k = 0; k < limits.size(); ++k) {
      if (i != k && limits[i][k]) closure.Limit(i, k, *limits[i][k]);
    }
  }
  return closure;
}

// The shortest of all paths from `at` to `to` that pass no clock twice.
std::optional<int64_t> ShortestOfAllPaths(const Limits& limits, size_t at, size_t to,
                                          std::vector<bool> passed) {
  if (at == to) return 0;
  passed[at] = true;
  std::optional<int64_t> best;
  for (size_t next = 0; next < limits.size(); ++next) {
    if (passed[next] || !limits[at][next]) continue;
    const auto rest = ShortestOfAllPaths(limits, next, to, passed);
    if (rest && (!best || *limits[at][next] + *rest < *best)) best = *limits[at][next] + *rest;
  }
  return best;
}

// Hofmann and Hilgers as printed, with the test that was missing: triangles until nothing changes.
bool CloseByTriangles(Limits& limits) {
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = 0; i < limits.size(); ++i) {
      for (size_t k = 0; k < limits.size(); ++k) {
        for (size_t z = 0; z < limits.size(); ++z) {
          if (!limits[i][z] || !limits[z][k]) continue;
          const int64_t over = *limits[i][z] + *limits[z][k];
          if (limits[i][k] && *limits[i][k] <= over) continue;
          limits[i][k] = over;
          changes = true;
        }
        if (limits[i][k] && limits[k][i] && *limits[i][k] + *limits[k][i] < 0) return false;
      }
    }
  }
  return true;
}

Limits RandomLimits(uint64_t seed, int64_t least) {
  std::mt19937_64 random(seed);
  const size_t n = 2 + random() % 5;
  Limits limits(n, std::vector<std::optional<int64_t>>(n));
  for (size_t i = 0; i < n; ++i) {
    limits[i][i] = 0;
    for (size_t k = 0; k < n; ++k) {
      if (i != k && random() % 3 != 0) limits[i][k] = least + static_cast<int64_t>(random() % 100);
    }
  }
  return limits;
}

TEST(OffsetClosure, TightensOverAThirdClock) {
  // Clocks b and c seem 10 … 30 and 15 … 25 late against a and b; directly c seems 0 … 100.
  OffsetClosure closure(3);
  closure.Limit(0, 1, 30);
  closure.Limit(1, 0, -10);
  closure.Limit(1, 2, 25);
  closure.Limit(2, 1, -15);
  closure.Limit(0, 2, 100);
  closure.Limit(2, 0, 0);
  ASSERT_TRUE(closure.Close());
  EXPECT_EQ(closure.Upper(0, 2), 30 + 25);
  EXPECT_EQ(closure.Lower(0, 2), 10 + 15);
  EXPECT_EQ(closure.Middle(0, 2), (25 + 55) / 2);
  EXPECT_EQ(closure.HalfWidth(0, 2), (55 - 25) / 2.0);
  EXPECT_EQ(closure.Upper(0, 1), 30);
}

// Rabenseifner, 7.6: three pairs that each say 2 ms behind, and the outer pair 2 ms ahead.
TEST(OffsetClosure, FindsNoSolutionWhereTheOriginalAlgorithmForgotToLook) {
  OffsetClosure closure(4);
  const auto exactly = [&](size_t from, size_t to, int64_t us) {
    closure.Limit(from, to, us);
    closure.Limit(to, from, -us);
  };
  exactly(0, 1, 2000);
  exactly(1, 2, 2000);
  exactly(2, 3, 2000);
  EXPECT_TRUE(OffsetClosure(closure).Close());
  exactly(0, 3, -2000);
  EXPECT_FALSE(closure.Close());
}

TEST(OffsetClosure, LeavesOpenWhatNoChainReaches) {
  OffsetClosure closure(3);
  closure.Limit(0, 1, 5);
  ASSERT_TRUE(closure.Close());
  EXPECT_EQ(closure.Upper(0, 1), 5);
  EXPECT_EQ(closure.Lower(0, 1), std::nullopt);
  EXPECT_FALSE(closure.IsBounded(0, 1));
  EXPECT_FALSE(closure.IsBounded(0, 2));
  EXPECT_TRUE(closure.IsBounded(2, 2));
}

TEST(OffsetClosure, IsTheShortestOfAllPathsAndOfAllTriangles) {
  int solved = 0;
  int contradicting = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const Limits limits = RandomLimits(seed, seed % 2 == 0 ? 0 : -20);
    Limits triangles = limits;
    const bool has_solution = CloseByTriangles(triangles);
    OffsetClosure closure = Built(limits);
    ASSERT_EQ(closure.Close(), has_solution);
    ++(has_solution ? solved : contradicting);
    if (!has_solution) continue;
    for (size_t i = 0; i < limits.size(); ++i) {
      for (size_t k = 0; k < limits.size(); ++k) {
        EXPECT_EQ(closure.Upper(i, k), triangles[i][k]);
        EXPECT_EQ(closure.Upper(i, k),
                  ShortestOfAllPaths(limits, i, k, std::vector<bool>(limits.size())));
      }
    }
  }
  EXPECT_GT(solved, 250);
  EXPECT_GT(contradicting, 50);
}

TEST(OffsetClosure, MiddlesOfAnyRowSatisfyEveryLimit) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Limits limits = RandomLimits(seed, -15);
    OffsetClosure closure = Built(limits);
    if (!closure.Close()) continue;
    for (size_t row = 0; row < limits.size(); ++row) {
      for (size_t i = 0; i < limits.size(); ++i) {
        for (size_t k = 0; k < limits.size(); ++k) {
          if (!limits[i][k] || !closure.IsBounded(row, i) || !closure.IsBounded(row, k)) continue;
          EXPECT_LE(closure.Middle(row, k) - closure.Middle(row, i), *limits[i][k]);
        }
      }
    }
  }
}

// Clock c sends to both others, and a supplied limit of c would tell a and b how far apart they
// are.
TEST(OffsetClosure, SuppliedLimitsGiveWayToThoseOfMessages) {
  OffsetClosure closure(3);
  closure.Limit(0, 1, 60);
  closure.Limit(1, 0, 40);
  closure.Limit(0, 2, 30);
  closure.Limit(1, 2, 25);
  ASSERT_TRUE(closure.Close());
  EXPECT_EQ(closure.Lower(0, 2), std::nullopt);
  // x(a) − x(b) ≤ 25 + limit by way of c; no less than 40 tightens nothing.
  closure.Supply(2, 0, 5);
  EXPECT_EQ(closure.Upper(2, 0), 40 - 25);
  EXPECT_EQ(closure.Upper(1, 0), 40);
  EXPECT_EQ(closure.Upper(2, 1), (40 - 25) + 60);
}

TEST(OffsetClosure, SupplyChangesNothingKnownAndLeavesAClosure) {
  int raised = 0;
  int supplied = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed + 1000);
    Limits limits = RandomLimits(seed, 0);
    OffsetClosure closure = Built(limits);
    ASSERT_TRUE(closure.Close());
    for (int round = 0; round < 4; ++round) {
      const size_t from = random() % limits.size();
      const size_t to = (from + 1 + random() % (limits.size() - 1)) % limits.size();
      const int64_t limit = static_cast<int64_t>(random() % 100) - 50;
      const OffsetClosure before = closure;
      closure.Supply(from, to, limit);
      if (!before.Upper(from, to)) {
        ++supplied;
        raised += *closure.Upper(from, to) > limit ? 1 : 0;
        EXPECT_GE(*closure.Upper(from, to), limit);
        limits[from][to] = closure.Upper(from, to);
      }
      OffsetClosure again = Built(limits);
      ASSERT_TRUE(again.Close());
      for (size_t i = 0; i < limits.size(); ++i) {
        for (size_t k = 0; k < limits.size(); ++k) {
          EXPECT_EQ(closure.Upper(i, k), again.Upper(i, k));
          const std::optional<int64_t> known = before.Upper(i, k);
          EXPECT_EQ(known.value_or(0), known ? closure.Upper(i, k).value_or(-1) : 0);
        }
      }
    }
  }
  EXPECT_GT(supplied, 50);
  EXPECT_GT(raised, 20);
}

TEST(OffsetClosure, ExtremeLimitsNeitherOverflowNorPassForSolutions) {
  OffsetClosure closure(3);
  closure.Limit(0, 1, INT64_MAX);
  closure.Limit(1, 2, INT64_MIN);
  closure.Limit(2, 0, INT64_MIN);
  EXPECT_TRUE(OffsetClosure(closure).Close());  // nothing closes the circle
  closure.Limit(0, 1, 0);
  EXPECT_FALSE(closure.Close());
}

}  // namespace
}  // namespace syncline
