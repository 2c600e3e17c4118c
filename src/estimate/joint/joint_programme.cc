#include "estimate/joint/joint_programme.h"

#include <cmath>

namespace syncline {
namespace {

long double LengthOf(const Anchors& anchors) {
  return static_cast<long double>(anchors.last.x - anchors.first.x);
}

// How much the guess gains over the whole trace.
long double GainOf(const Anchors& anchors) {
  return static_cast<long double>((anchors.last.y - anchors.first.y) -
                                  (anchors.last.x - anchors.first.x));
}

JointRow Negated(JointRow row) {
  row.constant_ns = -row.constant_ns;
  for (long double& w : row.earlier_weights) w = -w;
  for (long double& w : row.later_weights) w = -w;
  return row;
}

}  // namespace

std::array<long double, 2> Anchors::WeightsAt(int64_t x) const {
  const auto length = static_cast<long double>(last.x - first.x);
  return {static_cast<long double>(static_cast<Int128>(last.x) - x) / length,
          static_cast<long double>(static_cast<Int128>(x) - first.x) / length};
}

long double JointRow::SlackNs(std::span<const double> unknowns) const {
  long double slack = constant_ns;
  for (const auto& [unknown, weight] : Terms()) {
    slack += weight * (1000 * static_cast<long double>(unknowns[unknown]));
  }
  return slack;
}

std::vector<LinearProgramme::Entry> JointRow::Entries() const {
  std::vector<LinearProgramme::Entry> entries;
  for (const auto& [unknown, weight] : Terms()) {
    if (weight != 0) entries.push_back({unknown, static_cast<double>(weight)});
  }
  return entries;
}

JointRow MakeMessageRow(const JointProblem& problem, size_t earlier, int64_t earlier_ns,
                        size_t later, int64_t later_ns) {
  JointRow row{.earlier = earlier, .later = later, .earlier_ns = earlier_ns, .later_ns = later_ns};
  const Line::Split from = problem.anchors[earlier].ToLine().At(earlier_ns);
  const Line::Split to = problem.anchors[later].ToLine().At(later_ns);
  const auto fraction = [&](const Line::Split& at, size_t clock) {
    return static_cast<long double>(at.rest) / LengthOf(problem.anchors[clock]);
  };
  row.constant_ns = static_cast<long double>(to.whole - from.whole) +
                    (fraction(to, later) - fraction(from, earlier));
  row.size_ns = std::fabs(row.constant_ns) + 1;
  row.later_weights = problem.anchors[later].WeightsAt(later_ns);
  row.earlier_weights = problem.anchors[earlier].WeightsAt(earlier_ns);
  for (long double& w : row.earlier_weights) w = -w;
  return row;
}

JointRow MakeRateRow(const JointProblem& problem, size_t a, size_t b, long double drift) {
  const Anchors& of_a = problem.anchors[a];
  const Anchors& of_b = problem.anchors[b];
  // rate_a − (1 + drift) · rate_b with rates 1 + gain / length, so that nothing large cancels.
  const long double ratio = (1 + drift) * LengthOf(of_a) / LengthOf(of_b);
  JointRow row{.kind = JointRow::Kind::kRate, .earlier = a, .later = b};
  const long double gain_a = GainOf(of_a);
  const long double wanted = drift * LengthOf(of_a);
  const long double gain_b = ratio * GainOf(of_b);
  row.constant_ns = gain_a - wanted - gain_b;
  row.size_ns = std::fabs(gain_a) + std::fabs(wanted) + std::fabs(gain_b);
  row.earlier_weights = {-1, 1};
  row.later_weights = {ratio, -ratio};
  return row;
}

std::vector<JointRow> MessageRows(const JointProblem& problem, Readings readings) {
  const bool as_they_stand = readings == Readings::kAsTheyStand;
  std::vector<JointRow> rows;
  const auto add = [&](size_t pair, size_t earlier, int64_t earlier_ns, size_t later,
                       int64_t later_ns, int64_t reading_ns) {
    // The hulls of an estimate already have the length of the receiver's reading added.
    if (as_they_stand) later_ns -= reading_ns;
    rows.push_back(MakeMessageRow(problem, earlier, earlier_ns, later, later_ns));
    rows.back().pair = pair;
  };
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    const auto& [a, b, estimate] = problem.pairs[p];
    if (const auto& upper = estimate->bounds.upper) {
      for (const Point q : upper->vertices()) add(p, a, q.x, b, q.y, estimate->reading_b_ns);
    }
    if (const auto& lower = estimate->bounds.lower) {
      for (const Point q : lower->vertices()) add(p, b, q.y, a, q.x, estimate->reading_a_ns);
    }
  }
  return rows;
}

std::vector<JointRow> RateRows(const JointProblem& problem) {
  std::vector<JointRow> rows;
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    const auto& [a, b, estimate] = problem.pairs[p];
    rows.push_back(MakeRateRow(problem, a, b, problem.prior.min.Drift()));
    rows.back().pair = p;
    rows.push_back(Negated(MakeRateRow(problem, a, b, problem.prior.max.Drift())));
    rows.back().pair = p;
  }
  return rows;
}

}  // namespace syncline
