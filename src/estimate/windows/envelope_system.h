// Symmetric positive definite systems of equations whose matrix has its entries near the diagonal.
//
// Only what lies between the first entry of each row and the diagonal is stored: unknowns should
// be numbered so that those of one equation are near to each other. Unknowns without equations come
// out as 0. Cost: memory n · w, time n · w² for n unknowns and a width of w. Method: Cholesky's
// decomposition, row by row. Tested by: src/estimate/windows/envelope_system_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncline {

class EnvelopeSystem {
 public:
  struct Entry {
    size_t unknown = 0;
    double weight = 0;
  };

  // `first[i]` is the least unknown that shares an equation with i; ≤ i.
  explicit EnvelopeSystem(std::vector<size_t> first);

  // Least squares: Σ weight · unknown should be `value`, and counts `importance` times.
  void AddEquation(std::span<const Entry> entries, double value, double importance);

  struct Solution {
    std::vector<double> unknowns;
    double log_determinant = 0;  // of what the equations determine
  };
  Solution Solve() &&;

 private:
  double& At(size_t row, size_t column) { return rows_[row][column - first_[row]]; }

  std::vector<size_t> first_;
  std::vector<std::vector<double>> rows_;  // up to the diagonal
  std::vector<double> right_;
};

}  // namespace syncline
