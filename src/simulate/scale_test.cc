// Offsets of many clocks: figures worked by hand, a naive simulation of every stamp, expectations.
#include "simulate/scale.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/int128.h"
#include "simulate/random.h"

namespace syncline {
namespace {

ScaleFigures Figures(const ScaleModel& model, GroupStrategy strategy, uint64_t processes) {
  const auto figures = SimulateScale(model, strategy, processes);
  EXPECT_TRUE(figures && *figures);
  return figures && *figures ? **figures : ScaleFigures{};
}

// Delays that are always the same.
ScaleModel Steady() {
  ScaleModel model;
  model.exchanges = 3;
  model.runs = 1;
  model.exchange_cost_ns = 100;
  model.broadcast_cost_ns = 50;
  model.least_delay_ns = 20;
  model.mean_excess_ns = 0;
  model.spread_ns = 0;
  model.drift_ppt = 0;
  model.max_drift_ppb = 0;
  return model;
}

TEST(Scale, RoundsMessagesAndTimeAreThoseOfTheStrategies) {
  struct Case {
    GroupStrategy strategy;
    uint64_t processes, rounds, messages;
    int64_t time_ns;
  };
  for (const Case& c : {Case{GroupStrategy::kRoot, 2, 1, 2 * 3, 3 * 100},
                        Case{GroupStrategy::kRoot, 5, 4, 4 * 2 * 3, 4 * 3 * 100},
                        Case{GroupStrategy::kTree, 2, 1, 2 * 3, 3 * 100},
                        Case{GroupStrategy::kTree, 4, 2, 3 * 2 * 3, 2 * 3 * 100},
                        Case{GroupStrategy::kTree, 5, 3, 4 * 2 * 3, 3 * 3 * 100},
                        Case{GroupStrategy::kTree, 1'000'000, 20, 999'999 * 6, 20 * 300},
                        Case{GroupStrategy::kBroadcast, 3, 2 * 3 + 1, 2 * 3 + 1, 7 * 50},
                        Case{GroupStrategy::kBroadcast, 1000, 7, 7, 7 * 50}}) {
    const ScaleFigures f = Figures(Steady(), c.strategy, c.processes);
    EXPECT_EQ(f.rounds, c.rounds) << NameOf(c.strategy) << c.processes;
    EXPECT_EQ(f.messages, c.messages);
    EXPECT_EQ(f.time_ns, c.time_ns);
  }
}

TEST(Scale, BoundsOfSteadyDelaysAreHalfARoundTripPerHopBeyondTheMinimumDelay) {
  ScaleModel model = Steady();
  // 20 there and back: 20 of uncertainty, and 1 for roundings; the deepest of 8 processes is 3 hops
  // away.
  EXPECT_EQ(Figures(model, GroupStrategy::kRoot, 8).worst_bound_ns, 20 + 1);
  EXPECT_EQ(Figures(model, GroupStrategy::kTree, 8).worst_bound_ns, 3 * (20 + 1));
  EXPECT_EQ(Figures(model, GroupStrategy::kBroadcast, 8).worst_bound_ns, std::nullopt);
  model.min_delay_ns = 15;
  EXPECT_EQ(Figures(model, GroupStrategy::kRoot, 8).worst_bound_ns, 20 - 15 + 1);
  // Allowing for 1000 ppm since the middle of the first of 7 bursts of 3 exchanges.
  model.exchange_cost_ns = 1'000'000;
  model.max_drift_ppb = 1'000'000;
  EXPECT_EQ(Figures(model, GroupStrategy::kRoot, 8).worst_bound_ns,
            20 - 15 + 1 + (7 * 3'000'000 - 500'000) / 1000);
}

TEST(Scale, OnlyBroadcastNeedsThreeProcesses) {
  const auto two = SimulateScale(Steady(), GroupStrategy::kBroadcast, 2);
  ASSERT_TRUE(two);
  EXPECT_EQ(*two, std::nullopt);
}

// Every stamp of every exchange, on clocks that are ahead and drift, with offsets composed along
// the path for each process anew. The draws are the same, in the same order.
class Naive {
 public:
  Naive(const ScaleModel& model, GroupStrategy strategy, uint64_t n, uint64_t run)
      : m_(model),
        strategy_(strategy),
        random_(model.seed, (run << 34) ^ (n << 2) ^ static_cast<uint64_t>(strategy)),
        drift_ppt_(n, 0),
        measured_(n, 0) {
    for (uint64_t i = 1; i < n; ++i) {
      drift_ppt_[i] = random_.In({-m_.drift_ppt, m_.drift_ppt});
      measured_[i] = MeasureAgainstServer(i);
    }
  }

  long double ErrorOf(uint64_t i, int64_t end_ns) const {
    long double offset = 0;
    for (uint64_t at = i; at != 0; at = ServerOf(at)) offset += measured_[at];
    return offset - (Reading(i, end_ns) - Reading(0, end_ns));
  }

 private:
  uint64_t ServerOf(uint64_t i) const {
    if (strategy_ == GroupStrategy::kRoot) return 0;
    uint64_t reach = 1;
    while (2 * reach <= i) reach *= 2;
    return i - reach;
  }
  uint64_t RoundOf(uint64_t i) const {
    if (strategy_ == GroupStrategy::kRoot) return i - 1;
    uint64_t round = 0;
    for (; i > 1; i /= 2) ++round;
    return round;
  }
  long double Reading(uint64_t i, long double true_ns) const {
    const long double ahead = i == 0 ? 0 : static_cast<long double>(i) * 1e6L - 3e6L;
    return true_ns + ahead + true_ns * static_cast<long double>(drift_ppt_[i]) * 1e-12L;
  }
  long double MeasureAgainstServer(uint64_t i) {
    const int64_t route_there = random_.In(m_.route_ns);
    const int64_t route_back = random_.In(m_.route_ns);
    long double best_round_trip = 1e30L;
    long double offset = 0;
    for (uint32_t k = 0; k < m_.exchanges; ++k) {
      const int64_t there =
          m_.least_delay_ns + route_there + DrawExponential(random_, m_.mean_excess_ns);
      const int64_t back =
          m_.least_delay_ns + route_back + DrawExponential(random_, m_.mean_excess_ns);
      const long double middle = static_cast<long double>(
          static_cast<int64_t>(RoundOf(i) * m_.exchanges + k) * m_.exchange_cost_ns +
          m_.exchange_cost_ns / 2);
      if (there + back >= best_round_trip) continue;
      best_round_trip = there + back;
      // The server asks; both clocks are taken to run equally fast during the one exchange.
      const long double server = Reading(ServerOf(i), middle);
      const long double client = Reading(i, middle);
      const long double t1 = server - there;
      const long double t2 = client;
      const long double t3 = client;
      const long double t4 = server + back;
      offset = ((t2 - t1) + (t3 - t4)) / 2;
    }
    return offset;
  }

  const ScaleModel& m_;
  GroupStrategy strategy_;
  Random random_;
  std::vector<int64_t> drift_ppt_;
  std::vector<long double> measured_;
};

TEST(Scale, ErrorsAreThoseOfANaiveSimulation) {
  ScaleModel model;
  model.runs = 2;
  model.route_ns = {0, 5000};
  model.seed = 20240607;
  for (const GroupStrategy strategy : {GroupStrategy::kRoot, GroupStrategy::kTree}) {
    for (const uint64_t n : {2, 3, 4, 7, 8, 9, 33, 100}) {
      const ScaleFigures figures = Figures(model, strategy, n);
      long double squares = 0;
      long double largest = 0;
      for (uint64_t run = 0; run < model.runs; ++run) {
        const Naive naive(model, strategy, n, run);
        for (uint64_t i = 1; i < n; ++i) {
          const long double error = naive.ErrorOf(i, figures.time_ns);
          squares += error * error;
          largest = std::max(largest, std::abs(error));
        }
      }
      // Each hop is cut to whole nanoseconds twice.
      const auto hops = static_cast<double>(std::bit_width(n));
      EXPECT_NEAR(static_cast<double>(figures.largest_error_ns), static_cast<double>(largest),
                  2 * hops);
      EXPECT_NEAR(figures.rms_error_ns,
                  static_cast<double>(std::sqrt(squares / static_cast<long double>(2 * (n - 1)))),
                  2 * hops)
          << NameOf(strategy) << " of " << n;
    }
  }
}

// The fastest of K: the excess S of its round trip is the least of K sums of two exponentials, and
// given S its error is uniform from −S/2 to S/2. P(sum > s) = (1 + s) exp(−s), so
// E S² = 2 Σ_j C(K, j) (j + 1)! / K^(j + 2), for a mean of 1.
double VarianceOfAnExchange(int k, double mean) {
  double sum = 0;
  double term = 1;  // C(K, j) (j + 1)!
  for (int j = 0; j <= k; ++j) {
    sum += 2 * term / std::pow(k, j + 2);
    term *= static_cast<double>(k - j) / (j + 1) * (j + 2);
  }
  return sum * mean * mean / 12;
}

TEST(Scale, TheVarianceOfASingleExchangeIsHalfTheSquareOfTheMeanExcess) {
  // Half the difference of two exponentials: (1 + 1) / 4.
  EXPECT_DOUBLE_EQ(VarianceOfAnExchange(1, 1), 0.5);
}

TEST(Scale, ErrorsWithoutDriftGrowAsTheRootOfTheHops) {
  ScaleModel model;
  model.drift_ppt = 0;
  constexpr int kLevels = 12;
  constexpr uint64_t kProcesses = 1 << kLevels;
  for (const int k : {1, 4, 10}) {
    model.exchanges = static_cast<uint32_t>(k);
    const double one = VarianceOfAnExchange(k, static_cast<double>(model.mean_excess_ns));
    EXPECT_NEAR(Figures(model, GroupStrategy::kRoot, kProcesses).rms_error_ns, std::sqrt(one),
                0.03 * std::sqrt(one));
    // A process is as many hops away as its number has ones: half of the digits in the mean. Those
    // near the root are in many paths, so that means scatter more.
    const double hops = kLevels * static_cast<double>(kProcesses) / 2 / (kProcesses - 1);
    EXPECT_NEAR(Figures(model, GroupStrategy::kTree, kProcesses).rms_error_ns,
                std::sqrt(one * hops), 0.1 * std::sqrt(one * hops))
        << k << " exchanges";
  }
}

TEST(Scale, BroadcastErrorsShrinkWithTheRoundsAndDoNotGrowWithTheGroup) {
  ScaleModel model;
  model.drift_ppt = 0;
  model.runs = 400;  // process 0's own error is in all others
  for (const uint32_t k : {2U, 8U}) {
    model.exchanges = k;
    // The mean of 2K differences of two exponentials, each of variance 2.
    const double expected = static_cast<double>(model.spread_ns) * std::sqrt(2.0 / (2 * k));
    EXPECT_NEAR(Figures(model, GroupStrategy::kBroadcast, 300).rms_error_ns, expected,
                0.05 * expected);
  }
}

TEST(Scale, AgeingAloneIsTheDriftTimesTheTimeSinceTheExchange) {
  ScaleModel model = Steady();
  model.exchange_cost_ns = 1'000'000;
  model.drift_ppt = 100'000'000;  // 100 ppm
  model.max_drift_ppb = 200'000;
  constexpr uint64_t kProcesses = 20'001;
  // Ages spread evenly from 0 to 60 s, drifts from −100 to 100 ppm: E (d·age)² = d²/3 · age²/3.
  const double end_ns = 3.0 * 1e6 * (kProcesses - 1);
  EXPECT_NEAR(Figures(model, GroupStrategy::kRoot, kProcesses).rms_error_ns, 1e-4 * end_ns / 3,
              0.02 * 1e-4 * end_ns / 3);
  EXPECT_LE(Figures(model, GroupStrategy::kRoot, kProcesses).largest_error_ns, 1e-4 * end_ns);
}

TEST(Scale, NoErrorIsBeyondItsBound) {
  ScaleModel model;
  model.route_ns = {0, 40'000};
  model.min_delay_ns = model.least_delay_ns;
  model.drift_ppt = model.max_drift_ppb * 1000 / 2;
  model.exchange_cost_ns = 2'000'000;
  model.exchanges = 2;
  model.runs = 50;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    model.seed = seed;
    for (const GroupStrategy strategy : {GroupStrategy::kRoot, GroupStrategy::kTree}) {
      for (const uint64_t n : {2, 5, 40}) {
        const ScaleFigures figures = Figures(model, strategy, n);
        EXPECT_EQ(figures.outside_bound, 0U) << "seed " << seed;
        EXPECT_LE(figures.largest_error_ns, figures.worst_bound_ns);
      }
    }
  }
}

TEST(Scale, TheSeedDecidesEverything) {
  ScaleModel model;
  const auto rms = [&] { return Figures(model, GroupStrategy::kTree, 50).rms_error_ns; };
  const double first = rms();
  EXPECT_EQ(rms(), first);
  model.seed = 2;
  EXPECT_NE(rms(), first);
}

TEST(Scale, WrongValuesAreRefused) {
  const auto broken = [](auto change) {
    ScaleModel model;
    EXPECT_TRUE(Check(model));
    change(model);
    return !Check(model);
  };
  EXPECT_TRUE(broken([](ScaleModel& m) { m.exchanges = 0; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.runs = 0; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.spread_ns = -1; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.mean_excess_ns = INT64_MAX; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.route_ns = {2, 1}; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.min_delay_ns = m.least_delay_ns + 1; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.drift_ppt = m.max_drift_ppb * 1000 / 2 + 1; }));
  EXPECT_TRUE(broken([](ScaleModel& m) { m.exchange_cost_ns = 2 * m.least_delay_ns; }));
  EXPECT_FALSE(SimulateScale(ScaleModel{}, GroupStrategy::kRoot, 1));
  EXPECT_FALSE(SimulateScale(ScaleModel{}, GroupStrategy::kRoot, kMaxScaleProcesses + 1));
}

TEST(Scale, TheLargestValuesOverflowNothing) {
  ScaleModel model;
  model.least_delay_ns = model.mean_excess_ns = int64_t{1} << 43;
  model.spread_ns = int64_t{1} << 45;
  model.exchange_cost_ns = model.broadcast_cost_ns = int64_t{1} << 45;
  model.exchanges = 1;
  model.drift_ppt = 100'000'000'000;
  model.max_drift_ppb = 1'000'000'000;
  ASSERT_TRUE(Check(model));
  for (const GroupStrategy strategy : kGroupStrategies) {
    EXPECT_GT(Figures(model, strategy, 1000).largest_error_ns, 0);
  }
  const auto too_long = SimulateScale(model, GroupStrategy::kRoot, 2000);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace syncline
