#include "estimate/joint/set_aside.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_times.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = JointFinding::State;

ClockId Id(size_t clock) { return ClockId(static_cast<uint32_t>(clock)); }

// Every `period` both ways: messages take 30 µs there and 10 µs back.
void TalkSteadily(ClockGroup& group, size_t a, size_t b, int64_t period_ns) {
  for (int64_t at = 0; at < 60 * kSecond; at += period_ns) {
    group.Send(a, b, at, 30 * kUs);
    group.Send(b, a, at, 10 * kUs);
  }
}

struct Outcome {
  std::vector<PairInput> given;
  SetAside result;
  int passes = 0;

  State StateOf(size_t clock) const {
    return result.joint.components[result.joint.group.clocks[clock].component].state;
  }
};

Outcome Estimate(const ClockGroup& group, double most = 0.005) {
  const SetAsideOptions options{
      .most = most,
      .joint = {.reference = ClockId(0)},
      .estimate_pair = [](const PairInput&, const PairPoints& p) { return EstimatePair(p, {}); }};
  Outcome outcome{group.Pairs(), {}};
  const auto pass = [&](const MessageVisitor& visit) -> Result<void> {
    ++outcome.passes;
    uint64_t id = 0;
    for (const ClockMessage& m : group.messages()) {
      visit({Id(m.from), Id(m.to), {m.send_ns}, {m.receive_ns}, m.send_ns, m.receive_ns, id++});
    }
    return {};
  };
  JointEstimate joint = EstimateJoint(group.inputs(), outcome.given, options.joint);
  auto result = SetAsideSuspects(group.inputs(), outcome.given, std::move(joint), options, pass);
  outcome.result = *std::move(result);
  return outcome;
}

TEST(SetAsideSuspects, LeavesAWrongMatchOutOfTheEstimateOfTwoClocks) {
  ClockGroup right({{}, {.offset_ns = kSecond, .drift_ppb = 35'000}});
  TalkSteadily(right, 0, 1, kSecond / 2);
  ClockGroup group = right;
  group.Send(0, 1, 20 * kSecond, -5000 * kUs);
  const Outcome outcome = Estimate(group);
  // 2 · 120 messages before it.
  EXPECT_THAT(outcome.result.suspects, ElementsAre(240));
  EXPECT_EQ(outcome.StateOf(1), State::kJoint);
  EXPECT_EQ(outcome.result.pairs[0].estimate.messages_ab, 121U);
  const Outcome without = Estimate(right);
  EXPECT_EQ(without.passes, 0);
  EXPECT_EQ(outcome.result.joint.group.clocks[1].correction,
            without.result.joint.group.clocks[1].correction);
}

TEST(SetAsideSuspects, FindsAMessageThatOnlyAThirdClockContradicts) {
  // Messages go round in a circle one way, so no pair contradicts itself: b hears from a, c from b,
  // a from c, each after 100 µs. One message a → b seems to come a millisecond early.
  ClockGroup group(std::vector<TrueClock>(3));
  for (int64_t at = 0; at < 60 * kSecond; at += kSecond / 4) {
    for (size_t i = 0; i < 3; ++i) group.Send(i, (i + 1) % 3, at, 100 * kUs);
  }
  group.Send(0, 1, 20 * kSecond, -1000 * kUs);
  const Outcome outcome = Estimate(group);
  EXPECT_EQ(outcome.given[0].estimate.quality, Quality::kIncomplete);
  EXPECT_THAT(outcome.result.suspects, ElementsAre(3 * 240));
  EXPECT_EQ(outcome.StateOf(1), State::kJoint);
  EXPECT_EQ(outcome.result.joint.group.clocks[1].quality, Quality::kAccurate);
}

TEST(SetAsideSuspects, DropsNoMoreThanTheStatedShare) {
  // Two wrong ones among 402 messages: 0.005 · 402 is 2, 0.004 · 402 is 1, 0 is none.
  ClockGroup group(std::vector<TrueClock>(2));
  TalkSteadily(group, 0, 1, 3 * kSecond / 10);
  group.Send(0, 1, 20 * kSecond, -5000 * kUs);
  group.Send(1, 0, 40 * kSecond, -5000 * kUs);
  EXPECT_THAT(Estimate(group, 0.005).result.suspects, ElementsAre(400, 401));
  for (const double most : {0.004, 0.0}) {
    const Outcome outcome = Estimate(group, most);
    EXPECT_THAT(outcome.result.suspects, IsEmpty());
    EXPECT_EQ(outcome.StateOf(1), State::kFallback);
  }
}

TEST(SetAsideSuspects, DropsOneMoreThanTheShareOfEachClockAtMost) {
  // 2400 messages of a and b allow for 12 suspects, but c's 40 for 0.005 · 40 + 1, which is 1.
  for (const size_t wrong : {1, 2}) {
    ClockGroup group(std::vector<TrueClock>(3));
    TalkSteadily(group, 0, 1, kSecond / 20);
    TalkSteadily(group, 0, 2, 3 * kSecond);
    for (size_t i = 0; i < wrong; ++i) {
      group.Send(0, 2, static_cast<int64_t>(10 + i) * kSecond, -5000 * kUs);
    }
    const Outcome outcome = Estimate(group);
    EXPECT_EQ(outcome.result.suspects.size(), wrong == 1 ? 1U : 0U);
    EXPECT_EQ(outcome.StateOf(2), wrong == 1 ? State::kJoint : State::kFallback);
  }
}

TEST(SetAsideSuspects, NeedsContradictionsLargerThanMessagesTake) {
  // Messages take 20 µs either way once corrected, so usually 40 µs there and back; one that seems
  // to take −25 µs takes −35 µs then.
  for (const int64_t early_ns : {25 * kUs, 300 * kUs}) {
    ClockGroup group(std::vector<TrueClock>(2));
    TalkSteadily(group, 0, 1, kSecond / 10);
    group.Send(0, 1, 20 * kSecond, -early_ns);
    const Outcome outcome = Estimate(group);
    EXPECT_EQ(outcome.result.suspects.size(), early_ns > 40 * kUs ? 1U : 0U) << early_ns;
  }
}

TEST(SetAsideSuspects, JudgesEveryComponentByItself) {
  // a and b with a wrong match; c and d, whose clock steps in the middle of its trace.
  ClockGroup group(std::vector<TrueClock>(4));
  TalkSteadily(group, 0, 1, kSecond / 10);
  group.Send(0, 1, 20 * kSecond, -5000 * kUs);
  for (int64_t at = 0; at < 60 * kSecond; at += kSecond / 10) {
    const int64_t step_ns = at < 30 * kSecond ? 0 : 1000 * kUs;
    group.Send(2, 3, at, 30 * kUs + step_ns);
    group.Send(3, 2, at, 10 * kUs - step_ns);
  }
  const Outcome outcome = Estimate(group);
  EXPECT_THAT(outcome.result.suspects, ElementsAre(2 * 600));
  EXPECT_EQ(outcome.StateOf(1), State::kJoint);
  EXPECT_EQ(outcome.StateOf(3), State::kFallback);
}

TEST(SetAsideSuspects, ReportsThatAPassFailed) {
  ClockGroup group(std::vector<TrueClock>(2));
  TalkSteadily(group, 0, 1, kSecond / 10);
  group.Send(0, 1, 20 * kSecond, -5000 * kUs);
  const std::vector<PairInput> pairs = group.Pairs();
  const SetAsideOptions options{.joint = {.reference = ClockId(0)}};
  const auto result = SetAsideSuspects(
      group.inputs(), pairs, EstimateJoint(group.inputs(), pairs, options.joint), options,
      [](const auto&) -> Result<void> { return Fail(ErrorCode::kUnreadable, "disk full"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "disk full");
}

}  // namespace
}  // namespace syncline
