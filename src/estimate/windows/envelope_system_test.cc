#include "estimate/windows/envelope_system.h"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/joint/knot_search.h"

namespace syncline {
namespace {

using Entry = EnvelopeSystem::Entry;

TEST(EnvelopeSystem, SolvesTwoEquationsByHand) {
  // x = 3, counting four times, and y − x = 2: both can be met, so y = 5.
  EnvelopeSystem system({0, 0});
  system.AddEquation(std::vector<Entry>{{0, 1}}, 3, 4);
  system.AddEquation(std::vector<Entry>{{1, 1}, {0, -1}}, 2, 1);
  const auto solution = std::move(system).Solve();
  EXPECT_NEAR(solution.unknowns[0], 3, 1e-12);
  EXPECT_NEAR(solution.unknowns[1], 5, 1e-12);
  // The matrix is (4 + 1, −1; −1, 1).
  EXPECT_NEAR(solution.log_determinant, std::log(5 * 1 - 1), 1e-12);
}

TEST(EnvelopeSystem, UnknownsWithoutEquationsAreZero) {
  EnvelopeSystem system({0, 1, 1});
  system.AddEquation(std::vector<Entry>{{1, 1}, {2, 1}}, 6, 1);
  const auto solution = std::move(system).Solve();
  EXPECT_EQ(solution.unknowns[0], 0);
  EXPECT_NEAR(solution.unknowns[1] + solution.unknowns[2], 6, 1e-9);
}

TEST(EnvelopeSystem, AgreesWithTheFullMatrix) {
  SCOPED_TRACE("seed 11");
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  constexpr size_t kUnknowns = 40;
  constexpr size_t kReach = 5;
  std::vector<size_t> first;
  for (size_t i = 0; i < kUnknowns; ++i) first.push_back(i < kReach ? 0 : i - kReach);
  EnvelopeSystem system(first);
  std::vector<double> matrix(kUnknowns * kUnknowns);
  std::vector<double> right(kUnknowns);
  for (int e = 0; e < 200; ++e) {
    const size_t x = random() % (kUnknowns - kReach);
    const std::vector<Entry> entries = {{x, normal(random)}, {x + kReach, normal(random)}};
    const double value = normal(random);
    system.AddEquation(entries, value, 2);
    for (const Entry& p : entries) {
      right[p.unknown] += 2 * p.weight * value;
      for (const Entry& q : entries) {
        matrix[p.unknown * kUnknowns + q.unknown] += 2 * p.weight * q.weight;
      }
    }
  }
  const std::vector<double> expected = SolveSymmetric(matrix, right);
  const auto solution = std::move(system).Solve();
  for (size_t i = 0; i < kUnknowns; ++i) EXPECT_NEAR(solution.unknowns[i], expected[i], 1e-6);
}

}  // namespace
}  // namespace syncline
