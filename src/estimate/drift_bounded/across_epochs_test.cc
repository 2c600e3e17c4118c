#include "estimate/drift_bounded/across_epochs.h"

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/hulls/pair_points.h"

namespace syncline::drift_bounded {
namespace {

constexpr ClockId kA{0}, kB{1};
constexpr int64_t kMilli = 1'000'000;

RecordedMessage AToB(int64_t sent, int64_t received, uint32_t epoch, uint64_t id) {
  return {kA, kB, {sent}, {received}, sent, received, id, 0, epoch};
}
RecordedMessage BToA(int64_t sent, int64_t received, uint32_t epoch, uint64_t id) {
  return {kB, kA, {sent}, {received}, sent, received, id, epoch, 0};
}
ClockInput Nanoseconds(const char* name, std::vector<ReadingSpan> epochs) {
  const LocalTime first = epochs.front().first, last = epochs.front().last;
  if (epochs.size() == 1) epochs.clear();
  return {{.name = name, .ticks_per_second = 1'000'000'000}, first, last, std::move(epochs)};
}

std::vector<RecordedMessage> Across(const std::vector<RecordedMessage>& messages,
                                    const std::vector<ClockInput>& clocks) {
  AcrossEpochs across({false, true});
  for (const RecordedMessage& m : messages) across.Add(m);
  return across.Messages(clocks);
}

TEST(AcrossEpochs, TakesOfEachNeighbourTheMessageThatSaysMost) {
  const std::vector<ClockInput> clocks = {Nanoseconds("a", {{{0}, {900}}}),
                                          Nanoseconds("b", {{{0}, {500}}, {{300}, {700}}})};
  const auto across = Across({AToB(100, 110, 0, 0), AToB(400, 410, 0, 1), AToB(200, 420, 0, 2),
                              BToA(310, 650, 1, 3), BToA(320, 620, 1, 4), BToA(330, 640, 1, 5)},
                             clocks);
  ASSERT_EQ(across.size(), 2u);
  // From the last reading of the first epoch, which comes before what was sent in the second.
  EXPECT_EQ(across[0].id, 4u);
  EXPECT_EQ(across[0].from, kB);
  EXPECT_EQ(across[0].from_epoch, 0u);
  EXPECT_EQ(across[0].send_ns, 500);
  EXPECT_EQ(across[0].receive_ns, 620);
  // To the first reading of the second, which comes after what was received in the first.
  EXPECT_EQ(across[1].id, 1u);
  EXPECT_EQ(across[1].to, kB);
  EXPECT_EQ(across[1].to_epoch, 1u);
  EXPECT_EQ(across[1].send_ns, 400);
  EXPECT_EQ(across[1].receive_ns, 300);
}

TEST(AcrossEpochs, SaysTheSameOfEpochsWithoutMessages) {
  const std::vector<ClockInput> clocks = {
      Nanoseconds("a", {{{0}, {900}}}),
      Nanoseconds("b", {{{0}, {500}}, {{300}, {400}}, {{100}, {700}}})};
  const auto across = Across({AToB(100, 110, 0, 0), BToA(310, 650, 2, 1)}, clocks);
  ASSERT_EQ(across.size(), 4u);
  EXPECT_EQ(across[0].send_ns, 400);
  EXPECT_EQ(across[1].send_ns, 500);
  EXPECT_EQ(across[2].receive_ns, 300);
  EXPECT_EQ(across[3].receive_ns, 100);
  for (const RecordedMessage& m : across) EXPECT_EQ(m.id, m.from == kA ? 0u : 1u);
}

// b is set ahead by 200 ms, and back again while messages lead to it only: those seem to be slow,
// but what it shows then comes before what it sends behind.
TEST(AcrossEpochs, TellOfAClockThatWasSetAheadAndBackWhileItOnlyReceived) {
  constexpr int64_t kDelay = kMilli / 5, kJump = 200 * kMilli, kLength = 4000 * kMilli;
  std::vector<RecordedMessage> messages;
  PairPoints points;
  const auto add = [&](const RecordedMessage& m) {
    messages.push_back(m);
    m.from == kA ? points.AddAToB(m.send_ns, m.receive_ns)
                 : points.AddBToA(m.send_ns, m.receive_ns);
  };
  const int64_t set_ahead = 2000 * kMilli, set_back = 2200 * kMilli;
  for (int64_t t = 0; t < kLength; t += 50 * kMilli) {
    const bool is_ahead = t >= set_ahead && t < set_back;
    const uint32_t epoch = t >= set_back ? 1 : 0;
    add(AToB(t, t + kDelay + (is_ahead ? kJump : 0), epoch, messages.size()));
    if (!is_ahead) add(BToA(t + kMilli, t + kMilli + kDelay, epoch, messages.size()));
  }
  const int64_t last_ahead = set_back - 50 * kMilli + kDelay + kJump;
  const std::vector<ClockInput> clocks = {
      Nanoseconds("a", {{{0}, {kLength}}}),
      Nanoseconds("b", {{{kDelay}, {last_ahead}}, {{set_back + kDelay}, {kLength}}})};
  const MessagePass pass = [&](const MessageVisitor& visit) -> Result<void> {
    for (const RecordedMessage& m : messages) visit(m);
    return {};
  };
  const auto estimate =
      EstimateDriftBounded(clocks, std::vector<PairInput>{{kA, kB, EstimatePair(points, {})}}, pass,
                           {.max_drift_ppm = 200})
          .value();
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_EQ(estimate.group.steps.size(), 2u);
  for (const RecordedMessage& m : messages) {
    const bool is_received = m.to == kB;
    const int64_t truth = is_received ? m.send_ns + kDelay : m.receive_ns - kDelay;
    const TimeBounds& bounds =
        BoundsOf(estimate.group.clocks[1], is_received ? m.to_epoch : m.from_epoch);
    const LocalTime reading = is_received ? m.received : m.sent;
    ASSERT_TRUE(bounds.Lower(reading) && bounds.Upper(reading));
    EXPECT_LE(bounds.Lower(reading)->ns, truth) << reading.ticks;
    EXPECT_GE(bounds.Upper(reading)->ns, truth) << reading.ticks;
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
