#include "base/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Parallel, EveryPieceIsDoneOnce) {
  for (const size_t count : {0, 1, 2, 7, 1000}) {
    std::vector<int> done(count);
    ForEachParallel(count, [&](size_t i) { ++done[i]; });
    EXPECT_THAT(done, testing::Each(1)) << count << " pieces";
  }
}

TEST(Parallel, ThreadsAreNoMoreThanPiecesAndLimited) {
  EXPECT_EQ(ThreadsFor(0), 0u);
  EXPECT_EQ(ThreadsFor(1), 1u);
  EXPECT_GE(ThreadsFor(1000), 1u);
  EXPECT_LE(ThreadsFor(1000), kMaxThreads);
}

}  // namespace
}  // namespace syncline
