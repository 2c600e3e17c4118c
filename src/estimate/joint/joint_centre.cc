#include "estimate/joint/joint_centre.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/joint/potentials.h"

namespace syncline {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

std::vector<PairRoom> RoomsOf(const JointProblem& problem, const JointRoles& roles,
                              std::span<const JointRow> rows, std::span<const double> margins_ns,
                              std::span<const double> unknowns_us) {
  // Limits must hold, but say nothing of the middle.
  constexpr double kLimitWeight = 0.01;
  std::vector<PairRoom> all(problem.pairs.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    PairRoom& room = all[rows[r].pair];
    const auto slack = static_cast<double>(rows[r].SlackNs(unknowns_us) - margins_ns[r]) / 1000;
    const bool is_a_to_b = rows[r].earlier == problem.pairs[rows[r].pair].a;
    double& least = is_a_to_b ? room.a_to_b_us : room.b_to_a_us;
    least = std::min(least, slack);
  }
  std::vector<PairRoom> rooms;
  for (size_t p = 0; p < all.size(); ++p) {
    if (roles.of_pair[p] == PairRole::kLeastDelay) continue;
    all[p].a = problem.pairs[p].a;
    all[p].b = problem.pairs[p].b;
    if (roles.of_pair[p] == PairRole::kLimit) all[p].weight = kLimitWeight;
    rooms.push_back(all[p]);
  }
  return rooms;
}

// One Newton step of all clocks' moves.
std::vector<double> Step(size_t clocks, std::span<const PairRoom> rooms) {
  std::vector<PotentialEdge> edges;
  for (const PairRoom& room : rooms) {
    const double slope = 1 / room.a_to_b_us - 1 / room.b_to_a_us;
    const double curvature =
        1 / (room.a_to_b_us * room.a_to_b_us) + 1 / (room.b_to_a_us * room.b_to_a_us);
    edges.push_back({room.a, room.b, slope / curvature, room.weight * curvature});
  }
  return FitPotentials(clocks, edges);
}

double LogSum(std::span<const PairRoom> rooms, std::span<const double> step, double length) {
  double sum = 0;
  for (const PairRoom& room : rooms) {
    const double move = length * (step[room.b] - step[room.a]);
    for (const double slack : {room.a_to_b_us + move, room.b_to_a_us - move}) {
      if (slack == kNone) continue;
      if (!(slack > 0)) return -kNone;
      sum += room.weight * std::log(slack);
    }
  }
  return sum;
}

}  // namespace

std::vector<double> CentreMoves(size_t clocks, std::vector<PairRoom> rooms) {
  constexpr int kSteps = 50;
  constexpr double kLeastRoomUs = 1e-5;
  constexpr double kLeastMoveUs = 1e-6;
  std::vector<double> moves(clocks);
  for (const PairRoom& room : rooms) {
    if (std::min(room.a_to_b_us, room.b_to_a_us) < kLeastRoomUs) return moves;
  }
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<double> step = Step(clocks, rooms);
    const double now = LogSum(rooms, step, 0);
    double length = 1;
    while (length > 1e-9 && !(LogSum(rooms, step, length) > now)) length /= 2;
    if (length <= 1e-9) break;
    double largest = 0;
    for (PairRoom& room : rooms) {
      const double move = length * (step[room.b] - step[room.a]);
      room.a_to_b_us += move;
      room.b_to_a_us -= move;
      largest = std::max(largest, std::fabs(move));
    }
    for (size_t clock = 0; clock < clocks; ++clock) moves[clock] += length * step[clock];
    if (largest < kLeastMoveUs) break;
  }
  return moves;
}

std::vector<double> Centred(const JointProblem& problem, const JointRoles& roles,
                            std::span<const JointRow> rows, std::span<const double> margins_ns,
                            std::vector<double> unknowns_us) {
  const std::vector<double> moves =
      CentreMoves(problem.clocks.size(), RoomsOf(problem, roles, rows, margins_ns, unknowns_us));
  for (size_t clock = 0; clock < moves.size(); ++clock) {
    unknowns_us[StartOf(clock)] += moves[clock];
    unknowns_us[EndOf(clock)] += moves[clock];
  }
  return unknowns_us;
}

}  // namespace syncline
