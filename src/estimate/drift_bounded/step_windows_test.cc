#include "estimate/drift_bounded/step_windows.h"

#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// Clock 0, the reference, exchanges messages of 0.1 ms with clock 1, which is set ahead.
class SteppingPair {
 public:
  explicit SteppingPair(int64_t set_at, int64_t ahead) : set_at_(set_at), ahead_(ahead) {}

  int64_t Reading(int64_t t) const { return t + (t >= set_at_ ? ahead_ : 0); }
  void There(int64_t t) { Add(0, 1, t, Reading(t + kMillisecond / 10)); }
  void Back(int64_t t) { Add(1, 0, Reading(t), t + kMillisecond / 10); }
  // From the reference to the other clock, by their readings.
  uint64_t Message(int64_t sent, int64_t received) {
    Add(0, 1, sent, received);
    return messages_.back().id;
  }
  void Exchange(int64_t t) {
    There(t);
    Back(t + kMillisecond);
  }

  // The sides' certain readings where all between `after` and `from` say nothing to bounds.
  StepSides FindSidesOf(int64_t after, int64_t from) const {
    const std::vector<ClockInput> clocks(2);
    Component component = MakeComponent(clocks);
    const int64_t origin = messages_.front().receive_ns;
    Explanation explanation = {NoCut(), {{}, RateLimits::Within(200)}, {}};
    explanation.tracks.Cut(ClockId(1), 0, from);
    explanation.tracks.Cut(ClockId(1), 0, after + 1, true);
    const auto messages = component.CollectMessages(explanation);
    const Solved solved = component.Solve(explanation, *messages, Stamps::kCoarse);
    EXPECT_TRUE(solved.paths.cycle().empty());
    StepSides sides = *FindSides(component, explanation, solved.graph, solved.paths);
    for (Extent& of_track : sides.certain) {
      of_track.first = solved.graph.FloorNs(of_track.first) + origin;
      of_track.last = solved.graph.FloorNs(of_track.last) + origin;
    }
    return sides;
  }

  struct Found {
    bool went_on = false;
    std::vector<CutPlace> narrowed;
  };
  // With this cut of clock 1, of a step that was seen to be `jump`.
  Found Find(std::optional<int64_t> after, int64_t from, Jump jump) const {
    const std::vector<ClockInput> clocks(2);
    Component component = MakeComponent(clocks);
    Explanation explanation = {NoCut(), {{}, RateLimits::Within(200)}, {}};
    // Readings count from the first message of a clock.
    const int64_t origin = messages_.front().receive_ns;
    CutPlace cut{ClockId(1), {0, from - origin}, Window{}.after, jump};
    explanation.tracks.Cut(ClockId(1), 0, from);
    if (after) {
      cut.after = {0, *after - origin};
      explanation.tracks.Cut(ClockId(1), 0, *after + 1, true);
    }
    const auto messages = component.CollectMessages(explanation);
    const Solved solved = component.Solve(explanation, *messages, Stamps::kCoarse);
    EXPECT_TRUE(solved.paths.cycle().empty());
    Found found{WentOn(component, explanation, solved, cut),
                *NarrowWindows(component, explanation, solved, {cut})};
    for (CutPlace& narrowed : found.narrowed) {
      narrowed.after.reading += origin;
      narrowed.from.reading += origin;
    }
    return found;
  }

 private:
  static TrackTable NoCut() { return TrackTable(std::vector<uint32_t>{1, 1}); }
  Component MakeComponent(std::span<const ClockInput> clocks) const {
    return Component(clocks, ClockId(0),
                     [this](const MessageVisitor& visit) -> Result<void> {
                       for (const RecordedMessage& m : messages_) visit(m);
                       return {};
                     },
                     {}, {true, true});
  }
  void Add(uint32_t from, uint32_t to, int64_t s, int64_t r) {
    messages_.push_back({ClockId(from), ClockId(to), {s}, {r}, s, r, messages_.size()});
  }

  int64_t set_at_, ahead_;
  std::vector<RecordedMessage> messages_;
};

constexpr Jump kAhead = {49 * kMillisecond, 51 * kMillisecond};

TEST(StepWindows, MessagesThatOneSideContradictsAreOnTheOther) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 1000 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  const auto found = pair.Find(400 * kMillisecond, 700 * kMillisecond, kAhead);
  EXPECT_FALSE(found.went_on);
  ASSERT_EQ(found.narrowed.size(), 1u);
  // The first messages behind it were sent from it at 501 ms, the last ones to it got there at
  // 490.1.
  EXPECT_EQ(found.narrowed[0].after.reading, 490 * kMillisecond + kMillisecond / 10);
  EXPECT_EQ(found.narrowed[0].from.reading, 551 * kMillisecond);
}

// As when pairs alone could tell less; what they took for certain goes on to the last message
// before the step at 490.1 ms, and to the first one behind it at 551.
TEST(StepWindows, ReadingsAreCertainUpToTheLastMessageThatOneSideAloneAllows) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 1000 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  const auto [certain, is_open_before, is_open_behind, contradicting] =
      pair.FindSidesOf(400 * kMillisecond, 700 * kMillisecond);
  ASSERT_EQ(certain.size(), 4u);  // of the clock that was set: before, between, behind
  EXPECT_EQ(certain[1].first, kMillisecond / 10);
  EXPECT_EQ(certain[1].last, 490 * kMillisecond + kMillisecond / 10);
  EXPECT_EQ(certain[3].first, 551 * kMillisecond);
  EXPECT_EQ(is_open_before, std::vector<bool>(4));
  EXPECT_EQ(is_open_behind, std::vector<bool>(4));
  EXPECT_TRUE(contradicting.empty());
}

// In the middle of what is between, b was 20 ms behind: that neither side allows.
TEST(StepWindows, MessagesThatNeitherSideAllowsOpenWhatIsBetween) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 500 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  const uint64_t wrong = pair.Message(500 * kMillisecond, 480 * kMillisecond);
  for (int64_t t = 510 * kMillisecond; t < 1000 * kMillisecond; t += 10 * kMillisecond)
    pair.Exchange(t);
  const auto [certain, is_open_before, is_open_behind, contradicting] =
      pair.FindSidesOf(400 * kMillisecond, 700 * kMillisecond);
  EXPECT_EQ(is_open_before, (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(is_open_behind, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(contradicting, std::vector<uint64_t>{wrong});
}

TEST(StepWindows, WithoutMessagesBetweenNothingIsCertainBeyondTheSides) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 400 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  for (int64_t t = 600 * kMillisecond; t < 1000 * kMillisecond; t += 10 * kMillisecond)
    pair.Exchange(t);
  const auto [certain, is_open_before, is_open_behind, contradicting] =
      pair.FindSidesOf(391 * kMillisecond, 650 * kMillisecond);
  EXPECT_EQ(certain[1].last, 391 * kMillisecond);
  EXPECT_EQ(certain[3].first, 650 * kMillisecond + kMillisecond / 10);
  EXPECT_TRUE(contradicting.empty());
}

TEST(StepWindows, WhatBothSidesAllowStaysBetweenThem) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 400 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  // From before it only such as it sends, from behind only such as it gets: both can be late.
  for (int64_t t = 400 * kMillisecond; t < 500 * kMillisecond; t += 10 * kMillisecond) pair.Back(t);
  for (int64_t t = 500 * kMillisecond; t < 600 * kMillisecond; t += 10 * kMillisecond)
    pair.There(t);
  for (int64_t t = 600 * kMillisecond; t < 1000 * kMillisecond; t += 10 * kMillisecond)
    pair.Exchange(t);
  EXPECT_TRUE(pair.Find(391 * kMillisecond, 650 * kMillisecond + kMillisecond / 10, kAhead)
                  .narrowed.empty());
}

TEST(StepWindows, AClockThatCannotHaveBeenSetAsFarWentOn) {
  SteppingPair pair(2000 * kMillisecond, 0);
  for (int64_t t = 0; t < 1000 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  EXPECT_TRUE(
      pair.Find(490 * kMillisecond + kMillisecond / 10, 501 * kMillisecond, kAhead).went_on);
  EXPECT_TRUE(pair.Find(490 * kMillisecond + kMillisecond / 10, 501 * kMillisecond,
                        {-51 * kMillisecond, -49 * kMillisecond})
                  .went_on);
  // By so little it can.
  EXPECT_FALSE(pair.Find(490 * kMillisecond + kMillisecond / 10, 501 * kMillisecond,
                         {kMillisecond / 20, kMillisecond / 10})
                   .went_on);
}

// Of a clock that was set together with others before its first message.
TEST(StepWindows, WhereNothingIsKnownFromBeforeNothingIsNarrowed) {
  SteppingPair pair(500 * kMillisecond, 50 * kMillisecond);
  for (int64_t t = 0; t < 1000 * kMillisecond; t += 10 * kMillisecond) pair.Exchange(t);
  const auto found = pair.Find(std::nullopt, 551 * kMillisecond, kAhead);
  EXPECT_FALSE(found.went_on);
  EXPECT_TRUE(found.narrowed.empty());
}

TEST(StepWindows, WithoutBoundsOnBothSidesNothingIsKnown) {
  SteppingPair pair(2000 * kMillisecond, 0);
  for (int64_t t = 0; t < 1000 * kMillisecond; t += 10 * kMillisecond) pair.There(t);
  const auto found = pair.Find(490 * kMillisecond + kMillisecond / 10,
                               510 * kMillisecond + kMillisecond / 10, kAhead);
  EXPECT_FALSE(found.went_on);
  EXPECT_TRUE(found.narrowed.empty());
}

}  // namespace
}  // namespace syncline::drift_bounded
