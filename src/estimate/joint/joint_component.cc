#include "estimate/joint/joint_component.h"

#include <optional>

namespace syncline {
namespace {

// The conversion of a correction; none where its times are too far apart.
std::optional<Anchors> AnchorsOf(const ClockInput& input, const ClockEstimate& estimate) {
  const auto point = [&](const Correction::Knot& knot) {
    return Point{input.clock.NominalNs(knot.local), knot.global.ns};
  };
  const Anchors anchors{point(estimate.correction.knots().front()),
                        point(estimate.correction.knots().back())};
  constexpr Int128 kLongest = Int128{1} << 61;
  const Int128 run = static_cast<Int128>(anchors.last.x) - anchors.first.x;
  const Int128 rise = static_cast<Int128>(anchors.last.y) - anchors.first.y;
  if (run <= 0 || rise <= 0 || run > kLongest || rise > kLongest) return std::nullopt;
  return anchors;
}

}  // namespace

JointProblem ClocksOfComponent(std::span<const ClockInput> clocks, const GroupEstimate& group,
                               size_t component, SlopeRange prior) {
  JointProblem problem;
  problem.prior = prior;
  problem.clocks.push_back(group.roots[component].index());
  for (size_t i = 0; i < clocks.size(); ++i) {
    if (group.clocks[i].component != component || i == problem.clocks[0]) continue;
    problem.clocks.push_back(i);
  }
  std::vector<size_t> place(clocks.size());
  for (size_t i = 0; i < problem.clocks.size(); ++i) place[problem.clocks[i]] = i;
  for (const size_t i : problem.clocks) {
    const std::optional<ClockId>& parent = group.clocks[i].parent;
    problem.parents.push_back(parent ? place[parent->index()] : 0);
    problem.readings_ns.push_back(clocks[i].clock.reading_ns);
    if (const auto anchors = AnchorsOf(clocks[i], group.clocks[i])) {
      problem.anchors.push_back(*anchors);
      problem.ends.push_back(
          {clocks[i].clock.NominalNs(clocks[i].first), clocks[i].clock.NominalNs(clocks[i].last)});
    }
  }
  return problem;
}

}  // namespace syncline
