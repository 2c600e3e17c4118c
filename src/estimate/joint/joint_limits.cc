#include "estimate/joint/joint_limits.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "estimate/joint/joint_choice.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

using Entry = LinearProgramme::Entry;

constexpr double kUsPerNs = 1e-3;
// What rounding the ends of lines and the knots of corrections takes, between two clocks.
constexpr double kMarginNs = 3;
// The distance is worth more than any number of moves.
constexpr double kExcessCost = 1e6;

bool IsWithin(const JointProblem& problem, const BoundedTime& time, int64_t distance_ns) {
  const Int128 now = problem.anchors[time.clock].ToLine().Nearest(time.at_ns);
  return time.upper_ns - now <= distance_ns && now - time.lower_ns <= distance_ns;
}

// A column of each clock: its line moves as a whole, by one of its ends alone, or turns about its
// middle.
struct Move {
  double start = 0;  // of the ends
  double end = 0;
  double cost = 0;  // the root mean square over the trace, but far more for turns
};
constexpr double kOneEndCost = 0.577;  // 1/√3
constexpr double kTurnCost = 20;
constexpr Move kMoves[] = {
    {1, 1, 1},           {-1, -1, 1},          {1, 0, kOneEndCost}, {-1, 0, kOneEndCost},
    {0, 1, kOneEndCost}, {0, -1, kOneEndCost}, {-1, 1, kTurnCost},  {1, -1, kTurnCost}};
constexpr size_t ColumnOf(size_t clock, size_t move) { return std::size(kMoves) * clock + move; }

// By clock: how far one end of its line may move alone, in µs. The rate, as its pairs tell it, then
// changes by half of its standard deviation, which adds an eighth to its error.
std::vector<double> MovesOfOneEnd(const JointProblem& problem) {
  std::vector<double> precisions(problem.clocks.size());
  for (const JointPair& pair : problem.pairs) {
    if (!pair.IsTwoWay()) continue;
    const double deviation = pair.estimate->drift_error / 2;
    for (const size_t i : {pair.a, pair.b}) precisions[i] += 1 / (deviation * deviation);
  }
  std::vector<double> moves;
  for (size_t i = 0; i < precisions.size(); ++i) {
    const auto& [first, last] = problem.anchors[i];
    const double length_ns = static_cast<double>(last.x) - static_cast<double>(first.x);
    const bool is_known = precisions[i] > 0;
    moves.push_back(is_known ? length_ns / std::sqrt(precisions[i]) / 2 * kUsPerNs : 0);
  }
  return moves;
}

void AddMoves(size_t clock, double one_end_us, LinearProgramme& programme) {
  for (const Move& move : kMoves) {
    const bool is_of_one_end = move.start == 0 || move.end == 0;
    const double most = is_of_one_end ? one_end_us : kUnlimited;
    programme.AddColumn({0, clock == 0 ? 0 : most}, move.cost);
  }
}

// Σ weight · unknown, given by the unknowns of one or two clocks, in moves.
std::vector<Entry> InMoves(const std::vector<Entry>& unknowns) {
  std::map<size_t, double> moves;
  for (const auto& [unknown, weight] : unknowns) {
    const size_t clock = unknown / StartOf(1);
    for (size_t m = 0; m < std::size(kMoves); ++m) {
      const double by = unknown == EndOf(clock) ? kMoves[m].end : kMoves[m].start;
      if (by != 0) moves[ColumnOf(clock, m)] += weight * by;
    }
  }
  std::vector<Entry> entries;
  entries.reserve(moves.size());
  for (const auto& [column, weight] : moves) entries.push_back({column, weight});
  return entries;
}

void AddRow(const JointRow& row, double margin_ns, LinearProgramme& programme) {
  // What holds now goes on to hold, or gets no worse.
  const double room_ns = std::max(static_cast<double>(row.constant_ns) - margin_ns, 0.0);
  programme.AddRow(InMoves(row.Entries()), {-room_ns * kUsPerNs, kUnlimited});
}

// No further from either bound than the distance and the excess, a column.
void AddLimits(const JointProblem& problem, const BoundedTime& time, int64_t distance_ns,
               size_t excess, LinearProgramme& programme) {
  const Anchors& anchors = problem.anchors[time.clock];
  const auto weights = anchors.WeightsAt(time.at_ns);
  const Int128 now = anchors.ToLine().Nearest(time.at_ns);
  const auto to_us = [](Int128 ns) { return static_cast<double>(ns) * kUsPerNs; };
  std::vector<Entry> above = InMoves({{StartOf(time.clock), static_cast<double>(weights[0])},
                                      {EndOf(time.clock), static_cast<double>(weights[1])}});
  std::vector<Entry> below = above;
  above.push_back({excess, 1});
  below.push_back({excess, -1});
  programme.AddRow(std::move(above), {to_us(time.upper_ns - now - distance_ns), kUnlimited});
  programme.AddRow(std::move(below), {-kUnlimited, to_us(time.lower_ns - now + distance_ns)});
}

LinearProgramme ProgrammeOf(const JointProblem& problem, std::span<const JointRow> rows,
                            std::span<const BoundedTime> times, int64_t distance_ns) {
  LinearProgramme programme;
  const std::vector<double> of_one_end = MovesOfOneEnd(problem);
  for (size_t i = 0; i < of_one_end.size(); ++i) AddMoves(i, of_one_end[i], programme);
  const size_t excess = programme.AddColumn({0, kUnlimited}, kExcessCost);
  for (const JointRow& row : rows) AddRow(row, kMarginNs, programme);
  for (const JointRow& row : RateRows(problem)) AddRow(row, 0, programme);
  for (const BoundedTime& time : times) AddLimits(problem, time, distance_ns, excess, programme);
  return programme;
}

std::vector<Anchors> Moved(const JointProblem& problem, std::span<const double> columns) {
  const auto moved = [](Point p, double us) {
    constexpr double kFarUs = 1e15;
    const int64_t ns = std::llround(std::clamp(us, -kFarUs, kFarUs) / kUsPerNs);
    return Point{p.x, Saturate(static_cast<Int128>(p.y) + ns)};
  };
  std::vector<Anchors> lines;
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    const auto& [first, last] = problem.anchors[i];
    double start = 0, end = 0;
    for (size_t m = 0; m < std::size(kMoves); ++m) {
      const double by = columns[ColumnOf(i, m)];
      start += by * kMoves[m].start;
      end += by * kMoves[m].end;
    }
    lines.push_back({moved(first, start), moved(last, end)});
  }
  return lines;
}

bool RunForward(std::span<const Anchors> lines) {
  return std::all_of(lines.begin(), lines.end(), [](const Anchors& line) {
    const Int128 rise = static_cast<Int128>(line.last.y) - line.first.y;
    return rise > 0 && rise <= (Int128{1} << 62);
  });
}

bool IsWorse(std::span<const Anchors> lines, std::span<const Anchors> than,
             std::span<const JointRow> rows) {
  const std::vector<int64_t> now = ViolationsOf(lines, rows);
  const std::vector<int64_t> before = ViolationsOf(than, rows);
  for (size_t r = 0; r < rows.size(); ++r) {
    if (now[r] > before[r]) return true;
  }
  return false;
}

}  // namespace

std::vector<Anchors> WithinDistance(JointProblem problem, std::span<const BoundedTime> times,
                                    int64_t distance_ns) {
  const auto is_within = [&](const BoundedTime& time) {
    return IsWithin(problem, time, distance_ns);
  };
  if (std::all_of(times.begin(), times.end(), is_within)) return problem.anchors;
  const std::vector<JointRow> rows = MessageRows(problem, Readings::kAsTheyStand);
  LinearSolver solver(ProgrammeOf(problem, rows, times, distance_ns));
  if (solver.Solve(LinearSolver::Method::kPrimal) != LinearSolver::Status::kOptimal) {
    return problem.anchors;
  }
  std::vector<Anchors> lines = Moved(problem, solver.columns());
  if (!RunForward(lines) || IsWorse(lines, problem.anchors, rows)) return problem.anchors;
  return lines;
}

}  // namespace syncline
