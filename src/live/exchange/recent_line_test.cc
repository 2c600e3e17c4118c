#include "live/exchange/recent_line.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

// Root mean square errors of the line, and of measurements alone, over the second half of a run.
struct Errors {
  double line_ns = 0;
  double measured_ns = 0;
};
Errors ErrorsOn(const std::function<double(double)>& offset_ns, double noise_ns, int seconds) {
  std::mt19937_64 random(20240611);
  std::normal_distribution<double> noise(0, noise_ns);
  RecentLine line;
  double sum = 0;
  double sum_measured = 0;
  int n = 0;
  for (int s = 0; s < seconds; ++s) {
    const double truth = offset_ns(s);
    const double measured = truth + noise(random);
    line.Add({kRoundEpoch + s * kSecond, std::llround(measured),
              std::llround(4 * noise_ns + std::abs(measured - truth))});
    if (s < seconds / 2) continue;
    sum += std::pow(static_cast<double>(line.Find()->offset_ns) - truth, 2);
    sum_measured += std::pow(measured - truth, 2);
    ++n;
  }
  return {std::sqrt(sum / n), std::sqrt(sum_measured / n)};
}

TEST(RecentLine, OfStraightClocksIsOfAllMeasurements) {
  RecentLine line;
  EXPECT_FALSE(line.Find().has_value());
  for (int s = 0; s < 1000; ++s) {
    line.Add({kRoundEpoch + s * kSecond, -3'000'000'000 + 35'000LL * s, 1000});
    const auto found = line.Find();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->own_ns, kRoundEpoch + s * kSecond);
    EXPECT_NEAR(static_cast<double>(found->offset_ns + 3'000'000'000 - 35'000LL * s), 0, 2);
    EXPECT_TRUE(found->is_of_all);
    ASSERT_EQ(found->drift.has_value(), s > 0);
    if (s > 0) {
      EXPECT_NEAR(*found->drift, 35e-6, 1e-8);
    }
  }
  const auto found = line.Find();
  EXPECT_NEAR(static_cast<double>(found->OffsetAt(kRoundEpoch + 1009 * kSecond) + 3'000'000'000 -
                                  35'000LL * 1009),
              0, 50);
}

TEST(RecentLine, AveragesNoiseOfStraightClocks) {
  const Errors errors = ErrorsOn([](double s) { return 12'000 * s; }, 5'000, 2000);
  EXPECT_LT(errors.line_ns, errors.measured_ns / 3);
}

TEST(RecentLine, FollowsSlewsAndWander) {
  // 500 ppm faster from the 700th second on.
  const Errors slewed =
      ErrorsOn([](double s) { return s < 700 ? 0 : 500'000 * (s - 700); }, 5'000, 1000);
  EXPECT_LT(slewed.line_ns, 1.5 * slewed.measured_ns);
  // A swing of ±2 ms over ten minutes: rates within ±21 ppm.
  const Errors swinging =
      ErrorsOn([](double s) { return 2e6 * std::sin(s * 2 * M_PI / 600); }, 5'000, 3000);
  EXPECT_LT(swinging.line_ns, 1.5 * swinging.measured_ns);
}

TEST(RecentLine, SurvivesAnyNumbers) {
  std::mt19937_64 random(9);
  const int64_t extremes[] = {INT64_MIN, -1, 0, 1, kRoundEpoch, INT64_MAX};
  for (int round = 0; round < 100; ++round) {
    RecentLine line;
    for (int i = 0; i < 40; ++i) {
      const auto any = [&] { return extremes[random() % std::size(extremes)]; };
      line.Add({any(), any(), std::max<int64_t>(0, any())});
      const auto found = line.Find();
      ASSERT_TRUE(found.has_value());
      for (const int64_t at : extremes) found->OffsetAt(at);
    }
  }
}

}  // namespace
}  // namespace syncline
