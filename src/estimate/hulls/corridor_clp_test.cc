// The bounds U and L of corridor.h against linear programmes solved by Clp: maximise and minimise
// a0 + a1·x over all lines that respect every message.
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <ClpSimplex.hpp>
#include <gtest/gtest.h>

#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

struct SimulatedMessages {
  std::vector<Point> upper;
  std::vector<Point> lower;
};

// Times in ms and heights above y = x in µs from the origin keep the programme well scaled.
constexpr double kNsPerMs = 1e6;
constexpr double kNsPerUs = 1e3;

class LineProgramme {
 public:
  LineProgramme(const SimulatedMessages& messages, double drift_limit_ppm) {
    for (const Point p : messages.upper) AddRow(p, -COIN_DBL_MAX, Height(p));
    for (const Point p : messages.lower) AddRow(p, Height(p), COIN_DBL_MAX);
    // Column by column: the height at x = 0 in µs, the drift in µs per ms.
    const auto rows = static_cast<int>(times_ms_.size());
    std::vector<double> values(times_ms_.size(), 1);
    values.insert(values.end(), times_ms_.begin(), times_ms_.end());
    std::vector<int> row_of(values.size());
    for (size_t i = 0; i < row_of.size(); ++i) row_of[i] = static_cast<int>(i) % rows;
    const CoinBigIndex starts[] = {0, rows, 2 * rows};
    const double limit = drift_limit_ppm / 1000;
    const double low[] = {-COIN_DBL_MAX, -limit};
    const double high[] = {COIN_DBL_MAX, limit / (1 - drift_limit_ppm * 1e-6)};
    const double objective[] = {1, 0};
    model_.setLogLevel(0);
    model_.loadProblem(2, rows, starts, row_of.data(), values.data(), low, high, objective,
                       row_low_.data(), row_high_.data());
    model_.setPrimalTolerance(1e-9);
    model_.setDualTolerance(1e-9);
  }

  // The extreme height above y = x at `x`, in ns; direction 1 minimises, −1 maximises.
  std::optional<double> Extreme(int64_t x, double direction) {
    model_.setObjectiveCoefficient(0, 1);
    model_.setObjectiveCoefficient(1, static_cast<double>(x) / kNsPerMs);
    model_.setOptimizationDirection(direction);
    model_.primal();
    if (!model_.isProvenOptimal()) return std::nullopt;
    return model_.objectiveValue() * kNsPerUs;
  }

 private:
  static double Height(Point p) { return static_cast<double>(p.y - p.x) / kNsPerUs; }
  void AddRow(Point p, double low, double high) {
    times_ms_.push_back(static_cast<double>(p.x) / kNsPerMs);
    row_low_.push_back(low);
    row_high_.push_back(high);
  }

  std::vector<double> times_ms_;
  std::vector<double> row_low_;
  std::vector<double> row_high_;
  ClpSimplex model_;
};

TEST(Corridor, MatchesLinearProgrammes) {
  int open = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int64_t drift_ppm = std::uniform_int_distribution<int64_t>(-220, 220)(random);
    std::exponential_distribution<double> delay(1.0 / 100'000);
    const auto draw = [&](int64_t side) {
      const auto x = static_cast<int64_t>(random() % 20'000'000'000);
      const int64_t y = x + x / 1'000'000 * drift_ppm;
      return Point{x, y + side * static_cast<int64_t>(delay(random))};
    };
    SimulatedMessages messages;
    for (uint32_t i = 0; i < 2 + seed; ++i) {
      messages.upper.push_back(draw(1));
      messages.lower.push_back(draw(-1));
    }
    PairPoints points;
    for (const Point p : messages.upper) points.AddAToB(p.x, p.y);
    for (const Point p : messages.lower) points.AddBToA(p.y, p.x);
    const double limit_ppm = seed % 3 == 0 ? 100'000 : 200;
    const Corridor corridor = FindCorridor(ShiftedHulls(points, {}), PriorRange(limit_ppm));
    LineProgramme programme(messages, limit_ppm);
    const bool is_open = corridor.state == Corridor::State::kOpen;
    ASSERT_EQ(is_open, programme.Extreme(0, 1).has_value());
    if (!is_open) continue;
    ++open;
    for (int64_t x = -5'000'000'000; x <= 25'000'000'000; x += 3'000'000'000) {
      const double scale = 0.01 + 1e-6 * static_cast<double>(std::abs(x)) / 1e6;
      EXPECT_NEAR(static_cast<double>(corridor.bounds.upper->Ceil(x) - x),
                  *programme.Extreme(x, -1), 1 + scale);
      EXPECT_NEAR(static_cast<double>(corridor.bounds.lower->Floor(x) - x),
                  *programme.Extreme(x, 1), 1 + scale);
    }
  }
  EXPECT_GT(open, 40);
}

}  // namespace
}  // namespace syncline
