#include "model/epochs.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(EpochTable, AProcessWithoutEpochsIsInTheFirst) {
  const EpochTable none;
  EXPECT_EQ(none.EpochOf(ProcessId(0), 0), 0U);
  EXPECT_EQ(none.EpochOf(ProcessId(7), UINT64_MAX), 0U);
  const EpochTable other{{{3}, {}}};
  EXPECT_EQ(other.EpochOf(ProcessId(1), 5), 0U);
}

TEST(EpochTable, CountsTheEpochsThatHaveBegun) {
  // Epoch 1 has event 3 alone, epoch 2 none, epoch 3 all others; of the second process all events
  // are of epoch 1.
  const EpochTable table{{{3, 4, 4}, {0}}};
  const uint32_t expected[] = {0, 0, 0, 1, 3, 3};
  EpochCursor cursor(table.FirstEvents(ProcessId(0)));
  for (uint64_t event = 0; event < 6; ++event) {
    EXPECT_EQ(table.EpochOf(ProcessId(0), event), expected[event]);
    EXPECT_EQ(table.EpochOf({ProcessId(0), event, {-5}}), expected[event]);
    EXPECT_EQ(cursor.At(event), expected[event]);
    EXPECT_EQ(cursor.current(), expected[event]);
  }
  EXPECT_EQ(table.EpochOf(ProcessId(0), UINT64_MAX), 3U);
  EXPECT_EQ(table.EpochOf(ProcessId(1), 0), 1U);
}

}  // namespace
}  // namespace syncline
