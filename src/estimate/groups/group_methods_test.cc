// What every group method owes: chains, meshes, isolated clocks, silent pairs, large stamps.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/groups/broadcast.h"
#include "estimate/groups/by_intervals.h"
#include "estimate/groups/groups_test_util.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint.h"

namespace syncline {
namespace {

using Talk = std::vector<std::pair<size_t, size_t>>;

// Clocks of which the pairs of `talk` exchange messages and receive broadcasts together.
struct Scene {
  Scene(std::vector<TrueClock> clocks, const Talk& talk, int64_t start = 0)
      : group(std::move(clocks), start), start_ns(start) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> jitter(1.0 / 10'000);
    for (const auto& [a, b] : talk) {
      group.Stream(a, b, 600, 50'000, random, 60'000);
      group.Stream(b, a, 600, 50'000, random, 60'000);
      for (int i = 0; i < 300; ++i) {
        const auto at = static_cast<int64_t>(random() % (60 * kSecond));
        Broadcast(a, b, at, static_cast<int64_t>(jitter(random)),
                  static_cast<int64_t>(jitter(random)));
      }
    }
  }

  void Broadcast(size_t a, size_t b, int64_t at, int64_t delay_a, int64_t delay_b) {
    const auto reception = [&](size_t clock, int64_t delay) {
      const Line line = group.Truth(clock);
      return TimedReception{ClockId(static_cast<uint32_t>(clock)),
                            LocalTime{line.Nearest(start_ns + at + delay)}};
    };
    broadcasts.push_back({reception(a, delay_a), reception(b, delay_b)});
  }

  ClockGroup group;
  int64_t start_ns;
  std::vector<TimedBroadcast> broadcasts;
};

constexpr ClockId kFirst(0);

struct Method {
  const char* name;
  std::function<GroupEstimate(const Scene&)> estimate;
};

GroupEstimate Tree(const Scene& scene, TreeOptions::Weights weights) {
  return EstimateTree(scene.group.inputs(), scene.group.Pairs(),
                      {.reference = kFirst, .weights = weights});
}

const std::vector<Method>& Methods() {
  static const std::vector<Method> kMethods = {
      {"tree-error", [](const Scene& s) { return Tree(s, TreeOptions::Weights::kError); }},
      {"tree-hops", [](const Scene& s) { return Tree(s, TreeOptions::Weights::kHops); }},
      {"joint",
       [](const Scene& s) {
         return EstimateJoint(s.group.inputs(), s.group.Pairs(), {.reference = kFirst}).group;
       }},
      {"closure",
       [](const Scene& s) {
         return EstimateByIntervals(s.group.inputs(), s.group.Pairs(), MessagesOf(s.group),
                                    IntervalMethod::kClosure, kFirst)
             ->group;
       }},
      {"piecewise",
       [](const Scene& s) {
         return EstimateByIntervals(s.group.inputs(), s.group.Pairs(), MessagesOf(s.group),
                                    IntervalMethod::kPiecewise, kFirst)
             ->group;
       }},
      {"broadcast",
       [](const Scene& s) {
         return EstimateBroadcast(s.group.inputs(), s.group.Pairs(), s.broadcasts,
                                  {.reference = kFirst})
             .group;
       }},
  };
  return kMethods;
}

int64_t ErrorAt(const Scene& scene, const GroupEstimate& group, size_t clock, int64_t true_ns) {
  const int64_t local = scene.group.Truth(clock).Nearest(true_ns);
  return group.clocks[clock].correction(LocalTime{local}).ns - true_ns;
}

// The clock, related to clock 0, is right to `limit_ns`, and its ± holds the truth.
void ExpectRight(const Scene& scene, const GroupEstimate& group, size_t clock, int64_t limit_ns) {
  const ClockEstimate& estimate = group.clocks[clock];
  EXPECT_EQ(estimate.component, 0u);
  EXPECT_EQ(estimate.quality, Quality::kAccurate);
  ASSERT_TRUE(estimate.bound.has_value());
  for (int64_t s = 0; s <= 60; ++s) {
    const int64_t t = scene.start_ns + s * kSecond;
    const int64_t error = ErrorAt(scene, group, clock, t);
    EXPECT_LE(std::abs(error), limit_ns) << "at second " << s;
    EXPECT_LE(std::abs(error), estimate.bound->worst_ns + 1);
  }
}

const std::vector<TrueClock> kFourClocks = {
    {}, {kSecond, 35'000}, {-3 * kSecond, -12'000}, {5'000, 5'000}};

TEST(GroupMethods, SetChainsMeshesAndGroupsWithASilentPairRight) {
  const struct {
    const char* name;
    Talk talk;
    std::vector<int64_t> hops;  // from clock 0
  } cases[] = {
      {"chain", {{0, 1}, {1, 2}, {2, 3}}, {0, 1, 2, 3}},
      {"mesh", {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {0, 1, 1, 1}},
      {"silent pair", {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}}, {0, 1, 1, 1}},
  };
  for (const auto& c : cases) {
    const Scene scene(kFourClocks, c.talk);
    for (const Method& method : Methods()) {
      SCOPED_TRACE(std::string(method.name) + ", " + c.name);
      const GroupEstimate group = method.estimate(scene);
      ASSERT_EQ(group.roots.size(), 1u);
      EXPECT_EQ(group.roots[0], kFirst);
      EXPECT_EQ(group.clocks[0].correction(LocalTime{123}).ns, 123);
      for (size_t i = 1; i < 4; ++i) {
        SCOPED_TRACE(i);
        // Delays are alike in both directions; per pair, intervals with 75 messages each way leave
        // some microseconds of jitter.
        ExpectRight(scene, group, i, 15'000 * c.hops[i]);
      }
    }
  }
}

TEST(GroupMethods, LeaveAnIsolatedClockAloneAndSayWhy) {
  const Scene scene(kFourClocks, {{0, 1}, {1, 3}});
  for (const Method& method : Methods()) {
    SCOPED_TRACE(method.name);
    const GroupEstimate group = method.estimate(scene);
    ASSERT_EQ(group.roots.size(), 2u);
    EXPECT_EQ(group.roots[1], ClockId(2));
    const ClockEstimate& alone = group.clocks[2];
    EXPECT_EQ(alone.component, 1u);
    EXPECT_EQ(alone.quality, Quality::kAbsent);
    EXPECT_NE(alone.reason, "");
    EXPECT_FALSE(alone.bound.has_value());
    EXPECT_EQ(alone.correction(LocalTime{77}).ns, 77);
    ExpectRight(scene, group, 1, 15'000);
    ExpectRight(scene, group, 3, 30'000);
  }
}

TEST(GroupMethods, SynchronizeEachComponentByItself) {
  const Scene scene(kFourClocks, {{0, 2}, {1, 3}});
  for (const Method& method : Methods()) {
    SCOPED_TRACE(method.name);
    const GroupEstimate group = method.estimate(scene);
    ASSERT_EQ(group.roots.size(), 2u);
    ExpectRight(scene, group, 2, 15'000);
    EXPECT_EQ(group.clocks[1].component, 1u);
    EXPECT_EQ(group.clocks[3].component, 1u);
    // One of the other two keeps its own time, and the other is put on it.
    const size_t root = group.roots[1].index();
    const size_t other = root == 1 ? 3 : 1;
    EXPECT_EQ(group.clocks[other].quality, Quality::kAccurate);
    EXPECT_TRUE(group.clocks[other].bound.has_value());
    const int64_t local = scene.group.Truth(other).Nearest(30 * kSecond);
    const int64_t expected = scene.group.Truth(root).Nearest(30 * kSecond);
    EXPECT_NEAR(static_cast<double>(group.clocks[other].correction(LocalTime{local}).ns - expected),
                0, 15'000);
  }
}

TEST(GroupMethods, GiveTheSameResultForEpochSizedStamps) {
  constexpr int64_t kWholeSeconds =
      1'795'263'390'000'000'000;  // whole seconds, so that readings agree
  const Talk chain = {{0, 1}, {1, 2}, {2, 3}};
  const Scene small(kFourClocks, chain);
  const Scene large(kFourClocks, chain, kWholeSeconds);
  for (const Method& method : Methods()) {
    SCOPED_TRACE(method.name);
    const GroupEstimate from_small = method.estimate(small);
    const GroupEstimate from_large = method.estimate(large);
    for (size_t i = 0; i < 4; ++i) {
      const ClockInput& input = small.group.inputs()[i];
      for (int64_t k = 0; k <= 10; ++k) {
        const int64_t t = input.first.ticks + (input.last.ticks - input.first.ticks) / 10 * k;
        EXPECT_NEAR(static_cast<double>(from_large.clocks[i].correction({t + kWholeSeconds}).ns -
                                        kWholeSeconds - from_small.clocks[i].correction({t}).ns),
                    0, 1);
      }
    }
  }
}

// Sanitizers watch; what is left is that corrections run forward.
TEST(GroupMethods, SurviveTimesAtTheEndsOfTheRange) {
  const std::vector<int64_t> times = {INT64_MIN, INT64_MIN + 5, -kSecond, 0, kSecond, INT64_MAX};
  const std::vector<ClockInput> inputs = {{{.name = "a"}, {INT64_MIN}, {INT64_MAX}},
                                          {{.name = "b"}, {INT64_MAX}, {INT64_MIN}},
                                          {{.name = "c"}, {0}, {0}}};
  std::vector<RecordedMessage> messages;
  std::vector<TimedBroadcast> broadcasts;
  std::map<std::pair<uint32_t, uint32_t>, PairPoints> points;
  for (const int64_t sent : times) {
    for (const int64_t received : times) {
      for (const auto& [from, to] : {std::pair(0U, 1U), std::pair(1U, 0U), std::pair(1U, 2U)}) {
        messages.push_back({ClockId(from), ClockId(to), {sent}, {received}});
        broadcasts.push_back({{ClockId(from), {sent}}, {ClockId(to), {received}}});
        PairPoints& pair = points[{std::min(from, to), std::max(from, to)}];
        from < to ? pair.AddAToB(sent, received) : pair.AddBToA(sent, received);
      }
    }
  }
  std::vector<PairInput> pairs;
  pairs.reserve(points.size());
  for (const auto& [ids, pair] : points) {
    pairs.push_back({ClockId(ids.first), ClockId(ids.second), EstimatePair(pair, {})});
  }
  const MessagePass pass = [&](const auto& visit) -> Result<void> {
    for (const RecordedMessage& m : messages) visit(m);
    return {};
  };
  for (const GroupEstimate& group :
       {EstimateByIntervals(inputs, pairs, pass, IntervalMethod::kClosure, {})->group,
        EstimateByIntervals(inputs, pairs, pass, IntervalMethod::kPiecewise, {})->group,
        EstimateBroadcast(inputs, pairs, broadcasts, {}).group}) {
    ASSERT_EQ(group.clocks.size(), inputs.size());
    for (const ClockEstimate& clock : group.clocks) {
      EXPECT_LE(clock.correction({0}), clock.correction({kSecond}));
    }
  }
}

TEST(GroupMethods, OfNothingAreEmpty) {
  const Scene nothing({}, {});
  EXPECT_TRUE(EstimateByIntervals({}, {}, MessagesOf(nothing.group), IntervalMethod::kClosure, {})
                  ->group.clocks.empty());
  EXPECT_TRUE(EstimateByIntervals({}, {}, MessagesOf(nothing.group), IntervalMethod::kPiecewise, {})
                  ->group.clocks.empty());
  EXPECT_TRUE(EstimateBroadcast({}, {}, {}, {}).group.clocks.empty());
}

}  // namespace
}  // namespace syncline
