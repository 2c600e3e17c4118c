#include "estimate/joint/bound_simplex.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

using Limits = BoundSimplex::Limits;
using Row = BoundSimplex::Row;

TEST(BoundSimplex, WithoutRowsTheMaximumIsInACorner) {
  BoundSimplex simplex({{-1, 2}, {-3, 4}});
  const std::vector<double> objective = {1, -1};
  ASSERT_TRUE(simplex.Maximise(objective));
  EXPECT_EQ(simplex.unknowns()[0], 2);
  EXPECT_EQ(simplex.unknowns()[1], -3);
  EXPECT_TRUE(simplex.multipliers().empty());
}

// Two clocks: u1 ≤ u0 + 1 and u0 ≤ 3, so u1 ≤ 4, by both with the multiplier 1.
TEST(BoundSimplex, MultipliersSayWhichRowsLeadToTheMaximum) {
  BoundSimplex simplex({{-10, 10}, {0, 0}, {-10, 10}, {0, 0}});
  simplex.Add({.clock = 0, .other = 1, .weights = {1, 0}, .other_weights = {-1, 0}, .constant = 1});
  simplex.Add({.clock = 0, .other = 1, .weights = {-1, 0}, .constant = 3});
  simplex.Add({.clock = 0, .other = 1, .other_weights = {-1, 0}, .constant = 100});
  const std::vector<double> objective = {0, 0, 1, 0};
  ASSERT_TRUE(simplex.Maximise(objective));
  EXPECT_NEAR(simplex.unknowns()[2], 3 + 1, 1e-6);
  const std::vector<double> multipliers = simplex.multipliers();
  EXPECT_NEAR(multipliers[0], 1, 1e-9);
  EXPECT_NEAR(multipliers[1], 1, 1e-9);
  EXPECT_EQ(multipliers[2], 0);
}

TEST(BoundSimplex, GoesOnWhenARowIsAdded) {
  BoundSimplex simplex({{-10, 10}, {-10, 10}});
  const std::vector<double> objective = {1, 1};
  ASSERT_TRUE(simplex.Maximise(objective));
  simplex.Add({.weights = {-1, -2}, .constant = 6});  // u + 2v ≤ 6
  ASSERT_TRUE(simplex.Continue());
  EXPECT_NEAR(simplex.unknowns()[0], 10, 1e-6);
  EXPECT_NEAR(simplex.unknowns()[1], (6.0 - 10) / 2, 1e-6);
}

TEST(BoundSimplex, SaysWhereRowsContradictEachOther) {
  BoundSimplex simplex({{-10, 10}, {-10, 10}});
  simplex.Add({.weights = {1, 1}, .constant = -5});   // u + v ≥ 5
  simplex.Add({.weights = {-1, -1}, .constant = 4});  // u + v ≤ 4
  EXPECT_FALSE(simplex.Maximise(std::vector<double>{1, 0}));
}

struct Programme {
  std::vector<Limits> limits;
  std::vector<Row> rows;
};

// All unknowns may be 0. Small integers, so that many vertices are equal.
Programme RandomProgramme(size_t clocks, size_t rows, std::mt19937_64& random) {
  const auto between = [&](int low, int high) {
    return static_cast<double>(low + static_cast<int>(random() % (high - low + 1)));
  };
  Programme programme;
  for (size_t k = 0; k < 2 * clocks; ++k) {
    programme.limits.push_back({between(-50, 0), between(0, 50)});
  }
  for (size_t r = 0; r < rows; ++r) {
    const auto clock = static_cast<uint32_t>(random() % clocks);
    const auto other = static_cast<uint32_t>((clock + 1 + random() % (clocks - 1)) % clocks);
    const double share = between(0, 4) / 4;
    const double other_share = between(0, 4) / 4;
    programme.rows.push_back(
        {clock, other, {share, 1 - share}, {-other_share, other_share - 1}, between(0, 10)});
  }
  return programme;
}

double MaximumByClp(const Programme& programme, const std::vector<double>& objective) {
  LinearProgramme clp;
  for (size_t k = 0; k < objective.size(); ++k) {
    clp.AddColumn({programme.limits[k].low, programme.limits[k].high}, -objective[k]);
  }
  for (const Row& row : programme.rows) {
    clp.AddRow({{2 * row.clock, row.weights[0]},
                {2 * row.clock + 1, row.weights[1]},
                {2 * row.other, row.other_weights[0]},
                {2 * row.other + 1, row.other_weights[1]}},
               {-row.constant, kUnlimited});
  }
  LinearSolver solver(clp);
  EXPECT_EQ(solver.Solve(LinearSolver::Method::kPrimal), LinearSolver::Status::kOptimal);
  return -solver.objective();
}

// Σ multiplier · constant, and what the multipliers leave of the function at the better limit.
double BoundOf(const Programme& programme, std::vector<double> left,
               const std::vector<double>& multipliers) {
  double bound = 0;
  for (size_t r = 0; r < programme.rows.size(); ++r) {
    const Row& row = programme.rows[r];
    bound += multipliers[r] * row.constant;
    for (size_t i = 0; i < 2; ++i) {
      left[2 * row.clock + i] += multipliers[r] * row.weights[i];
      left[2 * row.other + i] += multipliers[r] * row.other_weights[i];
    }
  }
  for (size_t k = 0; k < left.size(); ++k) {
    bound += std::max(left[k] * programme.limits[k].low, left[k] * programme.limits[k].high);
  }
  return bound;
}

TEST(BoundSimplex, AgreesWithAGeneralSolverAndItsMultipliersProveIt) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const size_t clocks = 2 + random() % 10;
    const Programme programme = RandomProgramme(clocks, random() % (12 * clocks), random);
    BoundSimplex simplex(programme.limits);
    for (const Row& row : programme.rows) simplex.Add(row);
    for (int i = 0; i < 3; ++i) {
      std::vector<double> objective(2 * clocks);
      const size_t clock = random() % clocks;
      objective[2 * clock] = static_cast<double>(random() % 5) / 4 - 0.5;
      objective[2 * clock + 1] = static_cast<double>(random() % 5) / 4 - 0.5;
      ASSERT_TRUE(simplex.Maximise(objective));
      const double expected = MaximumByClp(programme, objective);
      double found = 0;
      for (size_t k = 0; k < 2 * clocks; ++k) found += objective[k] * simplex.unknowns()[k];
      EXPECT_NEAR(found, expected, 1e-5);
      EXPECT_NEAR(BoundOf(programme, objective, simplex.multipliers()), expected, 1e-5);
    }
  }
}

}  // namespace
}  // namespace syncline
