// Least squares over all messages, and the statistics that go with it.
#include "estimate/lines/regression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

const SlopeRange kAnyRegression = PriorRange(std::nullopt);

FitFrame RegressionFrame(int64_t first_x, int64_t last_x) {
  return {
      .origin = {first_x + (last_x - first_x) / 2, first_x}, .first_x = first_x, .last_x = last_x};
}

FittedLine RegressionOf(const std::vector<Point>& points, const FitFrame& frame) {
  RegressionFit fit(frame);
  for (const Point p : points) fit.AddUpper(p);
  return fit.Fit(kAnyRegression).value_or(FittedLine{});
}

TEST(Regression, OfFourMessagesIsTheOneWorkedByHand) {
  // t = −3000, −1000, 1000, 3000 and θ − t = 10, −10, −10, 10: no slope, Σ residuals² = 400,
  // Σ(t − t̄)² = 2·(3000² + 1000²).
  RegressionFit fit(RegressionFrame(-3000, 3000));
  fit.AddUpper({-3000, -3000 + 10});
  fit.AddLower({-1000, -1000 - 10});
  fit.AddLower({1000, 1000 - 10});
  fit.AddUpper({3000, 3000 + 10});
  const auto fitted = fit.Fit(kAnyRegression);
  ASSERT_TRUE(fitted && fitted->regression);
  EXPECT_EQ(fitted->line.slope, (Slope{1, 1}));
  EXPECT_EQ(fitted->line.Nearest(0), 0);

  const RegressionFigures& r = *fitted->regression;
  const double sigma = std::sqrt(400.0 / (4 - 2));
  const double xx = 2 * (3000.0 * 3000 + 1000.0 * 1000);
  const double offset = sigma * std::sqrt(1.0 / 4 + 3000.0 * 3000 / xx);
  const double drift = sigma / std::sqrt(xx) * 1e6;
  const double t = 4.302652729696142;  // Student, 2 degrees of freedom, 95 %
  EXPECT_EQ(r.messages, 4u);
  EXPECT_EQ(r.confidence, 0.95);
  EXPECT_NEAR(r.residual_deviation_ns, sigma, 1e-12);
  EXPECT_NEAR(r.offset_ns.deviation, offset, 1e-12);
  EXPECT_NEAR(r.offset_ns.student, offset * t, 1e-8);
  EXPECT_NEAR(r.offset_ns.chebyshev, offset / std::sqrt(0.05), 1e-10);
  EXPECT_NEAR(r.drift_ppm.deviation, drift, 1e-9);
  EXPECT_NEAR(r.drift_ppm.student, drift * t, 1e-5);
  EXPECT_NEAR(r.drift_ppm.chebyshev, drift / std::sqrt(0.05), 1e-8);
}

TEST(Regression, IsDrawnToTheDirectionWithMoreMessages) {
  // 3 of 4 messages go there in 500, 1 of 4 comes back in 100.
  RegressionFit fit(RegressionFrame(0, 399'000));
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t x = i * 1000;
    i % 4 < 3 ? fit.AddUpper({x, x + 500}) : fit.AddLower({x, x - 100});
  }
  const Line line = fit.Fit(kAnyRegression)->line;
  EXPECT_NEAR(static_cast<double>(line.Nearest(200'000) - 200'000), (3 * 500 - 100) / 4.0, 2);
}

TEST(Regression, OfEpochTimesIsTheOneOfSmallTimes) {
  std::mt19937_64 random(3);
  std::vector<Point> small(500);
  for (Point& p : small) {
    p.x = static_cast<int64_t>(random() % 60'000'000'000);
    p.y = p.x + p.x / 1'000'000 * 35 + static_cast<int64_t>(random() % 1'000'000);
  }
  std::vector<Point> late = small;
  for (Point& p : late) p = {p.x + kEpoch, p.y + kEpoch + 1'700'000'000};
  std::shuffle(late.begin(), late.end(), random);
  const FittedLine a = RegressionOf(small, RegressionFrame(0, 60'000'000'000));
  const FittedLine b = RegressionOf(late, RegressionFrame(kEpoch, kEpoch + 60'000'000'000));
  EXPECT_EQ(a.line.slope, b.line.slope);
  EXPECT_EQ(b.line.at.x - kEpoch, a.line.at.x);
  EXPECT_EQ(b.line.at.y - kEpoch - 1'700'000'000, a.line.at.y);
  EXPECT_NEAR(a.regression->residual_deviation_ns, b.regression->residual_deviation_ns, 1e-3);
  EXPECT_NEAR(a.regression->drift_ppm.deviation, b.regression->drift_ppm.deviation, 1e-9);
}

TEST(Regression, StatesNoFiguresWhereNothingIsLeftToEstimateThem) {
  EXPECT_FALSE(RegressionFit(RegressionFrame(0, 0)).Fit(kAnyRegression).has_value());
  const FittedLine two = RegressionOf({{0, 5}, {1000, 1005}}, RegressionFrame(0, 1000));
  EXPECT_EQ(two.line.slope, (Slope{1, 1}));
  EXPECT_FALSE(two.regression.has_value());
  const FittedLine stack = RegressionOf({{7, 5}, {7, 6}, {7, 7}, {7, 8}}, RegressionFrame(7, 7));
  EXPECT_EQ(stack.line.slope, (Slope{1, 1}));
  EXPECT_FALSE(stack.regression.has_value());
}

TEST(Regression, OfPointsOnALineHasNoDeviation) {
  const FittedLine fitted = RegressionOf({{0, 0}, {1'000'000, 1'000'100}, {2'000'000, 2'000'200}},
                                         RegressionFrame(0, 2'000'000));
  EXPECT_EQ(fitted.line.slope, (Slope{1'000'100, 1'000'000}));
  ASSERT_TRUE(fitted.regression.has_value());
  EXPECT_NEAR(fitted.regression->residual_deviation_ns, 0, 1e-6);
}

// 400 times 40 messages with normal residuals: an interval of 95 % holds the true drift in
// 380 ± 3·√(400 · 0.95 · 0.05) of them.
TEST(Regression, StudentsIntervalHoldsTheTruthAsOftenAsItSays) {
  constexpr double kTrueDriftPpm = 35;
  std::mt19937_64 random(5);
  std::normal_distribution<double> residual(0, 200'000);
  int student = 0, chebyshev = 0;
  for (int trial = 0; trial < 400; ++trial) {
    RegressionFit fit(RegressionFrame(0, 60'000'000'000));
    for (int i = 0; i < 40; ++i) {
      const auto x = static_cast<int64_t>(random() % 60'000'000'000);
      fit.AddUpper({x, x + x / 1'000'000 * 35 + static_cast<int64_t>(residual(random))});
    }
    const auto fitted = fit.Fit(kAnyRegression);
    ASSERT_TRUE(fitted && fitted->regression);
    const double error =
        std::abs(static_cast<double>(fitted->line.slope.Drift() * 1e6L) - kTrueDriftPpm);
    student += error <= fitted->regression->drift_ppm.student ? 1 : 0;
    chebyshev += error <= fitted->regression->drift_ppm.chebyshev ? 1 : 0;
  }
  EXPECT_NEAR(student, 380, 3 * std::sqrt(400 * 0.95 * 0.05));
  EXPECT_GE(chebyshev, 399);
}

}  // namespace
}  // namespace syncline
