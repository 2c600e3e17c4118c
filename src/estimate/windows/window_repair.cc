#include "estimate/windows/window_repair.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "estimate/joint/joint_choice.h"
#include "estimate/joint/linear_programme.h"
#include "estimate/windows/window_centres.h"
#include "estimate/windows/window_fit.h"

namespace syncline {
namespace {

using Knot = std::pair<size_t, size_t>;  // clock, and number of its knot
using Entry = LinearProgramme::Entry;

constexpr int kMostHalvings = 3;   // parts of a window: 2^3
constexpr int kMostWidenings = 3;  // of the stretch that the programme may move
constexpr size_t kMostFreeKnots = 20'000;
// Of a pair's usual half-width: about what its messages usually take there and back, twice.
constexpr double kWrong = 4;
constexpr double kMostMisfit = 4;   // variances
constexpr double kMarginUs = 2e-3;  // for rounding

struct Violation {
  const WindowCell* cell = nullptr;
  Point vertex;
  int64_t ns = 0;
};

int64_t ViolationNs(const WindowProblem& problem, const WindowCell& cell, Point vertex) {
  const KnotTime earlier = problem.Earlier(cell, vertex);
  const KnotTime later = problem.Later(cell, vertex);
  return ShortfallNs(problem.knotted[earlier.clock].SegmentLine(earlier.segment), earlier.ns,
                     problem.knotted[later.clock].SegmentLine(later.segment), later.ns);
}

std::vector<Violation> ViolationsOf(const WindowProblem& problem) {
  std::vector<Violation> violations;
  for (const WindowCell& cell : problem.cells) {
    for (const Point vertex : cell.vertices) {
      const int64_t ns = ViolationNs(problem, cell, vertex);
      if (ns > 0) violations.push_back({&cell, vertex, ns});
    }
  }
  return violations;
}

// Those that clocks can explain.
std::vector<Violation> Credible(const WindowProblem& problem, std::vector<Violation> violations) {
  if (violations.empty()) return violations;
  const std::vector<PairUsual> usual = FindCentres(problem).usual;
  std::erase_if(violations, [&](const Violation& v) {
    const PairUsual& pair = usual[v.cell->pair];
    return pair.is_known && static_cast<double>(v.ns) / 1000 > kWrong * pair.half_width_us;
  });
  return violations;
}

// Those that clocks run straight in no longer, and, of the two of each violated message, the one
// that is blamed more.
bool HalveBlamed(std::span<const Violation> violations, WindowProblem& problem) {
  std::map<Knot, double> blame;  // by clock and segment
  const auto segments = [&](const Violation& v) {
    const KnotTime earlier = problem.Earlier(*v.cell, v.vertex);
    const KnotTime later = problem.Later(*v.cell, v.vertex);
    return std::pair(Knot{earlier.clock, earlier.segment}, Knot{later.clock, later.segment});
  };
  for (const Violation& v : violations) {
    const auto [earlier, later] = segments(v);
    blame[earlier] += static_cast<double>(v.ns);
    blame[later] += static_cast<double>(v.ns);
  }
  for (auto& [segment, sum] : blame) sum = segment.first == 0 ? 0 : sum;  // the root is straight
  std::set<Knot> chosen;
  for (const Violation& v : violations) {
    const auto [earlier, later] = segments(v);
    chosen.insert(blame[earlier] > blame[later] ? earlier : later);
  }
  const auto misfits = MisfitsOf(problem);
  for (size_t i = 1; i < misfits.size(); ++i) {
    for (size_t s = 0; s < misfits[i].size(); ++s) {
      if (misfits[i][s] > kMostMisfit) chosen.insert({i, s});
    }
  }
  bool any = false;
  for (auto segment = chosen.rbegin(); segment != chosen.rend(); ++segment) {
    if (segment->first != 0) any |= problem.Halve(segment->first, segment->second);
  }
  return any;
}

// A linear programme of the knots near violated messages.
class Repair {
 public:
  Repair(WindowProblem& problem, std::span<const Violation> violations) : problem_(problem) {
    for (const Violation& v : violations) {
      elastic_.insert({v.cell, v.vertex});
      Free(problem_.Earlier(*v.cell, v.vertex));
      Free(problem_.Later(*v.cell, v.vertex));
    }
  }

  void Widen() {
    const std::map<Knot, size_t> before = columns_;
    for (const auto& [knot, column] : before) {
      const auto& [clock, k] = knot;
      if (k > 0) columns_.emplace(Knot{clock, k - 1}, 0);
      if (k + 1 < problem_.knotted[clock].knots.size()) columns_.emplace(Knot{clock, k + 1}, 0);
    }
  }

  // What cannot be satisfied by moving the free knots, in µs; negative where the solver fails.
  double Move() {
    if (columns_.empty() || columns_.size() > kMostFreeKnots) return -1;
    LinearProgramme programme;
    for (auto& [knot, column] : columns_) {
      column = programme.AddColumn({0, kUnlimited}, 1);
      programme.AddColumn({0, kUnlimited}, 1);
    }
    std::vector<size_t> lacks;
    for (const WindowCell& cell : problem_.cells) AddRows(cell, programme, lacks);
    LinearSolver solver(programme);
    if (solver.Solve(LinearSolver::Method::kDual) != LinearSolver::Status::kOptimal) return -1;
    double lack_us = 0;
    for (const size_t column : lacks) lack_us += std::max(0.0, solver.columns()[column]);
    std::vector<std::vector<double>> moves_us;
    for (const KnottedClock& clock : problem_.knotted) moves_us.emplace_back(clock.knots.size());
    for (const auto& [knot, column] : columns_) {
      moves_us[knot.first][knot.second] = solver.columns()[column] - solver.columns()[column + 1];
    }
    moves_us_ = std::move(moves_us);
    return lack_us;
  }

  void Apply() {
    if (!moves_us_.empty()) is_moved_ = MoveKnots(std::move(moves_us_), problem_);
  }
  bool is_moved() const { return is_moved_; }

 private:
  static constexpr double kLackCost = 1e4;  // more than any number of moves

  void Free(const KnotTime& t) {
    if (t.clock == 0) return;
    columns_.emplace(Knot{t.clock, t.segment}, 0);
    columns_.emplace(Knot{t.clock, t.segment + 1}, 0);
  }

  void AppendEntries(const KnotTime& t, double sign, std::vector<Entry>& entries) const {
    const auto weights = problem_.WeightsAt(t);
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const auto free = columns_.find({t.clock, t.segment + side});
      if (free == columns_.end() || weights[side] == 0) continue;
      entries.push_back({free->second, sign * weights[side]});
      entries.push_back({free->second + 1, -sign * weights[side]});
    }
  }

  // What holds now goes on to hold; of what does not, as much as can be.
  void AddRows(const WindowCell& cell, LinearProgramme& programme, std::vector<size_t>& lacks) {
    for (const Point vertex : cell.vertices) {
      std::vector<Entry> entries;
      AppendEntries(problem_.Earlier(cell, vertex), -1, entries);
      AppendEntries(problem_.Later(cell, vertex), 1, entries);
      if (entries.empty()) return;  // nor have the cell's others any
      const double slack_us = problem_.SlackNs(cell, vertex) / 1000;
      double least_us = kMarginUs - slack_us;
      if (elastic_.contains({&cell, vertex})) {
        lacks.push_back(programme.AddColumn({0, kUnlimited}, kLackCost));
        entries.push_back({lacks.back(), 1});
      } else {
        least_us = std::min(least_us, 0.0);
      }
      programme.AddRow(std::move(entries), {least_us, kUnlimited});
    }
  }

  WindowProblem& problem_;
  std::set<std::pair<const WindowCell*, Point>> elastic_;
  std::map<Knot, size_t> columns_;  // forward; the next column is back
  std::vector<std::vector<double>> moves_us_;
  bool is_moved_ = false;
};

void RepairRest(WindowProblem& problem) {
  constexpr int kMostRounds = 3;  // rounding can leave a nanosecond
  constexpr double kNothingUs = 1e-4;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<Violation> violations = Credible(problem, ViolationsOf(problem));
    if (violations.empty()) return;
    Repair repair(problem, violations);
    for (int i = 0; i <= kMostWidenings; ++i) {
      const double lack_us = repair.Move();
      if (lack_us < 0 || lack_us <= kNothingUs) break;
      if (i < kMostWidenings) repair.Widen();
    }
    repair.Apply();
    if (!repair.is_moved()) return;
  }
}

}  // namespace

WindowOutcome FitWindows(WindowProblem& problem) {
  WindowOutcome outcome;
  if (!FitKnots(problem)) return {.runs_forward = false};
  for (int i = 0; i < kMostHalvings; ++i) {
    const std::vector<Violation> violations = Credible(problem, ViolationsOf(problem));
    if (!HalveBlamed(violations, problem)) break;
    if (!FitKnots(problem)) return {.runs_forward = false};
  }
  RepairRest(problem);
  for (const WindowCell& cell : problem.cells) outcome.vertices += cell.vertices.size();
  outcome.contradicted.resize(problem.pairs.size());
  for (const Violation& v : ViolationsOf(problem)) {
    ++outcome.violated;
    outcome.contradicted[v.cell->pair] = true;
    outcome.worst_violation_ns = std::max(outcome.worst_violation_ns, v.ns);
  }
  return outcome;
}

}  // namespace syncline
