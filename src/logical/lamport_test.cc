#include "logical/lamport.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LamportClock, CountsFromZero) {
  LamportClock clock;
  EXPECT_EQ(clock.Step(), 0u);
  EXPECT_EQ(clock.Step(), 1u);
}

TEST(LamportClock, ReceivesFollowTheirSends) {
  LamportClock clock;
  EXPECT_EQ(clock.Receive(6), 7u);  // as first event
  EXPECT_EQ(clock.Receive(2), 8u);  // an early send changes nothing
  EXPECT_EQ(clock.Step(), 9u);
}

}  // namespace
}  // namespace syncline
