#include "base/parallel.h"

#include <map>
#include <new>
#include <vector>

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

TEST(Parallel, PiecesOfAThreadShareAStateThatNoOtherHas) {
  struct Own {
    std::vector<size_t> pieces;
  };
  std::vector<const Own*> of_piece(1000);
  std::vector<size_t> place(1000);  // in its thread
  ForEachParallelWith<Own>(1000, [&](size_t i, Own& own) {
    own.pieces.push_back(i);
    of_piece[i] = &own;
    place[i] = own.pieces.size();
  });
  // Each thread's pieces were the first, the second, … that its state saw, the lower ones first.
  std::map<const Own*, size_t> seen;
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(place[i], ++seen[of_piece[i]]) << "piece " << i;
  EXPECT_LE(seen.size(), ThreadsFor(1000));
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
