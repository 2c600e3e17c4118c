#include "estimate/drift_bounded/levelling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kLengthNs = 200'000'000'000;
constexpr int64_t kStepNs = 20'000'000;

// Clocks that keep true time, of which each exchanges a message with each other one every 20 ms.
class Exchange {
 public:
  using Delay = std::function<int64_t(uint32_t from, uint32_t to, int64_t time)>;

  // No message where the delay is not above 0.
  Exchange(uint32_t clocks, const Delay& delay, uint32_t reference = 0)
      : tracks_(std::vector<uint32_t>(clocks, 1)), limit_ppm_(clocks, 1.0) {
    std::vector<TestMessage> messages;
    for (int64_t time = 0; time < kLengthNs; time += kStepNs) {
      for (uint32_t from = 0; from < clocks; ++from) {
        for (uint32_t to = 0; to < clocks; ++to) {
          if (from == to) continue;
          const int64_t sent = time + from, taken = delay(from, to, time);
          if (taken > 0) messages.push_back({.from = from, .to = to, .s = sent, .r = sent + taken});
        }
      }
    }
    std::vector<Track> tracks(clocks, {.rate = RateLimits::Within(200)});
    tracks[reference] = {.rate = {}, .is_reference = true};
    const Directions directions(tracks, messages);
    graph_ = Graph(tracks, directions.all(), 0);
    graph_.ForgetMessages();
    paths_ = std::move(FindBothPaths({&graph_, 1}).front());
  }

  // What a guess is off by after the move that was before.
  std::vector<int64_t> Off(void (*move)(const LevelInput&, std::vector<int64_t>&),
                           const std::function<int64_t(uint32_t clock, int64_t time)>& before) {
    std::vector<int64_t> at;
    const std::span<const int64_t> readings = graph_.readings();
    for (int32_t n = 0; n < static_cast<int32_t>(graph_.nodes()); ++n) {
      at.push_back(readings[n] + before(graph_.TrackOf(n), readings[n]));
    }
    move({tracks_, graph_, paths_, is_unsettled_, limit_ppm_}, at);
    for (size_t n = 0; n < at.size(); ++n) {
      EXPECT_GE(at[n], paths_.earliest.value[n]) << "of its bounds";
      EXPECT_LE(at[n], -paths_.latest.value[n]);
      at[n] -= readings[n];
    }
    return at;
  }
  // Of a clock, in the order of its readings.
  std::vector<int64_t> Of(uint32_t clock, const std::vector<int64_t>& off) const {
    return {off.begin() + graph_.first(clock), off.begin() + graph_.first(clock + 1)};
  }
  void Unsettle(uint32_t clock) {
    is_unsettled_.resize(graph_.tracks());
    is_unsettled_[clock] = true;
  }
  void Limit(double ppm) { std::ranges::fill(limit_ppm_, ppm); }

 private:
  TrackTable tracks_;
  std::vector<bool> is_unsettled_;
  std::vector<double> limit_ppm_;
  Graph graph_;
  BothPaths paths_;
};

int64_t Range(const std::vector<int64_t>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// 50 µs and an exponential of 20 µs.
Exchange::Delay Jittery(uint64_t seed) {
  return [random = std::mt19937_64(seed)](uint32_t, uint32_t, int64_t) mutable {
    return 50'000 + static_cast<int64_t>(std::exponential_distribution<>(1 / 20'000.0)(random));
  };
}
// Of clock 1, 30 µs late in the second half.
int64_t LateAfterwards(uint32_t clock, int64_t time) {
  return clock == 1 && time > kLengthNs / 2 ? 30'000 : 0;
}

TEST(Level, TakesBackWhatAGuessIsOffByForATime) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Exchange exchange(3, Jittery(seed));
    const std::vector<int64_t> off = exchange.Off(Level, LateAfterwards);
    EXPECT_EQ(Range(exchange.Of(0, off)), 0);
    const std::vector<int64_t> late = exchange.Of(1, off);
    const size_t half = late.size() / 2;
    EXPECT_LT(std::abs(Median({late.begin() + half, late.end()}) -
                       Median({late.begin(), late.begin() + half})),
              10'000);
    EXPECT_LT(Range(exchange.Of(2, off)), 10'000);
  }
}

TEST(Level, LeavesClocksThatTheirLimitsLeaveNothing) {
  Exchange exchange(2, Jittery(1));
  exchange.Limit(0);
  EXPECT_LE(Range(exchange.Of(1, exchange.Off(Level, [](auto, auto) { return 0; }))), 1);
}

// Then the ways there are slower and the ways back as quick as ever.
TEST(Level, DoesNotTakeAQueueForAClock) {
  const Exchange::Delay calm = Jittery(2);
  Exchange exchange(2, [&](uint32_t from, uint32_t to, int64_t time) {
    const bool is_queue = from == 0 && time > kLengthNs / 2 && time < kLengthNs * 3 / 4;
    return calm(from, to, time) + (is_queue ? 1'000'000 : 0);
  });
  EXPECT_LT(Range(exchange.Of(1, exchange.Off(Level, [](auto, auto) { return 0; }))), 15'000);
}

TEST(Level, SaysNothingOfPairsThatTalkOneWayOrAreUnsettled) {
  const Exchange::Delay calm = Jittery(3);
  Exchange one_way(3, [&](uint32_t from, uint32_t to, int64_t time) {
    return from == 1 && to == 2 ? 0 : from + to == 2 && from != 1 ? 0 : calm(from, to, time);
  });
  const auto zero = [](auto, auto) { return 0; };
  const std::vector<int64_t> off = one_way.Of(2, one_way.Off(Level, zero));
  EXPECT_EQ(Range(off), 0);
  EXPECT_EQ(off.front(), 0);
  Exchange unsettled(2, Jittery(3));
  unsettled.Unsettle(1);
  EXPECT_EQ(Range(unsettled.Of(1, unsettled.Off(Level, LateAfterwards))), 30'000);
}

// What is known before and behind holds across.
TEST(Level, GoesOnThroughASilence) {
  const Exchange::Delay calm = Jittery(4);
  Exchange exchange(3, [&](uint32_t from, uint32_t to, int64_t time) {
    const bool is_silent = (from == 1 || to == 1) && time > kLengthNs / 4 && time < kLengthNs / 2;
    // But for a few messages to it.
    return is_silent && (from == 1 || time / kStepNs % 50 != 0) ? 0 : calm(from, to, time);
  });
  const auto late_first = [](uint32_t clock, int64_t time) {
    return clock == 1 && time < kLengthNs * 3 / 4 ? 30'000 : 0;
  };
  const std::vector<int64_t> off = exchange.Of(1, exchange.Off(Level, late_first));
  // But next to the change.
  EXPECT_LT(Range({off.begin(), off.begin() + static_cast<ptrdiff_t>(off.size() / 2)}), 10'000);
}

TEST(Level, MovesAgainstAnyReferenceAndPassesOverWhoIsSilent) {
  const Exchange::Delay calm = Jittery(5);
  Exchange exchange(
      4,
      [&](uint32_t from, uint32_t to, int64_t time) {
        return from == 3 || to == 3 ? 0 : calm(from, to, time);
      },
      2);
  const std::vector<int64_t> off = exchange.Off(Level, LateAfterwards);
  EXPECT_EQ(Range(exchange.Of(2, off)), 0);
  EXPECT_EQ(exchange.Of(2, off).front(), 0);
  const std::vector<int64_t> late = exchange.Of(1, off);
  const auto half = static_cast<ptrdiff_t>(late.size() / 2);
  EXPECT_LT(std::abs(Median({late.begin() + half, late.end()}) -
                     Median({late.begin(), late.begin() + half})),
            10'000);
  EXPECT_TRUE(exchange.Of(3, off).empty());
}

// Ways of 50 µs, but for one of 110 from 0 to 1: a circle of three has 60 too much, 10 for each
// way.
TEST(Centre, SharesWhatWaysThereAndBackDifferBy) {
  Exchange exchange(3, [](uint32_t from, uint32_t to, int64_t) {
    return from == 0 && to == 1 ? 110'000 : 50'000;
  });
  const std::vector<int64_t> off =
      exchange.Off(Centre, [](uint32_t clock, int64_t) { return clock == 1 ? -30'000 : 0; });
  EXPECT_EQ(Range(exchange.Of(0, off)), 0);
  EXPECT_EQ(exchange.Of(0, off).front(), 0);
  EXPECT_NEAR(static_cast<double>(exchange.Of(1, off).front()), -20'000, 3'000);
  EXPECT_NEAR(static_cast<double>(exchange.Of(2, off).front()), -10'000, 3'000);
  EXPECT_EQ(Range(exchange.Of(1, off)), 0);
}

}  // namespace
}  // namespace syncline::drift_bounded
