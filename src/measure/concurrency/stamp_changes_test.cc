#include "measure/concurrency/stamp_changes.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

void ExpectSame(const PastStamp& told, const PastStamp& stamp, size_t processes) {
  EXPECT_EQ(told.height_ns, stamp.height_ns);
  EXPECT_EQ(told.event_height, stamp.event_height);
  for (size_t i = 0; i < processes; ++i) ASSERT_EQ(told.past.At(i), stamp.past.At(i)) << i;
  EXPECT_EQ(told.past.Sum(), stamp.past.Sum());
}

TEST(StampChanges, TellOnlyWhatIsNew) {
  constexpr size_t kProcesses = 40;
  PastStamp stamp{PastVector(kProcesses), 50, 3};
  stamp.past.Set(0, {50, 10, 3, 3});
  stamp.past.Set(39, {20, 0, 1, 1});
  StampChanges from(kProcesses);
  StampChanges to(kProcesses);
  std::vector<std::byte> bytes;
  from.Put(7, stamp, bytes);
  // Both heights, the entries with their gaps, the end: all below 64.
  EXPECT_EQ(bytes.size(), 2 + 2 * 5 + 1);
  stamp.past.Set(39, {22, 0, 2, 2});
  const size_t first = bytes.size();
  from.Put(7, stamp, bytes);
  EXPECT_EQ(bytes.size() - first, 2 + 5 + 1);
  VarintReader reader(bytes);
  EXPECT_EQ(to.Take(7, reader).past.At(39), (PastEntry{20, 0, 1, 1}));
  ExpectSame(to.Take(7, reader), stamp, kProcesses);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(StampChanges, ArriveAsTheyWerePut) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const size_t processes = 1 + random() % 600;
    // What is far from growing, as of collectives in which now these take part and then those.
    const auto number = [&] {
      const auto drawn = static_cast<int64_t>(random());
      return random() % 20 == 0 ? INT64_MAX - drawn : drawn >> random() % 32;
    };
    std::vector<PastStamp> sources(3, {PastVector(processes), 0, 0});
    std::vector<std::pair<size_t, PastStamp>> put;
    StampChanges from(processes);
    StampChanges to(processes);
    std::vector<std::byte> bytes;
    for (int i = 0; i < 60; ++i) {
      const size_t source = random() % sources.size();
      PastStamp& stamp = sources[source];
      for (auto changes = random() % 9; changes > 0; --changes) {
        stamp.past.Set(random() % processes, {number(), number(), number(), number()});
      }
      stamp.height_ns = number();
      stamp.event_height = number();
      from.Put(source, stamp, bytes);
      put.emplace_back(source, stamp);
    }
    VarintReader reader(bytes);
    for (const auto& [source, stamp] : put) ExpectSame(to.Take(source, reader), stamp, processes);
    EXPECT_TRUE(reader.is_at_end());
  }
}

}  // namespace
}  // namespace syncline
