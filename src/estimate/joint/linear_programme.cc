#include "estimate/joint/linear_programme.h"

#include <utility>

#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <CoinPackedMatrix.hpp>

namespace syncline {
namespace {

// Clp's own infinity.
double Clipped(double v) {
  return v >= COIN_DBL_MAX ? COIN_DBL_MAX : v <= -COIN_DBL_MAX ? -COIN_DBL_MAX : v;
}

// Lines as the solver takes them.
struct Packed {
  explicit Packed(std::span<const LinearProgramme::Line> lines) {
    for (const LinearProgramme::Line& line : lines) {
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

LinearSolver::LinearSolver(const LinearProgramme& programme)
    : simplex_(std::make_unique<ClpSimplex>()) {
  const Packed columns(programme.columns);
  const Packed rows(programme.rows);
  const CoinPackedMatrix matrix(false, static_cast<int>(programme.columns.size()),
                                static_cast<int>(programme.rows.size()),
                                static_cast<CoinBigIndex>(rows.values.size()), rows.values.data(),
                                rows.indices.data(), rows.starts.data(), nullptr);
  simplex_->setLogLevel(0);
  simplex_->loadProblem(matrix, columns.lows.data(), columns.highs.data(), columns.objective.data(),
                        rows.lows.data(), rows.highs.data());
  // Callers scale; and moving limits to break ties costs more here than it saves.
  simplex_->scaling(0);
  simplex_->setPerturbation(100);
  simplex_->setPrimalTolerance(1e-7);
  simplex_->setDualTolerance(1e-7);
}

LinearSolver::~LinearSolver() = default;

bool LinearSolver::Solve(Method method) {
  try {
    if (method == Method::kDual) simplex_->dual();
    // The dual method is known to call programmes with free columns infeasible that are not.
    if (method == Method::kPrimal || !simplex_->isProvenOptimal()) simplex_->primal();
  } catch (const CoinError&) {
    return false;
  }
  return simplex_->isProvenOptimal();
}

void LinearSolver::SetObjective(size_t column, double value) {
  simplex_->setObjectiveCoefficient(static_cast<int>(column), value);
}

void LinearSolver::SetColumn(size_t column, LinearProgramme::Limits limits) {
  simplex_->setColumnBounds(static_cast<int>(column), Clipped(limits.low), Clipped(limits.high));
}

void LinearSolver::SetRow(size_t row, LinearProgramme::Limits limits) {
  simplex_->setRowBounds(static_cast<int>(row), Clipped(limits.low), Clipped(limits.high));
}

void LinearSolver::AddColumns(std::span<const LinearProgramme::Line> columns) {
  const Packed packed(columns);
  simplex_->addColumns(static_cast<int>(columns.size()), packed.lows.data(), packed.highs.data(),
                       packed.objective.data(), packed.starts.data(), packed.indices.data(),
                       packed.values.data());
}

void LinearSolver::AddRows(std::span<const LinearProgramme::Line> rows) {
  const Packed packed(rows);
  simplex_->addRows(static_cast<int>(rows.size()), packed.lows.data(), packed.highs.data(),
                    packed.starts.data(), packed.indices.data(), packed.values.data());
}

double LinearSolver::objective() const { return simplex_->objectiveValue(); }

std::span<const double> LinearSolver::columns() const {
  return {simplex_->primalColumnSolution(), static_cast<size_t>(simplex_->numberColumns())};
}

std::span<const double> LinearSolver::prices() const {
  return {simplex_->dualRowSolution(), static_cast<size_t>(simplex_->numberRows())};
}

}  // namespace syncline
