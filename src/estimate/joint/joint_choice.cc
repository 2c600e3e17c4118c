#include "estimate/joint/joint_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "estimate/joint/analytic_centre.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/linear_programme.h"
#include "estimate/joint/potentials.h"

namespace syncline {
namespace {

using Entry = LinearProgramme::Entry;
using Limits = LinearProgramme::Limits;

// Keeps rounding from making a programme infeasible that repeats an earlier one's solution.
constexpr double kToleranceUs = 1e-6;

// Two instants of the clock a of a one-way pair: where its hull begins and ends.
std::array<int64_t, 2> EndsOfHull(const PairEstimate& estimate) {
  const BoundCurve& curve = estimate.bounds.upper ? *estimate.bounds.upper : *estimate.bounds.lower;
  const int64_t first = curve.vertices().front().x;
  const int64_t last = curve.vertices().back().x;
  constexpr int64_t kSecond = 1'000'000'000;
  return {first, last - first < kSecond ? first + kSecond : last};
}

// Each clock's rate relative to its leader's that agrees best with the pairs' lines, by least
// squares; a pair counts the more the better its messages tell the rate. As rate − 1.
std::vector<double> FitDrifts(const JointProblem& problem, const JointRoles& roles) {
  double least_error = std::numeric_limits<double>::infinity();
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    if (roles.of_pair[p] != PairRole::kTwoWay) continue;
    least_error = std::min(least_error, problem.pairs[p].estimate->drift_error);
  }
  std::vector<PotentialEdge> edges;
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    if (roles.of_pair[p] != PairRole::kTwoWay) continue;
    const auto& [a, b, estimate] = problem.pairs[p];
    const double precision = least_error / estimate->drift_error;
    // The slope of a pair's line is rate(a) / rate(b).
    const auto drift = static_cast<double>(estimate->line->slope.Drift());
    edges.push_back({b, a, std::log1p(drift), precision * precision});
  }
  const std::vector<double> logs = FitPotentials(problem.clocks.size(), edges);
  std::vector<double> drifts;
  for (size_t i = 0; i < logs.size(); ++i) {
    drifts.push_back(std::expm1(logs[i] - logs[roles.leader[i]]));
  }
  return drifts;
}

// The linear programmes of the stages, as changes of one programme. Units: microseconds.
// Of the rows of messages and rates few ever bind: it begins with those of the tree's pairs, and
// takes in those that a solution violates most until it violates none.
class JointStages {
 public:
  // Every message row r must have slack ≥ margins_ns[r].
  JointStages(const JointProblem& problem, const JointRoles& roles, std::span<const JointRow> rows,
              std::span<const double> margins_ns)
      : problem_(problem),
        roles_(roles),
        rows_(rows.begin(), rows.end()),
        margins_ns_(margins_ns.begin(), margins_ns.end()) {
    for (size_t i = 0; i < problem_.clocks.size(); ++i) {
      const Limits limits = i == 0 ? Limits{0, 0} : Limits{};
      programme_.AddColumn(limits, 0);
      programme_.AddColumn(limits, 0);
    }
    if (std::ranges::any_of(rows, [&](const auto& row) { return HasSlack(row); })) {
      slack_.push_back(programme_.AddColumn({}, -1));
    }
    const std::vector<JointRow> rates = RateRows(problem_);
    rows_.insert(rows_.end(), rates.begin(), rates.end());
    margins_ns_.resize(rows_.size());
    is_taken_.resize(rows_.size());
    TakeInTree();
    AddRates();
    AddOneWay();
  }

  // Stages 1 to 3: the unknowns of joint_programme.h; none where the rows contradict each other.
  std::optional<std::vector<double>> FindGreatestSlack() {
    solver_.emplace(programme_);
    if (!Solve(LinearSolver::Method::kPrimal)) return std::nullopt;
    if (slack_.empty()) return Unknowns();
    const double slack = solution_[slack_[0]];
    if (slack < -kToleranceUs) return std::nullopt;
    // The later stages have a solution, the present one, which stays should the solver find none.
    solver_->SetColumn(slack_[0], {slack / 2 - kToleranceUs, kUnlimited});
    Minimise(rates_, 1);
    if (Solve(LinearSolver::Method::kPrimal)) {
      for (const size_t c : rates_) solver_->SetColumn(c, {solution_[c], solution_[c]});
    }
    Minimise(slack_, -1);
    Solve(LinearSolver::Method::kPrimal);
    return Unknowns();
  }

  // Stage 5: as given, but clocks that are not related to the root in both directions are placed.
  // Requires that FindGreatestSlack has found something.
  std::vector<double> PlaceOneWay(std::vector<double> unknowns_us) {
    if (delays_.empty()) return unknowns_us;
    for (size_t i = 0; i < roles_.is_inside.size(); ++i) {
      if (!roles_.is_inside[i]) continue;
      for (const size_t c : {StartOf(i), EndOf(i)}) {
        solver_->SetColumn(c, {unknowns_us[c], unknowns_us[c]});
      }
    }
    for (const size_t row : ties_) {
      double now = 0;
      for (const auto& [index, value] : programme_.rows[row].entries)
        now += value * unknowns_us[index];
      solver_->SetRow(row, {now - kToleranceUs, now + kToleranceUs});
    }
    if (!slack_.empty()) solver_->SetColumn(slack_[0], {0, 0});
    Minimise(delays_, 1);
    return Solve(LinearSolver::Method::kDual) ? Unknowns() : unknowns_us;
  }

 private:
  // Negative slack is what messages lack. So some lines always satisfy the programme, and it does
  // not rest on the solver whether messages contradict each other.
  bool HasSlack(const JointRow& row) const {
    return row.kind == JointRow::Kind::kMessage &&
           roles_.of_pair[row.pair] != PairRole::kLeastDelay;
  }

  void TakeInTree() {
    for (size_t r = 0; r < rows_.size(); ++r) {
      const auto& [a, b, estimate] = problem_.pairs[rows_[r].pair];
      if (problem_.parents[a] != b && problem_.parents[b] != a) continue;
      programme_.rows.push_back(Taken(r));
    }
  }

  LinearProgramme::Line Taken(size_t row) {
    is_taken_[row] = true;
    LinearProgramme::Line line{rows_[row].Entries()};
    if (HasSlack(rows_[row])) line.entries.push_back({slack_[0], -1});
    line.limits.low = static_cast<double>(margins_ns_[row] - rows_[row].constant_ns) * kUsPerNs;
    return line;
  }

  // False where there is none.
  bool TakeIn(std::span<const size_t> rows) {
    std::vector<LinearProgramme::Line> added;
    for (const size_t row : rows) added.push_back(Taken(row));
    if (!added.empty()) solver_->AddRows(added);
    return !added.empty();
  }

  std::vector<size_t> NotTaken() const {
    std::vector<size_t> rows;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (!is_taken_[r]) rows.push_back(r);
    }
    return rows;
  }

  // Those that the solution violates most, of those that are not taken in.
  std::vector<size_t> MostViolated() const {
    const std::span<const double> columns = solver_->columns();
    std::vector<std::pair<long double, size_t>> violated;  // by what they have too much
    for (const size_t r : NotTaken()) {
      const double slack_us = HasSlack(rows_[r]) ? columns[slack_[0]] : 0;
      const long double needed_ns = margins_ns_[r] + (slack_us - kToleranceUs) / kUsPerNs;
      const long double excess_ns = rows_[r].SlackNs(columns) - needed_ns;
      if (excess_ns < 0) violated.emplace_back(excess_ns, r);
    }
    const size_t most = std::min(violated.size(), 2 * problem_.clocks.size());
    const auto end = violated.begin() + static_cast<ptrdiff_t>(most);
    std::partial_sort(violated.begin(), end, violated.end());
    std::vector<size_t> rows;
    std::transform(violated.begin(), end, std::back_inserter(rows),
                   [](const auto& row) { return row.second; });
    return rows;
  }

  void AddRates() {
    const std::vector<double> drifts = FitDrifts(problem_, roles_);
    for (size_t i = 0; i < drifts.size(); ++i) {
      if (roles_.leader[i] == i) continue;
      AddDeviation(MakeRateRow(problem_, i, roles_.leader[i], drifts[i]), rates_);
    }
  }

  void AddOneWay() {
    for (size_t p = 0; p < problem_.pairs.size(); ++p) {
      if (roles_.of_pair[p] != PairRole::kLeastDelay) continue;
      const auto& [a, b, estimate] = problem_.pairs[p];
      for (const int64_t x : EndsOfHull(*estimate)) {
        AddDeviation(MakeMessageRow(problem_, a, x, b, estimate->line->Nearest(x)), delays_);
      }
    }
    for (size_t i = 0; i < problem_.clocks.size(); ++i) {
      const size_t leader = roles_.leader[i];
      if (roles_.is_inside[i] || leader == i) continue;
      const JointRow tie = MakeMessageRow(problem_, i, problem_.anchors[i].first.x, leader,
                                          problem_.anchors[leader].first.x);
      ties_.push_back(programme_.AddRow(tie.Entries(), {}));
    }
  }

  // Two columns whose sum is |row| where it is minimised.
  void AddDeviation(const JointRow& row, std::vector<size_t>& columns) {
    const size_t above = programme_.AddColumn({0, kUnlimited}, 0);
    const size_t below = programme_.AddColumn({0, kUnlimited}, 0);
    std::vector<Entry> entries = row.Entries();
    entries.push_back({above, -1});
    entries.push_back({below, 1});
    const double constant = static_cast<double>(row.constant_ns) * kUsPerNs;
    programme_.AddRow(std::move(entries), {-constant, -constant});
    columns.push_back(above);
    columns.push_back(below);
  }

  bool Solve(LinearSolver::Method method) {
    using Method = LinearSolver::Method;
    for (bool is_more = true; is_more;) {
      const bool is_solved = solver_->Solve(method);
      // Some of the rows may leave without limit what all of them limit.
      is_more = TakeIn(is_solved ? MostViolated() : NotTaken());
      if (!is_more && !is_solved) return false;
      method = is_solved ? Method::kDual : Method::kPrimal;
    }
    solution_.assign(solver_->columns().begin(), solver_->columns().end());
    return true;
  }

  void Minimise(std::span<const size_t> columns, double cost) {
    for (size_t c = 0; c < programme_.columns.size(); ++c) solver_->SetObjective(c, 0);
    for (const size_t c : columns) solver_->SetObjective(c, cost);
  }

  std::vector<double> Unknowns() const {
    const auto count = static_cast<ptrdiff_t>(StartOf(problem_.clocks.size()));
    return {solution_.begin(), solution_.begin() + count};
  }

  const JointProblem& problem_;
  const JointRoles& roles_;
  std::vector<JointRow> rows_;      // of messages, then of rates
  std::vector<double> margins_ns_;  // of these
  std::vector<bool> is_taken_;      // into the programme
  LinearProgramme programme_;
  std::vector<size_t> slack_;   // the column of the common slack, if there is one
  std::vector<size_t> rates_;   // columns of deviations of rates
  std::vector<size_t> delays_;  // and of one-way pairs from their lines
  std::vector<size_t> ties_;    // rows that hold together what hangs on one-way pairs
  std::optional<LinearSolver> solver_;
  std::vector<double> solution_;
};

// What rounding both anchors of both clocks to integers can take from a row's slack.
constexpr double kRoundingNs = 1;

std::optional<std::vector<Anchors>> Rounded(const JointProblem& problem,
                                            std::span<const double> unknowns_us) {
  constexpr double kFarNs = 0x1p60;
  const auto moved = [&](Point p, double us) {
    const int64_t move = std::llround(std::clamp(us * 1e3, -kFarNs, kFarNs));
    return Point{p.x, Saturate(static_cast<Int128>(p.y) + move)};
  };
  std::vector<Anchors> lines;
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    const auto& [first, last] = problem.anchors[i];
    lines.push_back({moved(first, unknowns_us[StartOf(i)]), moved(last, unknowns_us[EndOf(i)])});
    const Int128 rise = static_cast<Int128>(lines.back().last.y) - lines.back().first.y;
    if (rise <= 0 || rise > (Int128{1} << 62)) return std::nullopt;
  }
  return lines;
}

// By how much earlier(x) > later(y), exactly, rounded up; 0 where it is not.
int64_t ShortfallNs(const Line& earlier, int64_t x, const Line& later, int64_t y) {
  const auto [from, from_rest] = earlier.At(x);
  const auto [to, to_rest] = later.At(y);
  const bool rest_is_late = from_rest * later.slope.den > to_rest * earlier.slope.den;
  return std::max<int64_t>(0, Saturate(from - to + (rest_is_late ? 1 : 0)));
}

JointChoice Judged(std::vector<Anchors> lines, std::span<const JointRow> rows) {
  JointChoice choice{.lines = std::move(lines)};
  for (const JointRow& row : rows) {
    const Line earlier = choice.lines[row.earlier].ToLine();
    const Line later = choice.lines[row.later].ToLine();
    const int64_t shortfall = ShortfallNs(earlier, row.earlier_ns, later, row.later_ns);
    choice.shortfalls_ns.push_back(shortfall);
    if (shortfall == 0) continue;
    ++choice.violated;
    choice.inverted += earlier.Nearest(row.earlier_ns) > later.Nearest(row.later_ns) ? 1 : 0;
  }
  return choice;
}

std::optional<JointChoice> TryOnce(const JointProblem& problem, const JointRoles& roles,
                                   std::span<const JointRow> rows,
                                   std::span<const double> margins_ns) {
  JointStages stages(problem, roles, rows, margins_ns);
  const auto widest = stages.FindGreatestSlack();
  if (!widest) return std::nullopt;
  const std::vector<double> unknowns =
      stages.PlaceOneWay(AtAnalyticCentre(problem, roles, rows, margins_ns, *widest));
  std::optional<std::vector<Anchors>> lines = Rounded(problem, unknowns);
  if (!lines) return std::nullopt;
  return Judged(*std::move(lines), rows);
}

// Where rounding has put points on the wrong side, they get more slack, as long as that is
// possible.
std::optional<JointChoice> ChooseAndRepair(const JointProblem& problem, const JointRoles& roles,
                                           std::span<const JointRow> rows, double margin_ns) {
  constexpr int kRepairs = 3;
  std::vector<double> margins_ns(rows.size(), margin_ns);
  std::optional<JointChoice> best = TryOnce(problem, roles, rows, margins_ns);
  for (int i = 0; i < kRepairs && best && best->violated > 0; ++i) {
    for (size_t r = 0; r < rows.size(); ++r) {
      margins_ns[r] += static_cast<double>(best->shortfalls_ns[r]);
    }
    std::optional<JointChoice> next = TryOnce(problem, roles, rows, margins_ns);
    if (!next || next->violated >= best->violated) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace

JointRoles FindRoles(const JointProblem& problem) {
  JointRoles roles;
  Blocks blocks(problem.clocks.size());
  for (const JointPair& pair : problem.pairs) {
    if (pair.IsTwoWay()) blocks.Join(pair.a, pair.b);
  }
  const JointPaths paths(problem);
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    roles.is_inside.push_back(paths.HasBoth(i));
    roles.leader.push_back(blocks.Of(i));
  }
  for (const JointPair& pair : problem.pairs) {
    PairRole role = PairRole::kLeastDelay;
    if (pair.IsTwoWay()) {
      role = PairRole::kTwoWay;
    } else if (roles.leader[pair.a] == roles.leader[pair.b]) {
      role = PairRole::kLimit;
    } else if (roles.is_inside[pair.a] && roles.is_inside[pair.b]) {
      role = PairRole::kCircle;
    }
    roles.of_pair.push_back(role);
  }
  return roles;
}

std::optional<JointChoice> ChooseJointLines(const JointProblem& problem) {
  const JointRoles roles = FindRoles(problem);
  std::optional<JointChoice> best;
  for (const Readings readings : {Readings::kAsTheyStand, Readings::kAsLateAsPossible}) {
    const std::vector<JointRow> rows = MessageRows(problem, readings);
    for (const double margin_ns : {kRoundingNs, 0.0}) {
      std::optional<JointChoice> choice = ChooseAndRepair(problem, roles, rows, margin_ns);
      if (!choice) continue;
      if (choice->violated == 0) return choice;
      if (!best || choice->violated < best->violated) best = std::move(choice);
    }
  }
  return best;
}

}  // namespace syncline
