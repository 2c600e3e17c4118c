#include "logical/message_table.h"

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;

TEST(MessageTable, MatchesAMapOverManyNames) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    MessageTable table;
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t> expected;
    for (int i = 0; i < 4000; ++i) {
      const MessageName name{static_cast<uint32_t>(random() % 4),
                             static_cast<uint32_t>(random() % 4), random() % 40};
      const auto key = std::tuple(name.sender, name.receiver, name.message);
      const auto it = expected.find(key);
      ASSERT_EQ(table.Find(name), it == expected.end() ? kNoRecord : it->second);
      if (it == expected.end()) {
        const uint32_t record = table.Create(name);
        table.AddName(record);
        expected[key] = record;
      } else if (random() % 2 == 0) {
        table.RemoveName(it->second);
        table.RemoveName(it->second);  // no effect
        table.Free(it->second);
        expected.erase(it);
      }
      ASSERT_EQ(table.in_use(), expected.size());
    }
  }
}

std::vector<uint32_t> Contents(const MessageTable& table, const RecordList& list) {
  std::vector<uint32_t> records;
  for (uint32_t r = list.first; r != kNoRecord; r = table[r].next) records.push_back(r);
  return records;
}

TEST(MessageTable, ListsKeepTheOrderOfWhatStays) {
  MessageTable table;
  RecordList list;
  std::vector<uint32_t> r;
  for (uint32_t i = 0; i < 4; ++i) {
    r.push_back(table.Create({0, 1, i}));
    table.Append(list, r.back());
  }
  table.Remove(list, r[1]);
  EXPECT_THAT(Contents(table, list), ElementsAre(r[0], r[2], r[3]));
  table.Remove(list, r[0]);
  table.Remove(list, r[3]);
  EXPECT_THAT(Contents(table, list), ElementsAre(r[2]));
  table.Append(list, r[0]);
  EXPECT_THAT(Contents(table, list), ElementsAre(r[2], r[0]));
  table.Remove(list, r[2]);
  table.Remove(list, r[0]);
  EXPECT_EQ(list.first, kNoRecord);
  EXPECT_EQ(list.last, kNoRecord);
}

TEST(MessageTable, UsesFreedRecordsAgain) {
  MessageTable table;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const uint32_t record = table.Create({0, 1, i});
    table.AddName(record);
    EXPECT_LT(record, 2u);
    table.RemoveName(record);
    table.Free(record);
  }
}

}  // namespace
}  // namespace syncline
