// The report's experiments with known outcome: a large clock tick (6.3.2), controllers B and D
// (theorem 10).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "logical/logical_test_util.h"

namespace syncline {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kUs = 1'000;

// 20 processes pass a token 0 → 19 → 0 in loops of 10 ms. Clock i shows 10 ms·k + 0.25 ms·(i + 1)
// and ticks after the forward receive of process i.
struct TickTrace {
  TestTrace trace{20};
  std::vector<uint64_t> first_sends;  // tags, one per loop

  explicit TickTrace(int64_t loops) {
    const auto clock = [](int64_t k, int64_t i) { return 10 * kMs * k + 250 * kUs * (i + 1); };
    for (int64_t loop = 0; loop < loops; ++loop) {
      const auto message = static_cast<uint64_t>(loop);
      for (uint32_t i = 0; i < 19; ++i) {
        const uint64_t send = trace.Send(i, clock(loop + 1, i), i + 1, message);
        if (i == 0) first_sends.push_back(send);
        trace.Receive(i + 1, clock(loop, i + 1), i, message);
      }
      for (uint32_t i = 19; i > 0; --i) {
        trace.Send(i, clock(loop + 1, i), i - 1, message);
        trace.Receive(i - 1, clock(loop + 1, i - 1), i, message);
      }
    }
  }
};

LogicalOptions TickOptions() {
  LogicalOptions options;
  options.revised.gamma_floor = 0;  // coarse ticks: D is off
  options.amortization = AmortizationKind::kNone;
  return options;
}

FilterRun RunTicks(const TickTrace& ticks, int64_t minimum_delay_ns) {
  return RunFilter(ticks.trace, TickOptions(), DelayModel({minimum_delay_ns, 0}));
}

void ExpectLoopsOfTenMs(const TickTrace& ticks, const FilterRun& run, size_t first) {
  for (size_t loop = first; loop < ticks.first_sends.size(); ++loop) {
    const int64_t length =
        run.after[ticks.first_sends[loop]] - run.after[ticks.first_sends[loop - 1]];
    EXPECT_NEAR(static_cast<double>(length), 10.0 * kMs, 0.002 * 10.0 * kMs) << "loop " << loop;
  }
}

TEST(Golden, LargeClockTickSettlesAtTheTrueLoopTime) {
  const TickTrace ticks(30);
  const FilterRun run = RunTicks(ticks, 250 * kUs);
  const uint64_t second = ticks.first_sends[1];
  EXPECT_EQ(run.sink.events.size(), ticks.trace.size());
  // The paper's figure: 39.368 ms. Settling takes one loop more (10.14 ms).
  EXPECT_NEAR(static_cast<double>(run.after[second]), 39.4 * kMs, 0.005 * 39.4 * kMs);
  ExpectLoopsOfTenMs(ticks, run, 3);
}

TEST(Golden, LargeClockTickSettlesWithASmallerMinimumDelay) {
  const TickTrace ticks(30);
  ExpectLoopsOfTenMs(ticks, RunTicks(ticks, 150 * kUs), 2);
}

// γ as the sends show it: how far LC' ran while C ran from the event before.
std::vector<double> GammasOfSends(const TestTrace& trace, const std::vector<int64_t>& after) {
  std::vector<double> gammas;
  for (const auto& events : trace.processes) {
    for (size_t j = 1; j < events.size(); ++j) {
      const int64_t passed = events[j].time.ns - events[j - 1].time.ns;
      if (events[j].kind != LogicalEvent::Kind::kSend || passed <= 0) continue;
      gammas.push_back(static_cast<double>(after[events[j].tag] - after[events[j - 1].tag]) /
                       static_cast<double>(passed));
    }
  }
  return gammas;
}

TEST(Golden, LargeClockTickSlowsTheClocksDown) {
  const TickTrace ticks(30);
  const FilterRun run = RunTicks(ticks, 250 * kUs);
  const std::vector<double> gammas = GammasOfSends(ticks.trace, run.after);
  EXPECT_TRUE(
      std::any_of(gammas.begin(), gammas.end(), [](double g) { return g > 0.1 && g < 0.2; }));
  EXPECT_LT(run.report.gamma.smallest, 0.17);
  EXPECT_GT(run.report.gamma.events[static_cast<size_t>(Regulator::kB)], 0u);
  EXPECT_GT(run.report.gamma.events[static_cast<size_t>(Regulator::kC)], 0u);
}

// Without a controller below γ = 1 the clock runs away: each loop 19 · 0.25 ms more forward, …
TEST(Golden, LargeClockTickRunsAwayWithoutControllers) {
  const TickTrace ticks(30);
  LogicalOptions options = TickOptions();
  options.revised.gamma_max = options.revised.gamma_floor = 1;
  const FilterRun run = RunFilter(ticks.trace, options, DelayModel({250 * kUs, 0}));
  const int64_t length = run.after[ticks.first_sends[29]] - run.after[ticks.first_sends[28]];
  EXPECT_GT(length, 15 * kMs);
}

// Scenario 2: messages both ways every τ, delay 0; clock 1 starts D behind and is faster by p.
// Gives o(j) = (LC'(j) − C0(j)) / (D · √((p − (1 − γmax)(1 + p)) / (γmax (1 + p)))).
std::vector<double> Offsets(double f, size_t steps) {
  constexpr double kP = 1e-10;
  constexpr double kRest = 1e-12;  // 1 − γmax
  constexpr int64_t kBehind = 10'000'000'000;
  const double root = std::sqrt(kP - kRest * (1 + kP));
  const double other_root = std::sqrt((1 - kRest) * (1 + kP));
  const auto tau = static_cast<int64_t>(f * static_cast<double>(kBehind) / root / other_root);

  TestTrace trace(2);
  std::vector<uint64_t> receives;
  for (size_t j = 0; j < steps; ++j) {
    const int64_t time = static_cast<int64_t>(j) * tau;
    const int64_t slow = time + time / 10'000'000'000 - kBehind;
    trace.Send(0, time, 1, j);
    trace.Send(1, slow, 0, j);
    receives.push_back(trace.Receive(0, time, 1, j));
    trace.Receive(1, slow, 0, j);
  }
  LogicalOptions options = TickOptions();
  options.revised.gamma_max = 1 - kRest;
  options.max_horizon_ns = -1;
  const FilterRun run = RunFilter(trace, options, DelayModel({0, 0}));
  std::vector<double> offsets;
  for (size_t j = 0; j < steps; ++j) {
    const int64_t ahead = run.after[receives[j]] - static_cast<int64_t>(j) * tau;
    offsets.push_back(static_cast<double>(ahead) / static_cast<double>(kBehind) * other_root /
                      root);
  }
  return offsets;
}

TEST(Golden, ControllersBAndDFollowTheRecurrenceOfTheorem10) {
  for (const double f : {0.1, 0.3, 0.5, 0.8, 1.0, 1.2, 1.35}) {
    SCOPED_TRACE(f);
    const std::vector<double> offsets = Offsets(f, 30);
    double o = 0;
    for (const double offset : offsets) {
      EXPECT_NEAR(offset, o, 0.01);
      o = std::max(o + f - f * o * o, 0.0);
    }
  }
}

struct Theorem10Case {
  double f;
  double highest;
};

TEST(Golden, OffsetsStayWithinTheBoundsOfTheorem10) {
  for (const auto [f, highest] :
       {Theorem10Case{1.0, 1.0887}, Theorem10Case{0.9, 1.0887}, Theorem10Case{1.2246, 1.4128}}) {
    for (const double offset : Offsets(f, 40)) {
      EXPECT_GE(offset, -0.001) << f;
      EXPECT_LE(offset, highest + 0.002) << f;
    }
  }
  const std::vector<double> rising = Offsets(0.5, 40);
  for (size_t j = 1; j < rising.size(); ++j) EXPECT_GE(rising[j], rising[j - 1] - 0.001);
  const std::vector<double> periodic = Offsets(1.5, 20);
  for (size_t j = 0; j + 2 < periodic.size(); ++j) {
    EXPECT_NEAR(periodic[j], periodic[j + 2], 0.01);
  }
}

}  // namespace
}  // namespace syncline
