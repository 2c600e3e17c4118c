#include "match/direction_by_timing.h"

#include <limits>

#include <gtest/gtest.h>

#include "match/match_test_util.h"

namespace syncline {
namespace {

// Counts messages, and those whose sender is not the one that the packet's number says.
class CheckingSink : public MessageSink {
 public:
  void OnMessage(const Message& m) override {
    const bool right = m.send.index == m.receive.index &&
                       m.send.process.value == m.send.index % 2 &&
                       m.receive.process != m.send.process;
    ++(right ? right_ : wrong_);
  }
  void OnBroadcast(const Broadcast&) override { ++wrong_; }
  uint64_t right() const { return right_; }
  uint64_t wrong() const { return wrong_; }

 private:
  uint64_t right_ = 0;
  uint64_t wrong_ = 0;
};

// Two captures of the packets between address 1, on capture 0's side, and address 2.
class Timing : public testing::Test {
 protected:
  struct Link {
    int64_t delay_ns = 50'000;
    int64_t offset_ns = 0;  // of capture 1's clock
    int64_t drift_ppm = 0;  // of capture 1's clock
    int64_t tick_ns = 1;
    uint32_t packets = 40;
    int64_t gap_ns = 1'000'003;
  };

  PacketRecord Copy(uint16_t capture, uint32_t number, int64_t time, uint16_t source) {
    PacketRecord r;
    r.capture = capture;
    r.index_low = number;
    r.time = time;
    r.source = source;
    r.destination = source == 1 ? 2 : 1;
    return r;
  }

  // Packets alternate in direction; even ones are from address 1.
  PacketMatchCounts Run(const Link& link) {
    DirectionByTiming timing;
    for (uint32_t i = 0; i < link.packets; ++i) {
      const uint16_t source = i % 2 == 0 ? 1 : 2;
      const int64_t sent = kEpoch + i * link.gap_ns;
      const int64_t at_0 = source == 1 ? sent : sent + link.delay_ns;
      const int64_t at_1 = source == 1 ? sent + link.delay_ns : sent;
      const int64_t drifted = at_1 + (at_1 - kEpoch) * link.drift_ppm / 1'000'000;
      const int64_t t0 = at_0 / link.tick_ns * link.tick_ns;
      const int64_t t1 = (drifted + link.offset_ns) / link.tick_ns * link.tick_ns;
      EXPECT_TRUE(timing.Add(Copy(1, i, t1, source), Copy(0, i, t0, source)));
    }
    const std::vector<CaptureOrigin> origins = {{ProcessId(0), ClockId(0)},
                                                {ProcessId(1), ClockId(1)}};
    MatchLedger ledger(origins, sink_);
    EXPECT_TRUE(timing.Finish(ledger));
    return ledger.TakeCounts();
  }

  static constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
  CheckingSink sink_;
};

TEST_F(Timing, SenderIsWhereTheDifferencesSay) {
  const Link links[] = {
      {},
      {.offset_ns = -3'600'000'000'000},
      {.offset_ns = 315'360'000'000'000'000},
      {.drift_ppm = 300, .gap_ns = 10'000'003},
      {.tick_ns = 1000, .gap_ns = 1'003'003},
      {.delay_ns = 5'000, .gap_ns = 100'003},
      {.packets = 270'001},                 // waits on disk, votes by a sample
      {.packets = 270'001, .gap_ns = 101},  // all within a moment
  };
  for (const Link& link : links) {
    sink_ = {};
    const PacketMatchCounts counts = Run(link);
    SCOPED_TRACE(testing::Message() << link.offset_ns << ' ' << link.drift_ppm << ' '
                                    << link.tick_ns << ' ' << link.gap_ns);
    EXPECT_EQ(counts.messages, link.packets);
    EXPECT_EQ(sink_.right(), link.packets);
    EXPECT_EQ(sink_.wrong(), 0);
  }
}

TEST_F(Timing, WhatDriftOrTicksCouldExplainDecidesNothing) {
  const Link links[] = {
      {.delay_ns = 1'000, .gap_ns = 900'000'003},  // 1 µs against 900 µs of possible drift
      {.delay_ns = 50'000, .tick_ns = 1'000'000},
      {.gap_ns = 2'000'000'003},  // no neighbours
      {.packets = 2},
  };
  for (const Link& link : links) {
    const PacketMatchCounts counts = Run(link);
    EXPECT_EQ(counts.messages, 0);
    EXPECT_EQ(counts.captures[0][PacketFate::kDirectionUnknown], link.packets);
  }
}

TEST_F(Timing, OneHostCapturedTwiceIsRecognised) {
  const PacketMatchCounts counts = Run({.delay_ns = 0, .offset_ns = 5, .gap_ns = 100'003});
  EXPECT_EQ(counts.messages, 0);
  EXPECT_EQ(counts.captures[0][PacketFate::kSameHost], 40);
  EXPECT_EQ(counts.captures[1][PacketFate::kSameHost], 40);
}

TEST_F(Timing, NonsensicalTimesAreSurvived) {
  DirectionByTiming timing;
  for (uint32_t i = 0; i < 100; ++i) {
    const int64_t extreme =
        i % 3 == 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
    const auto source = static_cast<uint16_t>(1 + i % 2);
    ASSERT_TRUE(timing.Add(Copy(0, i, extreme, source), Copy(1, i, -(extreme / 2), source)));
  }
  const std::vector<CaptureOrigin> origins = {{ProcessId(0), ClockId(0)},
                                              {ProcessId(1), ClockId(1)}};
  MatchLedger ledger(origins, sink_);
  ASSERT_TRUE(timing.Finish(ledger));
  EXPECT_EQ(PacketsOf(ledger.TakeCounts().captures[0]), 100);
}

}  // namespace
}  // namespace syncline
