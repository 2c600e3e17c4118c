#include "estimate/joint/linear_programme.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Method = LinearSolver::Method;

// Maximise 3x + 2y with x + y ≤ 4, x + 3y ≤ 6, 0 ≤ x ≤ 3, 0 ≤ y: the corner (3, 1).
LinearProgramme Example() {
  LinearProgramme programme;
  programme.AddColumn({0, 3}, -3);
  programme.AddColumn({0, kUnlimited}, -2);
  programme.AddRow({{0, 1}, {1, 1}}, {-kUnlimited, 4});
  programme.AddRow({{0, 1}, {1, 3}}, {-kUnlimited, 6});
  return programme;
}

TEST(LinearSolver, FindsTheCornerAndThePricesOfTheRowsThatBind) {
  LinearSolver solver(Example());
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  EXPECT_NEAR(solver.objective(), -(3 * 3 + 2 * 1), 1e-9);
  EXPECT_THAT(solver.columns(), ElementsAre(DoubleNear(3, 1e-9), DoubleNear(1, 1e-9)));
  // The first row, one wider, lets y grow by 1, worth −2; at (3, 1) the second is met exactly, so
  // it may share the price.
  const std::span<const double> prices = solver.prices();
  EXPECT_LE(prices[0] * 4 + prices[1] * 6 + (-3 - prices[0] - prices[1]) * 3, -11 + 1e-9);
}

TEST(LinearSolver, GoesOnAfterChanges) {
  LinearSolver solver(Example());
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  solver.SetRow(0, {-kUnlimited, 3.5});
  ASSERT_TRUE(solver.Solve(Method::kDual));
  EXPECT_THAT(solver.columns(), ElementsAre(DoubleNear(3, 1e-9), DoubleNear(0.5, 1e-9)));
  solver.SetObjective(0, 0);  // only y counts: x + 3y ≤ 6
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  EXPECT_THAT(solver.columns(), ElementsAre(DoubleNear(0, 1e-9), DoubleNear(2, 1e-9)));
  solver.SetColumn(0, {1.5, 3});
  ASSERT_TRUE(solver.Solve(Method::kDual));
  EXPECT_THAT(solver.columns(), ElementsAre(DoubleNear(1.5, 1e-9), DoubleNear(1.5, 1e-9)));
}

TEST(LinearSolver, TakesFurtherColumns) {
  LinearSolver solver(Example());
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  // z ≤ 1, worth 10, uses up one of the first row, which leaves x + y ≤ 3.
  const std::vector<LinearProgramme::Line> column = {{{{0, 1}}, {0, 1}, -10}};
  solver.AddColumns(column);
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  EXPECT_NEAR(solver.objective(), -(3 * 3 + 10 * 1), 1e-9);
}

TEST(LinearSolver, TakesFurtherRows) {
  LinearSolver solver(Example());
  ASSERT_TRUE(solver.Solve(Method::kPrimal));
  // x − y ≤ 1: with x + 3y ≤ 6 and x + y ≤ 4, the corner (2.5, 1.5) of the first is not allowed by
  // the second, which leaves (2.25, 1.25).
  const std::vector<LinearProgramme::Line> row = {{{{0, 1}, {1, -1}}, {-kUnlimited, 1}}};
  solver.AddRows(row);
  ASSERT_TRUE(solver.Solve(Method::kDual));
  EXPECT_THAT(solver.columns(), ElementsAre(DoubleNear(2.25, 1e-9), DoubleNear(1.25, 1e-9)));
}

TEST(LinearSolver, SaysWhatHasNoSolution) {
  LinearProgramme impossible = Example();
  impossible.AddRow({{0, 1}, {1, 1}}, {5, kUnlimited});
  EXPECT_FALSE(LinearSolver(impossible).Solve(Method::kDual));
  LinearProgramme endless;
  endless.AddColumn({0, kUnlimited}, -1);
  endless.AddRow({{0, 1}}, {0, kUnlimited});
  EXPECT_FALSE(LinearSolver(endless).Solve(Method::kPrimal));
}

}  // namespace
}  // namespace syncline
