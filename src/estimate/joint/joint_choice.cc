#include "estimate/joint/joint_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/joint/analytic_centre.h"
#include "estimate/joint/joint_stages.h"

namespace syncline {
namespace {

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
  // Numerators over the lines' own denominators, below 1 after the whole parts are taken off.
  const auto split = [](const Line& line, int64_t at) {
    const Int128 rise = (static_cast<Int128>(at) - line.at.x) * line.slope.num;
    const Int128 whole = FloorDiv(rise, line.slope.den);
    return std::pair(line.at.y + whole, rise - whole * line.slope.den);
  };
  const auto [from, from_rest] = split(earlier, x);
  const auto [to, to_rest] = split(later, y);
  const bool rest_is_late = from_rest * later.slope.den > to_rest * earlier.slope.den;
  return std::max<int64_t>(0, Saturate(from - to + (rest_is_late ? 1 : 0)));
}

JointChoice Judged(std::vector<Anchors> lines, std::span<const JointRow> rows) {
  JointChoice choice{.lines = std::move(lines), .hull_points = rows.size()};
  for (const JointRow& row : rows) {
    const Line earlier = choice.lines[row.earlier].ToLine();
    const Line later = choice.lines[row.later].ToLine();
    const int64_t shortfall = ShortfallNs(earlier, row.earlier_ns, later, row.later_ns);
    choice.shortfalls_ns.push_back(shortfall);
    if (shortfall == 0) continue;
    ++choice.violated;
    choice.worst_violation_ns = std::max(choice.worst_violation_ns, shortfall);
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
