#include "live/exchange/peer_table.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Table = PeerTable<uint64_t, int>;

TEST(PeerTable, KeepsAValuePerKey) {
  Table table(64);
  for (uint64_t key = 0; key < 40; ++key) table.At(key) = static_cast<int>(key) + 1;
  for (uint64_t key = 0; key < 40; ++key) EXPECT_EQ(table.At(key), static_cast<int>(key) + 1);
  EXPECT_EQ(table.displaced(), 0);
  EXPECT_EQ(table.At(1000), 0);
}

TEST(PeerTable, GivesTheOldestPlaceAway) {
  Table table(1);
  for (uint64_t key = 0; key < Table::kPlacesPerSet; ++key) table.At(key) = 1;
  table.At(0) = 2;  // used again, so that 1 is the oldest
  EXPECT_EQ(table.At(100), 0);
  EXPECT_EQ(table.displaced(), 1);
  EXPECT_EQ(table.At(0), 2);
  EXPECT_EQ(table.At(2), 1);
  EXPECT_EQ(table.At(1), 0);  // had given way
}

TEST(PeerTable, StaysBoundedWhateverComes) {
  Table table(4);
  for (uint64_t key = 0; key < 100'000; ++key) table.At(key) = 1;
  EXPECT_EQ(table.displaced(), 100'000 - 4 * Table::kPlacesPerSet);
}

}  // namespace
}  // namespace syncline
