#include "estimate/joint/joint_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "estimate/joint/joint_choice.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

using Entry = LinearProgramme::Entry;

constexpr double kUsPerNs = 1e-3;
constexpr double kMarginNs = 1;
// A limit is worth more than any number of moves.
constexpr double kExcessCost = 1e4;

bool IsKept(const JointProblem& problem, const TimeLimit& limit) {
  const int64_t now = problem.anchors[limit.clock].ToLine().Nearest(limit.at_ns);
  return limit.least_ns <= now && now <= limit.greatest_ns;
}

// The columns of a clock: its line moves forward or back as a whole, or turns about its middle.
enum Move : size_t { kForward, kBack, kFaster, kSlower, kMoves };
constexpr double kTurnCost = 20;
constexpr size_t ColumnOf(size_t clock, Move move) { return kMoves * clock + move; }

// Σ weight · unknown, given by the unknowns of one or two clocks, in moves.
std::vector<Entry> InMoves(const std::vector<Entry>& unknowns) {
  std::map<size_t, double> moves;
  for (const auto& [unknown, weight] : unknowns) {
    const size_t clock = unknown / StartOf(1);
    const double turned = unknown == EndOf(clock) ? weight : -weight;
    moves[ColumnOf(clock, kForward)] += weight;
    moves[ColumnOf(clock, kBack)] -= weight;
    moves[ColumnOf(clock, kFaster)] += turned;
    moves[ColumnOf(clock, kSlower)] -= turned;
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

void AddLimit(const JointProblem& problem, const TimeLimit& limit, LinearProgramme& programme) {
  const Anchors& anchors = problem.anchors[limit.clock];
  const auto weights = anchors.WeightsAt(limit.at_ns);
  const int64_t now = anchors.ToLine().Nearest(limit.at_ns);
  const auto to_us = [&](int64_t ns) {
    return static_cast<double>(static_cast<Int128>(ns) - now) * kUsPerNs;
  };
  std::vector<Entry> entries = InMoves({{StartOf(limit.clock), static_cast<double>(weights[0])},
                                        {EndOf(limit.clock), static_cast<double>(weights[1])}});
  entries.push_back({programme.AddColumn({0, kUnlimited}, kExcessCost), 1});
  entries.push_back({programme.AddColumn({0, kUnlimited}, kExcessCost), -1});
  programme.AddRow(std::move(entries), {to_us(limit.least_ns), to_us(limit.greatest_ns)});
}

LinearProgramme ProgrammeOf(const JointProblem& problem, std::span<const JointRow> rows,
                            std::span<const TimeLimit> limits) {
  LinearProgramme programme;
  for (size_t clock = 0; clock < problem.clocks.size(); ++clock) {
    const double most = clock == 0 ? 0 : kUnlimited;
    for (size_t move = 0; move < kMoves; ++move) {
      programme.AddColumn({0, most}, move == kForward || move == kBack ? 1 : kTurnCost);
    }
  }
  for (const JointRow& row : rows) AddRow(row, kMarginNs, programme);
  for (const JointRow& row : RateRows(problem)) AddRow(row, 0, programme);
  for (const TimeLimit& limit : limits) AddLimit(problem, limit, programme);
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
    const double whole = columns[ColumnOf(i, kForward)] - columns[ColumnOf(i, kBack)];
    const double turn = columns[ColumnOf(i, kFaster)] - columns[ColumnOf(i, kSlower)];
    lines.push_back({moved(first, whole - turn), moved(last, whole + turn)});
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

std::vector<Anchors> WithinLimits(JointProblem problem, std::span<const TimeLimit> limits) {
  const auto is_kept = [&](const TimeLimit& limit) { return IsKept(problem, limit); };
  if (std::all_of(limits.begin(), limits.end(), is_kept)) return problem.anchors;
  const std::vector<JointRow> rows = MessageRows(problem, Readings::kAsTheyStand);
  LinearSolver solver(ProgrammeOf(problem, rows, limits));
  if (solver.Solve(LinearSolver::Method::kPrimal) != LinearSolver::Status::kOptimal) {
    return problem.anchors;
  }
  std::vector<Anchors> lines = Moved(problem, solver.columns());
  if (!RunForward(lines) || IsWorse(lines, problem.anchors, rows)) return problem.anchors;
  return lines;
}

}  // namespace syncline
