// Linear programmes, and the solver behind them: the only place that knows which one it is.
//
//     minimise Σ objective · column   subject to   low ≤ Σ value · column ≤ high  per row,
//                                                  low ≤ column ≤ high            per column.
//
// Units: whatever the caller scales to; values near 1 serve the solver best. Errors: a result
// of Solve, never an exception. What comes back may violate limits by about 10^-7: a caller that
// guarantees something checks it. Cost: warm starts make a changed programme cheap. Method: simplex
// (COIN-OR Clp). Tested by: src/estimate/joint/linear_programme_test.cc.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

class ClpSimplex;

namespace syncline {

inline constexpr double kUsPerNs = 1e-3;  // programmes count in µs
inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct LinearProgramme {
  struct Limits {
    double low = -kUnlimited;
    double high = kUnlimited;
  };
  struct Entry {
    size_t index = 0;  // of a column in a row, of a row in a column
    double value = 0;
  };
  // Each index at most once.
  struct Line {
    std::vector<Entry> entries;
    Limits limits;
    double objective = 0;  // of columns
  };

  size_t AddColumn(Limits limits, double objective);
  size_t AddRow(std::vector<Entry> entries, Limits limits);

  std::vector<Line> columns;  // without entries
  std::vector<Line> rows;
};

class LinearSolver {
 public:
  // Which of the two is quick: the primal method after changes of the objective and for programmes
  // with a known feasible start, the dual method after changes of limits.
  enum class Method { kPrimal, kDual };

  explicit LinearSolver(const LinearProgramme& programme);
  ~LinearSolver();

  // Goes on from where the last call ended. False where there is no optimum, or none is found.
  bool Solve(Method method);
  void SetObjective(size_t column, double value);
  void SetColumn(size_t column, LinearProgramme::Limits limits);
  void SetRow(size_t row, LinearProgramme::Limits limits);
  // At the end; their entries' indices are of rows.
  void AddColumns(std::span<const LinearProgramme::Line> columns);
  // At the end.
  void AddRows(std::span<const LinearProgramme::Line> rows);

  // Of the last solution. The price of a row is the objective's change per unit of its limit.
  double objective() const;
  std::span<const double> columns() const;
  std::span<const double> prices() const;

 private:
  std::unique_ptr<ClpSimplex> simplex_;
};

}  // namespace syncline
