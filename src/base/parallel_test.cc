#include "base/parallel.h"

#include <new>

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

TEST(Parallel, AnExceptionOfAPieceIsTheCallers) {
  for (const size_t failing : {0, 1, 999}) {
    EXPECT_THROW(ForEachParallel(1000,
                                 [&](size_t i) {
                                   if (i == failing) throw std::bad_alloc();
                                 }),
                 std::bad_alloc)
        << "piece " << failing;
  }
}

TEST(Parallel, ThreadsAreNoMoreThanPiecesAndLimited) {
  EXPECT_EQ(ThreadsFor(0), 0u);
  EXPECT_EQ(ThreadsFor(1), 1u);
  EXPECT_GE(ThreadsFor(1000), 1u);
  EXPECT_LE(ThreadsFor(1000), kMaxThreads);
}

TEST(Parallel, ThreadsAreNoMoreThanTheCoresOfTheProcess) {
  const size_t cores = Cores();
  SetCores(1);
  EXPECT_EQ(ThreadsFor(1000), 1u);
  SetCores(3);
  EXPECT_EQ(ThreadsFor(1000), 3u);
  SetCores(cores);
}

}  // namespace
}  // namespace syncline
