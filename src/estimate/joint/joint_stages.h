// The linear programmes of joint_choice.h, as changes of one programme.
//
// Units: microseconds. Tested by: src/estimate/joint/joint_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "estimate/joint/joint_programme.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {

// What a pair contributes to the choice.
enum class PairRole {
  kTwoWay,      // messages both ways
  kCircle,      // one way, but messages of other pairs lead back
  kLimit,       // the same, between clocks that pairs with both ways relate: they only forbid
  kLeastDelay,  // one way, and nothing leads back
};

struct JointRoles {
  std::vector<PairRole> of_pair;
  std::vector<bool> is_inside;  // by clock: messages lead to the root and back
  // By clock: the first of those that pairs with both ways connect it with, itself included.
  std::vector<size_t> leader;
};
JointRoles FindRoles(const JointProblem& problem);

class JointStages {
 public:
  // Every message row r must have slack ≥ margins_ns[r].
  JointStages(const JointProblem& problem, const JointRoles& roles, std::span<const JointRow> rows,
              std::span<const double> margins_ns);

  // Stages 1 to 3: the unknowns of joint_programme.h; none where the rows contradict each other.
  std::optional<std::vector<double>> FindGreatestSlack();
  // Stage 5: as given, but clocks that are not related to the root in both directions are placed.
  // Requires that FindGreatestSlack has found something.
  std::vector<double> PlaceOneWay(std::vector<double> unknowns_us);

 private:
  // Two columns whose sum is |row| where it is minimised.
  void AddDeviation(const JointRow& row, std::vector<size_t>& columns);
  void AddMessages(std::span<const JointRow> rows, std::span<const double> margins_ns);
  void AddRates();
  void AddOneWay();

  bool Solve(LinearSolver::Method method);
  void Minimise(std::span<const size_t> columns, double cost);
  std::vector<double> Unknowns() const;

  const JointProblem& problem_;
  const JointRoles& roles_;
  LinearProgramme programme_;
  std::vector<size_t> slack_;   // the column of the common slack, if there is one
  std::vector<size_t> rates_;   // columns of deviations of rates
  std::vector<size_t> delays_;  // and of one-way pairs from their lines
  std::vector<size_t> ties_;    // rows that hold together what hangs on one-way pairs
  std::optional<LinearSolver> solver_;
  std::vector<double> solution_;
};

}  // namespace syncline
