#include "estimate/joint/potentials.h"

#include <tuple>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

namespace syncline {

std::vector<double> FitPotentials(size_t nodes, std::span<const PotentialEdge> edges,
                                  double tolerance) {
  Blocks blocks(nodes);
  for (const PotentialEdge& e : edges) {
    if (e.weight > 0) blocks.Join(e.from, e.to);
  }
  // Rows of first nodes say that their value is 0.
  const auto is_free = [&](size_t i) { return blocks.Of(i) != i; };
  const auto size = static_cast<Eigen::Index>(nodes);
  std::vector<Eigen::Triplet<double>> laplacian;
  Eigen::VectorXd pulls = Eigen::VectorXd::Zero(size);
  for (size_t i = 0; i < nodes; ++i) {
    if (!is_free(i)) laplacian.emplace_back(i, i, 1);
  }
  for (const auto& [from, to, difference, weight] : edges) {
    if (!(weight > 0)) continue;
    for (const auto& [here, there, sign] : {std::tuple(from, to, -1), std::tuple(to, from, 1)}) {
      if (!is_free(here)) continue;
      laplacian.emplace_back(here, here, weight);
      if (is_free(there)) laplacian.emplace_back(here, there, -weight);
      pulls[static_cast<Eigen::Index>(here)] += sign * weight * difference;
    }
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(laplacian.begin(), laplacian.end());
  Eigen::ConjugateGradient<decltype(matrix), Eigen::Lower | Eigen::Upper> solver(matrix);
  if (tolerance > 0) solver.setTolerance(tolerance);
  const Eigen::VectorXd values = solver.solve(pulls);
  return {values.begin(), values.end()};
}

}  // namespace syncline
