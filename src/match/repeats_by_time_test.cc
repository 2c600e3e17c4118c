#include "match/repeats_by_time.h"

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "match/match_test_util.h"

namespace syncline {
namespace {

constexpr int64_t kAhead = int64_t{10} * 365 * 86'400 * kSecond;  // clock 1 against clock 0
constexpr int64_t kDelay = 1'000'000;

class RepeatsByTimeTest : public testing::Test {
 protected:
  RepeatsByTimeTest() {
    for (uint32_t i = 0; i < 3; ++i) origins_.push_back({ProcessId(i), ClockId(i)});
  }

  static PacketRecord Record(uint16_t capture, uint32_t index, CopyDirection direction,
                             int64_t time) {
    PacketRecord r;
    r.loose = r.strict = 77;
    r.capture = capture;
    r.index_low = index;
    r.hop_limit = 64;
    r.time = time;
    r.direction_bits = static_cast<uint32_t>(direction) & 3;
    return r;
  }
  static PacketRecord Sent(uint32_t index, int64_t time) {
    return Record(0, index, CopyDirection::kOut, time);
  }
  static PacketRecord Received(uint32_t index, int64_t sent) {
    return Record(1, index, CopyDirection::kIn, sent + kAhead + kDelay);
  }
  // Matches the copies after unique messages every second from 0 s to 100 s.
  PacketMatchCounts Match(const std::vector<PacketRecord>& copies) {
    MatchLedger ledger(origins_, sink_);
    for (uint32_t s = 0; s <= 100; ++s)
      ledger.Message(Sent(1000 + s, s * kSecond), Received(1000 + s, s * kSecond));
    sink_.messages.clear();
    DirectionByTiming timing;
    RepeatsByTime repeats;
    EXPECT_TRUE(repeats.Defer(copies));
    EXPECT_TRUE(repeats.Finish(ledger, timing));
    return ledger.TakeCounts();
  }
  static uint64_t Count(const PacketMatchCounts& counts, PacketFate fate) {
    uint64_t sum = 0;
    for (const auto& capture : counts.captures) sum += capture[fate];
    return sum;
  }

  std::vector<CaptureOrigin> origins_;
  CollectingSink sink_;
};

TEST_F(RepeatsByTimeTest, PairsTransmissionsThatAreFarApart) {
  const auto counts = Match({Sent(1, 10 * kSecond), Sent(2, 40 * kSecond),
                             Received(1, 10 * kSecond), Received(2, 40 * kSecond)});
  EXPECT_EQ(sink_.messages.size(), 2U);
  EXPECT_EQ(Count(counts, PacketFate::kMatched), 4U);
}

TEST_F(RepeatsByTimeTest, LeavesALostTransmissionAlone) {
  const auto counts =
      Match({Sent(1, 10 * kSecond), Sent(2, 40 * kSecond), Received(1, 40 * kSecond)});
  EXPECT_EQ(sink_.messages.size(), 1U);
  EXPECT_EQ(Count(counts, PacketFate::kUnmatchedSend), 1U);
  EXPECT_EQ(Count(counts, PacketFate::kMatched), 2U);
}

TEST_F(RepeatsByTimeTest, LeavesTransmissionsWithinTheWindowAmbiguous) {
  const int64_t again = 10 * kSecond + RepeatsByTime::kWindowNs - 2 * kDelay;
  const auto counts = Match({Sent(1, 10 * kSecond), Sent(2, again), Received(1, again)});
  EXPECT_TRUE(sink_.messages.empty());
  EXPECT_EQ(Count(counts, PacketFate::kAmbiguous), 3U);
}

TEST_F(RepeatsByTimeTest, LeavesClocksWithoutUniqueMessagesAmbiguous) {
  const auto counts = Match({Sent(1, 10 * kSecond), Sent(2, 40 * kSecond),
                             Record(2, 1, CopyDirection::kIn, 10 * kSecond)});
  EXPECT_TRUE(sink_.messages.empty());
  EXPECT_EQ(Count(counts, PacketFate::kAmbiguous), 3U);
}

TEST_F(RepeatsByTimeTest, HasABoundOnWhatWaits) {
  RepeatsByTime repeats;
  const std::vector<PacketRecord> many(RepeatsByTime::kMaxCopies, Sent(1, 0));
  EXPECT_TRUE(repeats.Defer(many));
  EXPECT_FALSE(repeats.Defer(std::span(many).first(1)));
}

}  // namespace
}  // namespace syncline
