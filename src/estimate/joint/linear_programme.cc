#include "estimate/joint/linear_programme.h"

#include <utility>

#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <CoinPackedMatrix.hpp>

namespace syncline {

namespace {

using Line = LinearProgramme::Line;

// Clp's own infinity.
double Clipped(double v) {
  return v >= COIN_DBL_MAX ? COIN_DBL_MAX : v <= -COIN_DBL_MAX ? -COIN_DBL_MAX : v;
}

// Lines as the solver takes them.
struct Packed {
  explicit Packed(std::span<const Line> lines) {
    for (const Line& line : lines) {
      lows.push_back(Clipped(line.limits.low));
      highs.push_back(Clipped(line.limits.high));
      objective.push_back(line.objective);
      for (const auto& [index, value] : line.entries) {
        indices.push_back(static_cast<int>(index));
        values.push_back(value);
      }
      starts.push_back(static_cast<CoinBigIndex>(values.size()));
    }
  }

  std::vector<double> lows, highs, objective, values;
  std::vector<int> indices;
  std::vector<CoinBigIndex> starts = {0};
};

}  // namespace

size_t LinearProgramme::AddColumn(Limits limits, double objective) {
  columns.push_back({{}, limits, objective});
  return columns.size() - 1;
}

size_t LinearProgramme::AddRow(std::vector<Entry> entries, Limits limits) {
  rows.push_back({std::move(entries), limits});
  return rows.size() - 1;
}

class LinearSolver::Model {
 public:
  explicit Model(const LinearProgramme& programme) {
    const Packed columns(programme.columns);
    const Packed rows(programme.rows);
    const CoinPackedMatrix matrix(false, static_cast<int>(programme.columns.size()),
                                  static_cast<int>(programme.rows.size()),
                                  static_cast<CoinBigIndex>(rows.values.size()), rows.values.data(),
                                  rows.indices.data(), rows.starts.data(), nullptr);
    simplex_.setLogLevel(0);
    simplex_.loadProblem(matrix, columns.lows.data(), columns.highs.data(),
                         columns.objective.data(), rows.lows.data(), rows.highs.data());
    // Callers scale; and moving limits to break ties costs more here than it saves.
    simplex_.scaling(0);
    simplex_.setPerturbation(100);
    simplex_.setPrimalTolerance(1e-7);
    simplex_.setDualTolerance(1e-7);
  }

  ClpSimplex& simplex() { return simplex_; }

 private:
  ClpSimplex simplex_;
};

LinearSolver::LinearSolver(const LinearProgramme& programme)
    : model_(std::make_unique<Model>(programme)) {}
LinearSolver::LinearSolver(LinearSolver&&) noexcept = default;
LinearSolver& LinearSolver::operator=(LinearSolver&&) noexcept = default;
LinearSolver::~LinearSolver() = default;

bool LinearSolver::Solve(Method method) {
  ClpSimplex& simplex = model_->simplex();
  try {
    if (method == Method::kDual) simplex.dual();
    // The dual method is known to call programmes with free columns infeasible that are not.
    if (method == Method::kPrimal || !simplex.isProvenOptimal()) simplex.primal();
  } catch (const CoinError&) {
    return false;
  }
  return simplex.isProvenOptimal();
}

void LinearSolver::SetObjective(size_t column, double value) {
  model_->simplex().setObjectiveCoefficient(static_cast<int>(column), value);
}

void LinearSolver::SetColumn(size_t column, LinearProgramme::Limits limits) {
  model_->simplex().setColumnBounds(static_cast<int>(column), Clipped(limits.low),
                                    Clipped(limits.high));
}

void LinearSolver::SetRow(size_t row, LinearProgramme::Limits limits) {
  model_->simplex().setRowBounds(static_cast<int>(row), Clipped(limits.low), Clipped(limits.high));
}

void LinearSolver::AddColumns(std::span<const LinearProgramme::Line> columns) {
  const Packed packed(columns);
  model_->simplex().addColumns(static_cast<int>(columns.size()), packed.lows.data(),
                               packed.highs.data(), packed.objective.data(), packed.starts.data(),
                               packed.indices.data(), packed.values.data());
}

double LinearSolver::objective() const { return model_->simplex().objectiveValue(); }

std::span<const double> LinearSolver::columns() const {
  ClpSimplex& s = model_->simplex();
  return {s.primalColumnSolution(), static_cast<size_t>(s.numberColumns())};
}

std::span<const double> LinearSolver::prices() const {
  ClpSimplex& s = model_->simplex();
  return {s.dualRowSolution(), static_cast<size_t>(s.numberRows())};
}

}  // namespace syncline
