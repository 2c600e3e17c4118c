#include "measure/quality.h"

#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

const ClockId kClockA(0);
const ClockId kClockB(1);

TEST(MessageQuality, CountsInversionsAndTooFastMessagesApart) {
  MessageQuality q;
  q.AddMessage(kClockA, kClockB, {-5}, {100});
  q.AddMessage(kClockA, kClockB, {0}, {100});
  q.AddMessage(kClockA, kClockB, {99}, {100});
  q.AddMessage(kClockA, kClockB, {100}, {100});
  q.AddMessage(kClockB, kClockA, {-1}, {0});
  EXPECT_EQ(q.messages(), 5U);
  EXPECT_EQ(q.inverted(), 2U);
  EXPECT_EQ(q.too_fast(), 2U);
  EXPECT_EQ(q.direction(kClockA, kClockB).inverted, 1U);
  EXPECT_EQ(q.direction(kClockA, kClockB).delays.smallest(), -5);
  EXPECT_EQ(q.direction(kClockB, kClockA).delays.count(), 1U);
  EXPECT_EQ(q.direction(kClockB, kClockB).delays.count(), 0U);
}

TEST(QualityBatch, GivesTheFiguresOfMessagesOneByOne) {
  constexpr size_t kClocks = 5;
  constexpr int kMessages = 150'000;  // more than two batches
  std::mt19937_64 random(21);
  MessageQuality one_by_one;
  MessageQuality batched;
  QualityBatch batch(kClocks, batched);
  for (int i = 0; i < kMessages; ++i) {
    const ClockId from(static_cast<uint32_t>(random() % kClocks));
    const ClockId to(static_cast<uint32_t>(random() % kClocks));
    const Duration delay{static_cast<int64_t>(random() % 2'000'000) - 100'000};
    one_by_one.AddMessage(from, to, delay, {50});
    batch.AddMessage(from, to, delay, {50});
  }
  batch.Finish();
  EXPECT_EQ(batched.messages(), kMessages);
  EXPECT_EQ(batched.inverted(), one_by_one.inverted());
  EXPECT_EQ(batched.too_fast(), one_by_one.too_fast());
  ASSERT_EQ(batched.directions().size(), kClocks * kClocks);
  for (const auto& [clocks, direction] : one_by_one.directions()) {
    const DirectionQuality& same = batched.direction(clocks.first, clocks.second);
    EXPECT_EQ(same.inverted, direction.inverted);
    EXPECT_EQ(same.delays.count(), direction.delays.count());
    EXPECT_EQ(same.delays.mean(), direction.delays.mean());
    EXPECT_EQ(same.delays.standard_deviation(), direction.delays.standard_deviation());
    EXPECT_EQ(same.delays.Quantile(0.5), direction.delays.Quantile(0.5));
  }
}

TEST(MessageQuality, GoesOnInAnotherProcessAsInThisOne) {
  std::mt19937_64 random(22);
  MessageQuality here, first_half, second_half;
  const auto add = [&](uint32_t from, MessageQuality& quality, std::mt19937_64 draws) {
    for (int i = 0; i < 1000; ++i) {
      // Of one direction beyond a second, so that magnitudes are taken from elsewhere.
      const Duration delay{static_cast<int64_t>(draws() % 2'000'000) - 100'000 +
                           (from == 0 ? 5'000'000'000 : 0)};
      quality.AddMessage(ClockId(from), ClockId(7), delay, {50});
    }
  };
  for (uint32_t from = 0; from < 4; ++from) {
    add(from, here, random);
    add(from, from % 2 == 0 ? first_half : second_half, random);
  }
  MessageQuality moved;
  for (const MessageQuality* part : {&second_half, &first_half}) {
    Parcel parcel;
    part->Put(parcel);
    ParcelReader reader(parcel.bytes());
    moved.Adopt(reader);
    EXPECT_TRUE(reader.is_at_end());
  }
  add(0, here, random);
  add(0, moved, random);
  EXPECT_EQ(moved.messages(), here.messages());
  EXPECT_EQ(moved.inverted(), here.inverted());
  EXPECT_EQ(moved.too_fast(), here.too_fast());
  ASSERT_EQ(moved.directions().size(), here.directions().size());
  for (const auto& [clocks, direction] : here.directions()) {
    const DirectionQuality& same = moved.direction(clocks.first, clocks.second);
    EXPECT_EQ(same.inverted, direction.inverted);
    EXPECT_EQ(same.too_fast, direction.too_fast);
    EXPECT_EQ(same.delays.count(), direction.delays.count());
    EXPECT_EQ(same.delays.smallest(), direction.delays.smallest());
    EXPECT_EQ(same.delays.largest(), direction.delays.largest());
    EXPECT_EQ(same.delays.mean(), direction.delays.mean());
    EXPECT_EQ(same.delays.standard_deviation(), direction.delays.standard_deviation());
    for (const double share : {0.01, 0.5, 0.99}) {
      EXPECT_EQ(same.delays.Quantile(share), direction.delays.Quantile(share));
    }
  }
}

TEST(MessageQuality, OrdersTheClocksOfABroadcastDifference) {
  MessageQuality q;
  q.AddBroadcastDifference(kClockA, kClockB, {30});
  q.AddBroadcastDifference(kClockB, kClockA, {-50});
  const DelayHistogram& d = q.broadcasts().at({kClockA, kClockB});
  EXPECT_EQ(d.smallest(), 30);
  EXPECT_EQ(d.largest(), 50);
}

}  // namespace
}  // namespace syncline
