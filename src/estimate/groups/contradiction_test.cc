#include <gtest/gtest.h>

#include "estimate/groups/tree_error.h"

namespace syncline {
namespace {

PairInput RatedPair(uint32_t a, uint32_t b, Quality quality) {
  PairInput pair{ClockId(a), ClockId(b), {}};
  pair.estimate.quality = quality;
  return pair;
}

constexpr Quality kGood = Quality::kAccurate;
constexpr Quality kBad = Quality::kApproximate;

TEST(ContradictedClocks, BlamesNobodyWithoutContradiction) {
  EXPECT_EQ(ContradictedClocks(
                3, std::vector{RatedPair(0, 1, kGood), RatedPair(1, 2, Quality::kIncomplete)}, {}),
            (std::vector{false, false, false}));
  EXPECT_TRUE(ContradictedClocks(0, {}, {}).empty());
}

TEST(ContradictedClocks, BlamesTheClockThatAllContradictionsShare) {
  const std::vector pairs{RatedPair(0, 1, kBad), RatedPair(0, 2, kGood), RatedPair(1, 2, kBad),
                          RatedPair(1, 3, kGood)};
  EXPECT_EQ(ContradictedClocks(4, pairs, {}), (std::vector{false, true, false, false}));
  EXPECT_EQ(ContradictedClocks(4, pairs, ClockId(1)), (std::vector{false, true, false, false}));
}

TEST(ContradictedClocks, BlamesBothWhereOnePairCannotTell) {
  EXPECT_EQ(ContradictedClocks(2, std::vector{RatedPair(0, 1, kBad)}, {}),
            (std::vector{true, true}));
  EXPECT_EQ(
      ContradictedClocks(3, std::vector{RatedPair(0, 1, kBad), RatedPair(1, 2, kGood)}, ClockId(1)),
      (std::vector{true, true, false}));
}

TEST(ContradictedClocks, ExplainsSeveralContradictions) {
  const std::vector pairs{RatedPair(0, 1, kBad), RatedPair(0, 2, kBad), RatedPair(3, 4, kBad),
                          RatedPair(1, 2, kGood)};
  EXPECT_EQ(ContradictedClocks(5, pairs, {}), (std::vector{true, false, false, true, true}));
}

}  // namespace
}  // namespace syncline
