#include "estimate/joint/piecewise_programme.h"

#include <algorithm>
#include <map>
#include <utility>

#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

using Entry = LinearProgramme::Entry;

// In stage 3, against 1 for the half-width of a bin.
constexpr double kCostOfBending = 0.02;  // per ppm and second of the trace
constexpr double kCostOfDelay = 1e-3;    // one-way pairs, per µs
constexpr double kFeasibleUs = 1e-5;
constexpr size_t kMostWidths = 4096;

// Which pairs and bins have messages both ways; of pairs with none such, all their bins as one.
// Where there are many, neighbouring bins count as one.
class Widths {
 public:
  Widths(const PiecewiseProblem& problem, std::span<const PiecewiseRow> rows)
      : bins_(problem.bins),
        merged_(problem.pairs.size() * problem.bins / kMostWidths + 1),
        seen_(problem.pairs.size() * problem.bins) {
    std::vector<int> pair_seen(problem.pairs.size());
    std::vector<bool> has_bin(problem.pairs.size());
    for (const PiecewiseRow& row : rows) {
      const int direction = row.is_a_to_b ? 1 : 2;
      int& seen = seen_[NumberOf(row)];
      seen |= direction;
      pair_seen[row.pair] |= direction;
      if (seen == 3) has_bin[row.pair] = true;
    }
    for (size_t p = 0; p < pair_seen.size(); ++p) {
      is_two_way_.push_back(pair_seen[p] == 3);
      is_whole_.push_back(pair_seen[p] == 3 && !has_bin[p]);
    }
  }

  bool IsTwoWay(size_t pair) const { return is_two_way_[pair]; }
  // The number of the width that limits this row, if any; below pairs · bins.
  std::optional<size_t> Of(const PiecewiseRow& row) const {
    if (is_whole_[row.pair]) return row.pair * bins_;
    const size_t number = NumberOf(row);
    return seen_[number] == 3 ? std::optional(number) : std::nullopt;
  }

 private:
  size_t NumberOf(const PiecewiseRow& row) const { return row.pair * bins_ + row.bin / merged_; }

  size_t bins_;
  size_t merged_;          // bins
  std::vector<int> seen_;  // by width: 1 for messages a → b, 2 for b → a
  std::vector<bool> is_two_way_;
  std::vector<bool> is_whole_;
};

class Builder {
 public:
  Builder(const PiecewiseProblem& problem, std::span<const PiecewiseRow> rows,
          const WishedRates& wished, double margin_ns)
      : problem_(problem), rows_(rows), margin_us_(margin_ns / 1000), widths_(problem, rows) {
    AddUnknowns();
    AddBends();
    AddWishes(wished);
    AddRows();
  }

  std::optional<PiecewiseSolution> Solve() {
    LinearSolver solver(programme_);
    if (!IsSolved(solver)) return std::nullopt;
    PiecewiseSolution solution = Read(solver);
    if (solution.lack_us > kFeasibleUs) return solution;
    Fix(solver, lacks_);
    if (!wishes_.empty()) {
      for (const size_t column : wishes_) solver.SetObjective(column, wish_costs_[column]);
      if (!IsSolved(solver)) return solution;
      Fix(solver, wishes_);
    }
    for (size_t c = 0; c < costs_.size(); ++c) {
      if (costs_[c] != 0) solver.SetObjective(c, costs_[c]);
    }
    // Else the solution of the stage before, which satisfies all messages as well.
    return IsSolved(solver) ? Read(solver) : solution;
  }

 private:
  static bool IsSolved(LinearSolver& solver) {
    return solver.Solve(LinearSolver::Method::kPrimal) == LinearSolver::Status::kOptimal;
  }
  // What a stage has reached, the later ones keep.
  static void Fix(LinearSolver& solver, std::span<const size_t> columns) {
    for (const size_t column : columns) {
      solver.SetObjective(column, 0);
      solver.SetColumn(column, {0, std::max(0.0, solver.columns()[column])});
    }
  }

  size_t Unknown(size_t clock, size_t knot) const { return first_[clock] + knot; }

  void AddUnknowns() {
    for (size_t i = 0; i < problem_.knotted.size(); ++i) {
      first_.push_back(programme_.columns.size());
      const LinearProgramme::Limits limits =
          i == 0 ? LinearProgramme::Limits{0, 0} : LinearProgramme::Limits{};
      for (size_t k = 0; k < problem_.knotted[i].knots.size(); ++k) {
        programme_.AddColumn(limits, 0);
      }
    }
    costs_.resize(programme_.columns.size());
  }

  size_t AddCosted(double cost) {
    costs_.push_back(cost);
    return programme_.AddColumn({0, kUnlimited}, 0);
  }

  void AddBends() {
    const double cost = kCostOfBending * problem_.BinSeconds() * static_cast<double>(problem_.bins);
    for (size_t i = 1; i < problem_.knotted.size(); ++i) {
      const std::vector<Point>& knots = problem_.knotted[i].knots;
      for (size_t k = 1; k + 1 < knots.size(); ++k) {
        const double before = static_cast<double>(knots[k].x - knots[k - 1].x) / 1e9;
        const double after = static_cast<double>(knots[k + 1].x - knots[k].x) / 1e9;
        const size_t up = AddCosted(cost);
        const size_t down = AddCosted(cost);
        programme_.AddRow({{Unknown(i, k - 1), 1 / before},
                           {Unknown(i, k), -1 / before - 1 / after},
                           {Unknown(i, k + 1), 1 / after},
                           {up, -1},
                           {down, 1}},
                          {0, 0});
      }
    }
  }

  void AddWishes(const WishedRates& wished) {
    for (size_t i = 1; i < problem_.knotted.size(); ++i) {
      const std::vector<Point>& knots = problem_.knotted[i].knots;
      for (size_t s = 0; s + 1 < knots.size(); ++s) {
        if (!wished[i][s]) continue;
        const double seconds = static_cast<double>(knots[s + 1].x - knots[s].x) / 1e9;
        const size_t above = AddCosted(0);
        const size_t below = AddCosted(0);
        for (const size_t column : {above, below}) {
          wishes_.push_back(column);
          wish_costs_[column] = seconds;
        }
        programme_.AddRow({{Unknown(i, s), -1 / seconds},
                           {Unknown(i, s + 1), 1 / seconds},
                           {above, -1},
                           {below, 1}},
                          {*wished[i][s], *wished[i][s]});
      }
    }
  }

  std::vector<Entry> EntriesOf(const PiecewiseRow& row) const {
    std::vector<Entry> entries;
    for (size_t side = 0; side < 2; ++side) {
      if (row.earlier != 0) {
        entries.push_back(
            {Unknown(row.earlier, row.earlier_segment + side), row.earlier_weights[side]});
      }
      if (row.later != 0) {
        entries.push_back({Unknown(row.later, row.later_segment + side), row.later_weights[side]});
      }
    }
    return entries;
  }

  void AddRows() {
    std::vector<std::optional<size_t>> lack_of(problem_.pairs.size() * problem_.bins);
    std::vector<std::optional<size_t>> width_of(lack_of.size());
    for (const PiecewiseRow& row : rows_) {
      std::vector<Entry> entries = EntriesOf(row);
      if (!widths_.IsTwoWay(row.pair)) {
        for (const auto& [column, weight] : entries) costs_[column] += kCostOfDelay * weight;
      }
      std::optional<size_t>& lack = lack_of[row.pair * problem_.bins + row.bin];
      if (!lack) {
        lack = programme_.AddColumn({0, kUnlimited}, 1);
        costs_.push_back(0);
        lacks_.push_back(*lack);
      }
      const double least = margin_us_ - row.constant_ns / 1000;
      std::vector<Entry> with_lack = entries;
      with_lack.push_back({*lack, 1});
      programme_.AddRow(std::move(with_lack), {least, kUnlimited});
      const std::optional<size_t> number = widths_.Of(row);
      if (!number) continue;
      std::optional<size_t>& width = width_of[*number];
      if (!width) {
        width = programme_.AddColumn({}, 0);
        costs_.push_back(-1);
      }
      entries.push_back({*width, -1});
      programme_.AddRow(std::move(entries), {least, kUnlimited});
    }
  }

  PiecewiseSolution Read(const LinearSolver& solver) const {
    PiecewiseSolution solution;
    for (size_t i = 0; i < problem_.knotted.size(); ++i) {
      const auto from = solver.columns().begin() + static_cast<ptrdiff_t>(first_[i]);
      const auto count = static_cast<ptrdiff_t>(problem_.knotted[i].knots.size());
      solution.moves_us.emplace_back(from, from + count);
    }
    for (const PiecewiseRow& row : rows_) {
      solution.lacks_us.push_back(std::max(0.0, margin_us_ - SlackUs(row, solution.moves_us)));
    }
    for (const size_t column : lacks_) solution.lack_us += std::max(0.0, solver.columns()[column]);
    return solution;
  }

  const PiecewiseProblem& problem_;
  std::span<const PiecewiseRow> rows_;
  double margin_us_;
  Widths widths_;
  LinearProgramme programme_;
  std::vector<size_t> first_;   // by clock: the unknown of its first knot
  std::vector<double> costs_;   // by column, in stage 3
  std::vector<size_t> wishes_;  // columns
  std::map<size_t, double> wish_costs_;
  std::vector<size_t> lacks_;  // columns
};

}  // namespace

double SlackUs(const PiecewiseRow& row, std::span<const std::vector<double>> moves_us) {
  const std::vector<double>& earlier = moves_us[row.earlier];
  const std::vector<double>& later = moves_us[row.later];
  return row.constant_ns / 1000 + row.earlier_weights[0] * earlier[row.earlier_segment] +
         row.earlier_weights[1] * earlier[row.earlier_segment + 1] +
         row.later_weights[0] * later[row.later_segment] +
         row.later_weights[1] * later[row.later_segment + 1];
}

std::optional<PiecewiseSolution> SolvePiecewise(const PiecewiseProblem& problem,
                                                std::span<const PiecewiseRow> rows,
                                                const WishedRates& wished, double margin_ns) {
  return Builder(problem, rows, wished, margin_ns).Solve();
}

}  // namespace syncline
