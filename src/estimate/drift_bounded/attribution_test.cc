#include "estimate/drift_bounded/attribution.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Clocks that show the same time and exchange messages that take nothing.
class Exchanges {
 public:
  explicit Exchanges(size_t clocks)
      : clocks_(clocks),
        limits_(clocks, RateLimits::Within(200)),
        tracks_(std::vector<uint32_t>(clocks, 1)) {}

  // Both ways at these seconds.
  void Add(uint32_t a, uint32_t b, std::initializer_list<int64_t> seconds) {
    KeptDirection there{.from = a, .to = b}, back{.from = b, .to = a};
    for (const int64_t s : seconds) {
      there.all.push_back({s * kSecond, s * kSecond, 0});
      back.all.push_back({s * kSecond, s * kSecond, 0});
    }
    messages_.directions.push_back(there);
    messages_.directions.push_back(back);
  }
  std::vector<CutPlace> Attribute(std::vector<SeenStep> seen, uint32_t root = 0) const {
    return AttributeSteps(std::move(seen), messages_, tracks_, clocks_, limits_, ClockId(root));
  }

 private:
  std::vector<ClockInput> clocks_;
  std::vector<RateLimits> limits_;
  TrackTable tracks_;
  Collection messages_;
};

// Between these seconds, at both clocks.
// Clock b gained this many seconds on a.
SeenStep Seen(uint32_t a, uint32_t b, int64_t after, int64_t before, int64_t jump = 1) {
  const Window window{{0, after * kSecond}, {0, before * kSecond}};
  return {{ClockId(a), ClockId(b)}, window, window, {jump * kSecond, jump * kSecond}};
}

std::vector<ClockId> ClocksOf(const std::vector<CutPlace>& cuts) {
  std::vector<ClockId> clocks;
  for (const CutPlace& cut : cuts) clocks.push_back(cut.clock);
  std::sort(clocks.begin(), clocks.end());
  return clocks;
}

TEST(AttributeSteps, OfTwoClocksTheReferenceKeepsItsTime) {
  Exchanges pair(2);
  pair.Add(0, 1, {1, 2, 3, 4});
  for (const uint32_t root : {0u, 1u}) {
    const auto cuts = pair.Attribute({Seen(0, 1, 2, 3, 5)}, root);
    ASSERT_EQ(cuts.size(), 1u);
    EXPECT_EQ(cuts[0].clock, ClockId(1 - root));
    EXPECT_EQ(cuts[0].from.reading, 3 * kSecond);
    EXPECT_EQ(cuts[0].after.reading, 2 * kSecond);
  }
}

TEST(AttributeSteps, AStepThatAllPairsOfAClockSawIsItsOwn) {
  Exchanges star(4);  // about 2
  for (const uint32_t c : {0u, 1u, 3u}) star.Add(c, 2, {1, 2, 3, 4});
  star.Add(0, 1, {1, 2, 3, 4});
  star.Add(1, 3, {1, 2, 3, 4});
  const auto cuts = star.Attribute({Seen(0, 2, 2, 3), Seen(1, 2, 2, 3), Seen(2, 3, 2, 3, -1)});
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].clock, ClockId(2));
}

TEST(AttributeSteps, TheReferenceWasSetWhereAllOthersAgree) {
  Exchanges mesh(3);
  for (const auto& [a, b] : {std::pair(0u, 1u), {0u, 2u}, {1u, 2u}}) mesh.Add(a, b, {1, 2, 3, 4});
  const auto cuts = mesh.Attribute({Seen(0, 1, 2, 3), Seen(0, 2, 2, 3)});
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].clock, ClockId(0));
}

TEST(AttributeSteps, ClocksThatAPairHoldsTogetherWereSetTogether) {
  Exchanges line(4);
  for (uint32_t c = 0; c < 3; ++c) line.Add(c, c + 1, {1, 2, 3, 4});
  const auto cuts = line.Attribute({Seen(1, 2, 2, 3)});
  ASSERT_EQ(cuts.size(), 2u);
  EXPECT_EQ(cuts[0].clock, ClockId(2));
  EXPECT_EQ(cuts[1].clock, ClockId(3));
}

// A ring, of which one pair saw the step of clock 3; the other pair of 3 said nothing for long
// about that time, though it has most messages.
TEST(AttributeSteps, APairThatWasSilentCanHaveMissedIt) {
  Exchanges ring(4);
  ring.Add(0, 1, {1, 10, 20, 21, 30});
  ring.Add(1, 2, {1, 10, 20, 21, 30});
  ring.Add(2, 3, {1, 2, 3, 4, 5, 6, 7, 40, 41, 42, 43, 44});
  ring.Add(0, 3, {1, 10, 20, 21, 30});
  const auto cuts = ring.Attribute({Seen(0, 3, 20, 21)});
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].clock, ClockId(3));
}

TEST(AttributeSteps, TheHubOfAStarIsFewerClocksThanAllOthers) {
  Exchanges star(4);
  for (const uint32_t c : {1u, 2u, 3u}) star.Add(0, c, {1, 2, 3, 4});
  const auto cuts = star.Attribute({Seen(0, 1, 2, 3), Seen(0, 2, 2, 3), Seen(0, 3, 2, 3)}, 1);
  EXPECT_EQ(ClocksOf(cuts), (std::vector{ClockId(0)}));
}

// Neither of the clocks that saw it said anything to others before.
TEST(AttributeSteps, WhereNothingTellsWhichClockItWasBothAreTaken) {
  Exchanges ring(4);
  ring.Add(0, 1, {10, 20, 30});
  ring.Add(1, 2, {10, 20, 30});
  ring.Add(2, 3, {10, 20, 30});
  ring.Add(0, 3, {1, 2, 3, 4, 10, 20});
  const auto cuts = ring.Attribute({Seen(0, 3, 2, 3)});
  EXPECT_EQ(ClocksOf(cuts), (std::vector{ClockId(0), ClockId(3)}));
}

// Between 1 s and 40 s two clocks within 200 ppm can drift apart by 15 ms.
TEST(AttributeSteps, APairHoldsClocksTogetherOnlyIfItWouldHaveSeenTheStep) {
  Exchanges line(3);
  line.Add(0, 1, {1, 10, 20, 21, 30});
  line.Add(1, 2, {1, 40});
  const auto set = [&](int64_t jump_ms) {
    SeenStep seen = Seen(0, 1, 20, 21);
    seen.jump = {jump_ms * 1'000'000, jump_ms * 1'000'000};
    return ClocksOf(line.Attribute({seen}, 2));
  };
  EXPECT_EQ(set(17), (std::vector{ClockId(0)}));
  EXPECT_EQ(set(14), (std::vector{ClockId(0), ClockId(1)}));
}

// A clock that was set back while a pair was silent left nothing there.
TEST(AttributeSteps, APairThatWasSilentUntilTheNextStepTellsNothing) {
  Exchanges line(3);
  line.Add(0, 1, {1, 2, 5, 6});
  line.Add(1, 2, {1, 2, 3, 5, 6});
  EXPECT_EQ(ClocksOf(line.Attribute({Seen(1, 2, 2, 3)})), (std::vector{ClockId(2)}));
  const auto cuts = line.Attribute({Seen(1, 2, 2, 3), Seen(1, 2, 3, 5, -1)});
  EXPECT_EQ(ClocksOf(cuts), (std::vector{ClockId(1), ClockId(1), ClockId(2), ClockId(2)}));
}

// Clock 1 gained on 0; by 2 it lost, so that was another step.
TEST(AttributeSteps, WhatAClockGainedForOneAndLostForAnotherAreTwoSteps) {
  Exchanges line(3);
  line.Add(0, 1, {1, 2, 3, 4, 5});
  line.Add(1, 2, {1, 2, 5, 6});
  EXPECT_EQ(line.Attribute({Seen(0, 1, 2, 3), Seen(1, 2, 2, 5, -1)}).size(), 1u);
  EXPECT_EQ(line.Attribute({Seen(0, 1, 2, 3), Seen(1, 2, 2, 5)}).size(), 2u);
}

// Of three clocks that tell, one saw the hub's step and its own as one.
TEST(AttributeSteps, AStepOfAnotherSizeAtTheSameTimeIsTheOtherClocksOwn) {
  Exchanges star(4);
  for (const uint32_t c : {1u, 2u, 3u}) star.Add(0, c, {1, 2, 3, 4});
  const auto cuts = star.Attribute({Seen(0, 1, 2, 3), Seen(0, 2, 2, 3), Seen(0, 3, 2, 3, 5)}, 1);
  EXPECT_EQ(ClocksOf(cuts), (std::vector{ClockId(0), ClockId(3)}));
}

TEST(AttributeSteps, AFewSecondsOfSlewTellOfTheStepsOfOthersOnly) {
  Exchanges star(4);  // about 2
  for (const uint32_t c : {0u, 1u, 3u}) star.Add(c, 2, {1, 2, 3, 4});
  const auto slew = [](SeenStep seen) {
    seen.is_slew = true;
    return seen;
  };
  EXPECT_TRUE(star.Attribute({slew(Seen(0, 2, 2, 3))}).empty());
  const auto cuts =
      star.Attribute({slew(Seen(0, 2, 2, 3)), Seen(1, 2, 2, 3), slew(Seen(2, 3, 2, 3, -1))}, 1);
  EXPECT_EQ(ClocksOf(cuts), (std::vector{ClockId(2)}));
}

TEST(AttributeSteps, StepsAtOtherTimesAreOthers) {
  Exchanges star(3);
  star.Add(0, 1, {1, 2, 3, 4, 5, 6});
  star.Add(0, 2, {1, 2, 3, 4, 5, 6});
  const auto cuts = star.Attribute({Seen(0, 1, 2, 3), Seen(0, 2, 4, 5)});
  ASSERT_EQ(cuts.size(), 2u);
  EXPECT_EQ(cuts[0].clock, ClockId(1));
  EXPECT_EQ(cuts[1].clock, ClockId(2));
}

}  // namespace
}  // namespace syncline::drift_bounded
