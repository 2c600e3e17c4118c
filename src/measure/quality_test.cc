#include "measure/quality.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

const ClockId kA(0);
const ClockId kB(1);

TEST(MessageQuality, CountsInversionsAndTooFastMessagesApart) {
  MessageQuality q;
  q.AddMessage(kA, kB, {-5}, {100});
  q.AddMessage(kA, kB, {0}, {100});
  q.AddMessage(kA, kB, {99}, {100});
  q.AddMessage(kA, kB, {100}, {100});
  q.AddMessage(kB, kA, {-1}, {0});
  EXPECT_EQ(q.messages(), 5U);
  EXPECT_EQ(q.inverted(), 2U);
  EXPECT_EQ(q.too_fast(), 2U);
  EXPECT_EQ(q.direction(kA, kB).inverted, 1U);
  EXPECT_EQ(q.direction(kA, kB).delays.smallest(), -5);
  EXPECT_EQ(q.direction(kB, kA).delays.count(), 1U);
  EXPECT_EQ(q.direction(kB, kB).delays.count(), 0U);
}

TEST(MessageQuality, OrdersTheClocksOfABroadcastDifference) {
  MessageQuality q;
  q.AddBroadcastDifference(kA, kB, {30});
  q.AddBroadcastDifference(kB, kA, {-50});
  const DelayHistogram& d = q.broadcasts().at({kA, kB});
  EXPECT_EQ(d.smallest(), 30);
  EXPECT_EQ(d.largest(), 50);
}

}  // namespace
}  // namespace syncline
