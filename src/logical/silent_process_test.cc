// A process that says nothing for long holds nobody up for longer than the look-ahead, and what it
// says at last is neither lost nor put before what it follows.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "logical/logical_test_util.h"

namespace syncline {
namespace {

using Kind = LogicalEvent::Kind;

constexpr size_t kLookahead = 64;
constexpr int64_t kHorizonNs = 2'000;
constexpr int64_t kDelayNs = 10;
constexpr int64_t kRounds = 3'000;
constexpr int64_t kRoundNs = 100;

LogicalOptions OrderedOptions(OutputOrder order) {
  LogicalOptions options;
  options.lookahead = kLookahead;
  options.max_horizon_ns = kHorizonNs;
  options.amortizer = {1, 4, 100};
  options.order = order;
  return options;
}

// Processes 0 and 1 exchange messages, and 0 sends every fifth message to 2 as well.
class Conversation {
 public:
  explicit Conversation(OutputOrder order) : filter_(OrderedOptions(order), delays_, sink_) {
    for (uint32_t p = 0; p < 3; ++p) filter_.AddProcess(ClockId{p});
  }

  // Returns the largest number of events that were in the filter at once.
  size_t TalkPastTheSilentOne() {
    size_t most = 0;
    for (int64_t i = 0; i < kRounds; ++i) {
      const int64_t time = i * kRoundNs;
      Push(0, time, Kind::kSend, 1, i);
      if (i % 5 == 0) Push(0, time + 10, Kind::kSend, 2, i);
      Push(1, time - 20, Kind::kReceive, 0, i);  // its clock is behind
      most = std::max(most, trace_.size() - sink_.events.size());
    }
    return most;
  }
  // The silent one has received all messages, at times before they were sent.
  void BreakTheSilence() {
    for (int64_t i = 0; i < kRounds; i += 5) Push(2, i * kRoundNs - 50, Kind::kReceive, 0, i);
    Push(2, kRounds * kRoundNs, Kind::kInternal, 0, 0);
  }
  void Finish() { filter_.Finish(); }

  const TestTrace& trace() const { return trace_; }
  const RememberingSink& sink() const { return sink_; }
  const LogicalReport& report() { return filter_.report(); }

 private:
  void Push(uint32_t process, int64_t time, Kind kind, uint32_t peer, int64_t message) {
    trace_.Transfer(process, time, kind, peer, static_cast<uint64_t>(message));
    filter_.Push(trace_.processes[process].back());
  }

  TestTrace trace_{3};
  RememberingSink sink_;
  DelayModel delays_{{kDelayNs, 0}};
  LogicalFilter filter_;
};

class SilentProcess : public testing::TestWithParam<OutputOrder> {
 protected:
  Conversation talk_{GetParam()};
};

TEST_P(SilentProcess, HoldsUpNoMoreThanTheLookaheadAndTheHorizon) {
  const size_t most = talk_.TalkPastTheSilentOne();
  // The look-ahead: in the input, and once more in the global order.
  // Then sends wait for the silent one until the others have come further by the horizon.
  const size_t per_horizon = kHorizonNs / kRoundNs * 11 / 5;
  EXPECT_LE(most, 2 * kLookahead + per_horizon);
  EXPECT_GT(talk_.report().given_up, 0u);
}

TEST_P(SilentProcess, LosesNothingAndGoesBehindNothing) {
  talk_.TalkPastTheSilentOne();
  talk_.BreakTheSilence();
  talk_.Finish();
  const std::vector<int64_t> after = talk_.sink().AfterByTag(talk_.trace().size());
  ASSERT_EQ(talk_.sink().events.size(), talk_.trace().size());
  for (const auto& events : talk_.trace().processes) {
    for (size_t j = 0; j < events.size(); ++j) {
      EXPECT_GE(after[events[j].tag], events[j].time.ns);
      const int64_t previous = j > 0 ? after[events[j - 1].tag] : INT64_MIN;
      EXPECT_GE(after[events[j].tag], previous);
    }
  }
  for (const RetimedMessage& m : talk_.sink().messages) {
    EXPECT_GE(m.receive_after, m.send_after + m.minimum_delay);
  }
}

TEST_P(SilentProcess, HasItsReceivesDeliveredOrCounted) {
  talk_.TalkPastTheSilentOne();
  talk_.BreakTheSilence();
  talk_.Finish();
  const LogicalReport& report = talk_.report();
  const auto receives = static_cast<uint64_t>(kRounds + kRounds / 5);
  EXPECT_EQ(report.messages, talk_.sink().messages.size());
  EXPECT_EQ(report.messages + report.unmatched_receives, receives);
  EXPECT_EQ(report.messages + report.unmatched_sends, receives);
  // All between the two that talked, and the latest to the silent one.
  EXPECT_GT(report.messages, static_cast<uint64_t>(kRounds));
  EXPECT_EQ(report.broken, 0u);
}

INSTANTIATE_TEST_SUITE_P(Order, SilentProcess,
                         testing::Values(OutputOrder::kPerProcess, OutputOrder::kGlobal),
                         [](const auto& run) {
                           return std::string(run.param == OutputOrder::kGlobal ? "Global"
                                                                                : "PerProcess");
                         });

}  // namespace
}  // namespace syncline
