#include "estimate/joint/dual_bound.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace syncline {
namespace {

// Sums of up to 2^10 products of extended precision are good to this part of the sum of their
// sizes, with room to spare.
constexpr long double kRoundOff = 0x1p-50L;

// The column of a row's multiplier.
LinearProgramme::Line InMicroseconds(const JointRow& row) {
  LinearProgramme::Line column{
      row.Entries(), {0, kUnlimited}, static_cast<double>(row.constant_ns / 1000)};
  for (auto& [unknown, weight] : column.entries) weight = -weight;
  return column;
}

}  // namespace

DualBound::DualBound(const JointProblem& problem, const JointPaths& paths) {
  const size_t n = problem.clocks.size();
  box_.resize(StartOf(n));
  for (size_t i = 1; i < n; ++i) {
    if (!paths.HasBoth(i)) continue;
    const auto interval = [&](Point p) {
      constexpr long double kAnything = 0x1p64L;
      const auto low = paths.Lower(i, p.x);
      const auto high = paths.Upper(i, p.x);
      return Interval{
          low ? static_cast<long double>(static_cast<Int128>(*low) - p.y) : -kAnything,
          high ? static_cast<long double>(static_cast<Int128>(*high) - p.y) : kAnything};
    };
    box_[StartOf(i)] = interval(problem.anchors[i].first);
    box_[EndOf(i)] = interval(problem.anchors[i].last);
  }
  for (const std::vector<JointRow>& rows :
       {MessageRows(problem, Readings::kAsLateAsPossible), RateRows(problem)}) {
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(rows_), [&](const JointRow& row) {
      return paths.HasBoth(row.earlier) && paths.HasBoth(row.later);
    });
  }

  is_taken_.resize(rows_.size());
  for (size_t r = 0; r < rows_.size(); ++r) {
    const JointRow& last = rows_[r > 0 ? r - 1 : 0];
    const bool is_same = rows_[r].kind == last.kind && rows_[r].pair == last.pair &&
                         rows_[r].earlier == last.earlier;
    if (r > 0 && !is_same) ++groups_;
    group_.push_back(groups_);
  }
  ++groups_;

  // Row k is the unknown's; its price is the unknown. The first columns are multipliers of limits.
  LinearProgramme programme;
  for (const Interval& of_unknown : box_) {
    const size_t high =
        programme.AddColumn({0, kUnlimited}, static_cast<double>(of_unknown.high / 1000));
    const size_t low =
        programme.AddColumn({0, kUnlimited}, static_cast<double>(-of_unknown.low / 1000));
    programme.AddRow({{high, 1}, {low, -1}}, {0, 0});
  }
  solver_.emplace(programme);
}

DualBound::Maximum DualBound::Of(size_t clock, std::array<long double, 2> weights) {
  using Method = LinearSolver::Method;
  constexpr int kRounds = 100;
  const auto set_objective = [&](size_t unknown, double weight) {
    solver_->SetRow(unknown, {weight, weight});
  };
  set_objective(StartOf(clock), static_cast<double>(weights[0]));
  set_objective(EndOf(clock), static_cast<double>(weights[1]));
  // Whatever the rounds reach is a bound.
  bool goes_on = solver_->Solve(Method::kDual);
  for (int i = 0; i < kRounds && goes_on && TakeInViolated(); ++i) {
    goes_on = solver_->Solve(Method::kPrimal);
  }
  const std::span<const double> unknowns = solver_->prices();
  const Maximum maximum = {Certified(clock, weights),
                           {1000 * unknowns[StartOf(clock)], 1000 * unknowns[EndOf(clock)]}};
  set_objective(StartOf(clock), 0);
  set_objective(EndOf(clock), 0);
  return maximum;
}

bool DualBound::TakeInViolated() {
  constexpr long double kToleratedNs = 0.01L;
  const std::span<const double> unknowns_us = solver_->prices();
  struct Worst {
    long double slack_ns = -kToleratedNs;
    std::optional<size_t> row;
  };
  std::vector<Worst> worst(groups_);
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (is_taken_[r]) continue;
    const long double slack = rows_[r].SlackNs(unknowns_us);
    Worst& group = worst[group_[r]];
    if (slack < group.slack_ns) group = {slack, r};
  }
  std::vector<LinearProgramme::Line> added;
  for (const Worst& group : worst) {
    if (!group.row) continue;
    is_taken_[*group.row] = true;
    taken_.push_back(*group.row);
    added.push_back(InMicroseconds(rows_[*group.row]));
  }
  if (!added.empty()) solver_->AddColumns(added);
  return !added.empty();
}

// For λ ≥ 0 and unknowns z that satisfy all rows, objective · z ≤ objective · z + Σ λ · row(z) =
// Σ λ · constant + (objective + Σ λ · weights) · z, whose last term the box limits.
long double DualBound::Certified(size_t clock, std::array<long double, 2> weights) const {
  std::vector<long double> left(box_.size());
  std::vector<long double> sizes(box_.size());
  const auto add = [&](size_t unknown, long double v) {
    left[unknown] += v;
    sizes[unknown] += std::fabs(v);
  };
  add(StartOf(clock), weights[0]);
  add(EndOf(clock), weights[1]);
  long double bound = 0;
  long double size = 0;
  // Those of limits are not used: what they leave is limited the same way.
  const std::span<const double> lambdas = solver_->columns().subspan(2 * box_.size());
  for (size_t i = 0; i < taken_.size(); ++i) {
    const long double lambda = lambdas[i];
    if (!(lambda > 0) || !std::isfinite(lambda)) continue;
    const JointRow& row = rows_[taken_[i]];
    bound += lambda * row.constant_ns;
    size += lambda * row.size_ns;
    for (const auto& [unknown, weight] : row.Terms()) add(unknown, lambda * weight);
  }
  for (size_t k = StartOf(1); k < box_.size(); ++k) {
    const long double reach = std::max(std::fabs(box_[k].low), std::fabs(box_[k].high));
    bound += std::max(left[k] * box_[k].low, left[k] * box_[k].high);
    size += sizes[k] * reach;
  }
  return bound + kRoundOff * size;
}

}  // namespace syncline
