#include "record/mpi/request_table.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace syncline::mpi {
namespace {

Pending WithNumber(uint32_t number) {
  Pending pending;
  pending.event.request = number;
  return pending;
}

TEST(RequestTable, GivesBackWhatAHandleStoodForWhenItComesAgain) {
  RequestTable table;
  EXPECT_EQ(table.Get(7), nullptr);
  EXPECT_FALSE(table.Insert(7, WithNumber(1)));
  const auto old = table.Insert(7, WithNumber(2));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->event.request, 1U);
  EXPECT_EQ(table.Get(7)->event.request, 2U);
  EXPECT_EQ(table.size(), 1U);
  table.Erase(7);
  EXPECT_EQ(table.Get(7), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

TEST(RequestTable, NoHandleIsNeverFound) {
  RequestTable table;
  table.Insert(64, WithNumber(1));
  EXPECT_EQ(table.Get(RequestTable::kNone), nullptr);
  table.Erase(RequestTable::kNone);
  EXPECT_EQ(table.size(), 1U);
}

TEST(RequestTable, AgreesWithAMapOverRandomUse) {
  constexpr uint32_t kSeed = 20250;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  RequestTable table;
  std::map<RequestTable::Handle, uint32_t> expected;
  for (uint32_t step = 1; step < 20'000; ++step) {
    // Few handles, so that many are found; multiples of 64, as addresses are.
    const RequestTable::Handle handle = 64 * (1 + random() % 500);
    if (random() % 2 == 0) {
      const auto old = table.Insert(handle, WithNumber(step));
      ASSERT_EQ(old.has_value(), expected.contains(handle));
      expected[handle] = step;
    } else {
      table.Erase(handle);
      expected.erase(handle);
    }
    ASSERT_EQ(table.size(), expected.size());
  }
  for (RequestTable::Handle handle = 64; handle <= 64 * 500; handle += 64) {
    const Pending* found = table.Get(handle);
    ASSERT_EQ(found != nullptr, expected.contains(handle));
    if (found != nullptr) {
      EXPECT_EQ(found->event.request, expected[handle]);
    }
  }
}

}  // namespace
}  // namespace syncline::mpi
