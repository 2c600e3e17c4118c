#include "estimate/joint/analytic_centre.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/joint/potentials.h"

namespace syncline {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

std::vector<PairSlack> SlacksOf(const JointProblem& problem, const JointRoles& roles,
                                std::span<const JointRow> rows, std::span<const double> margins_ns,
                                std::span<const double> unknowns_us) {
  // Limits must hold, but say nothing of the middle.
  constexpr double kLimitWeight = 0.01;
  std::vector<PairSlack> slacks;
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    slacks.push_back({.a = problem.pairs[p].a,
                      .b = problem.pairs[p].b,
                      .weight = roles.of_pair[p] == PairRole::kLimit ? kLimitWeight : 1});
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    PairSlack& pair = slacks[rows[r].pair];
    double& least = rows[r].earlier == pair.a ? pair.a_to_b_us : pair.b_to_a_us;
    const auto slack = static_cast<double>(rows[r].SlackNs(unknowns_us) - margins_ns[r]) / 1000;
    least = std::min(least, slack);
  }
  std::vector<PairSlack> counted;
  for (size_t p = 0; p < slacks.size(); ++p) {
    if (roles.of_pair[p] != PairRole::kLeastDelay) counted.push_back(slacks[p]);
  }
  return counted;
}

// By how wide pairs are beside the geometric mean, which those of one way only count as.
void WeighByWidth(std::span<PairSlack> pairs) {
  constexpr double kPower = 1.5, kMost = 2;
  double logs = 0, count = 0;
  for (const PairSlack& pair : pairs) {
    if (pair.BothUs() == kNone) continue;
    logs += std::log(pair.BothUs());
    ++count;
  }
  for (PairSlack& pair : pairs) {
    if (pair.BothUs() == kNone) continue;
    const double width = pair.BothUs() / std::exp(logs / count);
    pair.weight *= std::clamp(std::pow(width, kPower), 1 / kMost, kMost);
  }
}

// One Newton step of all clocks' moves.
std::vector<double> Step(size_t clocks, std::span<const PairSlack> pairs) {
  std::vector<PotentialEdge> edges;
  for (const auto& [a, b, there, back, weight] : pairs) {
    const double slope = 1 / there - 1 / back;
    const double curvature = 1 / (there * there) + 1 / (back * back);
    edges.push_back({a, b, slope / curvature, weight * curvature});
  }
  return FitPotentials(clocks, edges);
}

double LogSum(std::span<const PairSlack> pairs, std::span<const double> step, double length) {
  double sum = 0;
  for (const PairSlack& pair : pairs) {
    const double move = length * (step[pair.b] - step[pair.a]);
    for (const double slack : {pair.a_to_b_us + move, pair.b_to_a_us - move}) {
      if (slack == kNone) continue;
      if (!(slack > 0)) return -kNone;
      sum += pair.weight * std::log(slack);
    }
  }
  return sum;
}

}  // namespace

std::vector<double> MovesToCentre(size_t clocks, std::vector<PairSlack> pairs, double least_gain) {
  constexpr int kSteps = 50;
  constexpr double kLeastSlackUs = 1e-5;
  constexpr double kLeastMoveUs = 1e-6;
  std::vector<double> moves(clocks);
  for (const PairSlack& pair : pairs) {
    if (std::min(pair.a_to_b_us, pair.b_to_a_us) < kLeastSlackUs) return moves;
  }
  WeighByWidth(pairs);
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<double> step = Step(clocks, pairs);
    const double now = LogSum(pairs, step, 0);
    double length = 1, then = LogSum(pairs, step, length);
    while (length > 1e-9 && !(then > now)) then = LogSum(pairs, step, length /= 2);
    if (length <= 1e-9) break;
    double largest = 0;
    for (PairSlack& pair : pairs) {
      const double move = length * (step[pair.b] - step[pair.a]);
      pair.a_to_b_us += move;
      pair.b_to_a_us -= move;
      largest = std::max(largest, std::fabs(move));
    }
    for (size_t clock = 0; clock < clocks; ++clock) moves[clock] += length * step[clock];
    const bool is_little = then - now < least_gain * static_cast<double>(pairs.size());
    if (largest < kLeastMoveUs || is_little) break;
  }
  return moves;
}

std::vector<double> AtAnalyticCentre(const JointProblem& problem, const JointRoles& roles,
                                     std::span<const JointRow> rows,
                                     std::span<const double> margins_ns,
                                     std::vector<double> unknowns_us) {
  const std::vector<double> moves =
      MovesToCentre(problem.clocks.size(), SlacksOf(problem, roles, rows, margins_ns, unknowns_us));
  for (size_t clock = 0; clock < moves.size(); ++clock) {
    unknowns_us[StartOf(clock)] += moves[clock];
    unknowns_us[EndOf(clock)] += moves[clock];
  }
  return unknowns_us;
}

}  // namespace syncline
