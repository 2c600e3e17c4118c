#include "match/channel_ends.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::vector<TransferEnd> EndsIn(std::span<const std::byte> bytes) {
  std::vector<TransferEnd> ends;
  for (EndReader reader(bytes); !reader.is_at_end();) ends.push_back(reader.Take());
  return ends;
}

TEST(ChannelEnds, AnyNumbersAndTimesComeBack) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<TransferEnd> ends = {{7, {kMost}},
                                         {8, {kLeast}},
                                         {(uint64_t{1} << 40) - 1, {0}},
                                         {0, {-1}},
                                         {0, {1'700'000'000'000'000'000}}};
  EndWriter writer;
  for (const TransferEnd& end : ends) writer.Add(end);
  EXPECT_EQ(EndsIn(writer.bytes()), ends);
  writer.Clear();
  writer.Add(ends[2]);
  EXPECT_EQ(EndsIn(writer.bytes()), std::vector{ends[2]});
}

TEST(ChannelEnds, StepsTakeFewBytes) {
  EndWriter writer;
  for (uint64_t i = 0; i < 1000; ++i) {
    writer.Add({30 * i, {1'700'000'000'000'000'000 + 1'000'000 * static_cast<int64_t>(i)}});
  }
  EXPECT_LE(writer.bytes().size(), 4 * 1000u + 10);
}

// As they come from another process of an MPI run, cut anywhere.
TEST(ChannelEnds, PiecesOfARunBecomeOne) {
  EndWriter writer;
  std::vector<TransferEnd> expected;
  for (uint64_t i = 0; i < 100; ++i) {
    expected.push_back({1000 * i, {static_cast<int64_t>(1'000'000 * i)}});
    writer.Add(expected.back());
  }
  const std::span<const std::byte> bytes = writer.bytes();
  for (const size_t cut : {size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    ChannelEnds ends;
    ends.Add(3, true, bytes.first(cut));
    ends.Add(3, true, bytes.subspan(cut));
    ends.Add(3, false, bytes);
    ends.Add(4, false, bytes);
    ends.Add(3, true, bytes);
    const std::span<const ChannelEnds::Run> runs = std::as_const(ends).runs();
    ASSERT_EQ(runs.size(), 4);
    for (const ChannelEnds::Run& run : runs) EXPECT_EQ(EndsIn(ends.BytesOf(run)), expected);
    EXPECT_EQ(runs[0].channel, 3);
    EXPECT_TRUE(runs[0].is_send);
    EXPECT_FALSE(runs[1].is_send);
    EXPECT_EQ(runs[2].channel, 4);
  }
}

TEST(ChannelEnds, SoManyPlacesThatTheirMemoryGoesBack) {
  FoundEnds found;
  for (uint64_t process = 0; process < 2; ++process) {
    constexpr uint64_t kPlaces = 50'000;
    for (uint64_t place = 0; place < kPlaces; ++place) {
      found.Add(place, place % 2 == 0, {place + process, {7}});
    }
    const ChannelEnds ends = found.Take();
    ASSERT_EQ(ends.runs().size(), kPlaces);
    for (const ChannelEnds::Run& run : ends.runs()) {
      const std::vector<TransferEnd> expected = {{run.channel + process, {7}}};
      ASSERT_EQ(EndsIn(ends.BytesOf(run)), expected);
    }
  }
}

TEST(ChannelEnds, AreApartByPlaceAndKindOneProcessAfterTheOther) {
  const uint64_t seed = 5;
  std::mt19937_64 random(seed);
  FoundEnds found;
  for (int process = 0; process < 3; ++process) {
    std::map<std::pair<uint64_t, bool>, std::vector<TransferEnd>> expected;
    const uint64_t places = process == 1 ? 2 : 9;
    for (uint64_t i = 0; i < 500; ++i) {
      const uint64_t place = random() % places;
      const bool is_send = random() % 2 == 0;
      const TransferEnd end{i, {static_cast<int64_t>(random() % 1000)}};
      found.Add(place, is_send, end);
      expected[{place, is_send}].push_back(end);
    }
    const ChannelEnds ends = found.Take();
    std::map<std::pair<uint64_t, bool>, std::vector<TransferEnd>> taken;
    for (const ChannelEnds::Run& run : ends.runs()) {
      taken[{run.channel, run.is_send}] = EndsIn(ends.BytesOf(run));
    }
    EXPECT_EQ(ends.runs().size(), expected.size());
    EXPECT_EQ(taken, expected) << "seed " << seed;
  }
  EXPECT_TRUE(found.Take().runs().empty());
}

}  // namespace
}  // namespace syncline
