#include "record/stamp/burst.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace syncline {
namespace {

// Asked at 1000 own, received at 600 peer, answered at 700 peer, done at 1500 own: the way out
// claims −400, the way back 800. Round trip 500 − 100 = 400; own − peer lies between
// 1000 − 600 = 400 and 1500 − 700 = 800.
TEST(EstimateOffset, IsTheMiddleOfWhatTheExchangeAllows) {
  const auto e = EstimateOffset({.asked = {1000, 0},
                                 .received_ns = 600,
                                 .answered_ns = 700,
                                 .peer_bound_ns = 0,
                                 .done = {1500, 0}});
  ASSERT_TRUE(e.has_value());
  EXPECT_EQ(e->trip_ns, (1500 - 1000) - (700 - 600));
  EXPECT_EQ(e->offset_ns, (400 + 800) / 2);
  EXPECT_EQ(e->bound_ns, 400 / 2 + 1);
}

TEST(EstimateOffset, BoundGrowsByWhatTheReadingsAreUnsureOf) {
  const auto e = EstimateOffset({.asked = {1000, 7},
                                 .received_ns = 600,
                                 .answered_ns = 700,
                                 .peer_bound_ns = 30,
                                 .done = {1500, 11}});
  ASSERT_TRUE(e.has_value());
  EXPECT_EQ(e->bound_ns, 400 / 2 + 1 + 11 + 30);
}

TEST(EstimateOffset, OfContradictoryOrExtremeTimesIsNoneOrSaturates) {
  EXPECT_FALSE(EstimateOffset({.asked = {1000, 1},
                               .received_ns = 600,
                               .answered_ns = 1200,
                               .peer_bound_ns = 1,
                               .done = {1500, 1}}));
  const auto e = EstimateOffset({.asked = {INT64_MIN, INT64_MAX},
                                 .received_ns = INT64_MAX,
                                 .answered_ns = INT64_MIN,
                                 .peer_bound_ns = INT64_MAX,
                                 .done = {INT64_MAX, INT64_MAX}});
  ASSERT_TRUE(e.has_value());
  EXPECT_EQ(e->bound_ns, INT64_MAX);
}

TEST(BurstPacket, IsReadAsWritten) {
  const BurstPacket packet = {
      BurstPacket::Kind::kAnswer, UINT32_MAX, UINT64_MAX - 1, INT64_MIN, INT64_MAX, 17};
  EXPECT_EQ(DecodeBurstPacket(Encode(packet)), packet);
}

TEST(BurstPacket, EveryForeignByteOfMarkAndKindIsNoticed) {
  const auto good = Encode({});
  for (size_t i = 0; i < 12; ++i) {
    auto bad = good;
    bad[i] ^= std::byte{0x80};
    EXPECT_FALSE(DecodeBurstPacket(bad)) << "byte " << i;
  }
  EXPECT_FALSE(DecodeBurstPacket(Encode({.bound_ns = -1})));
}

// Both ends are threads of the global recording, so the true offset is 0.
class BurstTest : public testing::Test {
 protected:
  void SetUp() override {
    syncline_stamp_options options = syncline_stamp_defaults();
    options.process = "asker";
    options.clock = "host";
    options.max_wait_ns = 0;
    ASSERT_EQ(syncline_stamp_start(&options), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0);
  }
  void TearDown() override {
    close(sockets_[0]);
    close(sockets_[1]);
    syncline_stamp_stop();
    syncline_stamp_discard();
  }
  int sockets_[2] = {-1, -1};
};

TEST_F(BurstTest, OffsetOfOneMachineIsZeroWithinTheBound) {
  const int answerer = syncline_stamp_peer("answerer", nullptr);
  const int asker = syncline_stamp_peer("asker", nullptr);
  int answered = -1;
  std::jthread thread([&] {
    syncline_stamp_thread("answerer");
    answered = syncline_stamp_answer(asker, syncline_stamp_socket(sockets_[1]));
  });
  const syncline_stamp_burst burst =
      syncline_stamp_ask(answerer, syncline_stamp_socket(sockets_[0]), 50);
  thread.join();
  EXPECT_EQ(answered, 0);
  EXPECT_EQ(burst.status, 0);
  EXPECT_EQ(burst.exchanges, 50);
  EXPECT_GE(burst.used, 1);
  EXPECT_LE(burst.least_trip_ns, burst.mean_trip_ns);
  EXPECT_LE(burst.mean_trip_ns, 2 * burst.least_trip_ns);
  EXPECT_LE(burst.mean_trip_ns, burst.largest_trip_ns);
  EXPECT_LE(std::abs(burst.offset_ns), burst.bound_ns);
  // Four stamps per exchange: two at each end.
  EXPECT_EQ(syncline_stamp_count_events().kept, 4 * 50);
}

TEST_F(BurstTest, ClosedConnectionEndsTheBurstWithWhatThereIs) {
  const int peer = syncline_stamp_peer("answerer", nullptr);
  shutdown(sockets_[1], SHUT_RDWR);
  const syncline_stamp_burst burst =
      syncline_stamp_ask(peer, syncline_stamp_socket(sockets_[0]), 5);
  EXPECT_EQ(burst.status, SYNCLINE_STAMP_CHANNEL_FAILED);
  EXPECT_EQ(burst.exchanges, 0);
  EXPECT_EQ(burst.bound_ns, INT64_MAX);
  EXPECT_STRNE(syncline_stamp_error(), "");
}

TEST_F(BurstTest, ForeignPacketsEndTheBurst) {
  const int peer = syncline_stamp_peer("answerer", nullptr);
  const std::array<char, kBurstPacketBytes> noise = {'n', 'o'};
  ASSERT_EQ(write(sockets_[1], noise.data(), noise.size()), ssize_t{kBurstPacketBytes});
  EXPECT_EQ(syncline_stamp_ask(peer, syncline_stamp_socket(sockets_[0]), 5).status,
            SYNCLINE_STAMP_BAD_PACKET);
  // A question where an answer belongs, and an answer to another question.
  for (const BurstPacket& wrong :
       {BurstPacket{}, BurstPacket{.kind = BurstPacket::Kind::kAnswer, .message = 1'000'000}}) {
    const auto bytes = Encode(wrong);
    ASSERT_EQ(write(sockets_[1], bytes.data(), bytes.size()), ssize_t{kBurstPacketBytes});
    EXPECT_EQ(syncline_stamp_ask(peer, syncline_stamp_socket(sockets_[0]), 5).status,
              SYNCLINE_STAMP_BAD_PACKET);
  }
}

TEST_F(BurstTest, WrongArgumentsAreRefusedBeforeAnythingIsSent) {
  const int peer = syncline_stamp_peer("answerer", nullptr);
  const syncline_stamp_channel channel = syncline_stamp_socket(sockets_[0]);
  EXPECT_EQ(syncline_stamp_ask(peer + 1, channel, 5).status, SYNCLINE_STAMP_BAD_NAME);
  EXPECT_EQ(syncline_stamp_ask(-1, channel, 5).status, SYNCLINE_STAMP_BAD_NAME);
  EXPECT_EQ(syncline_stamp_ask(peer, channel, 0).status, SYNCLINE_STAMP_BAD_OPTION);
  EXPECT_EQ(syncline_stamp_ask(peer, {}, 5).status, SYNCLINE_STAMP_BAD_OPTION);
  int from_other_thread = 0;
  std::jthread([&] { from_other_thread = syncline_stamp_answer(peer, channel); }).join();
  EXPECT_EQ(from_other_thread, SYNCLINE_STAMP_NOT_REGISTERED);
  EXPECT_EQ(syncline_stamp_count_events().kept, 0);
}

}  // namespace
}  // namespace syncline
