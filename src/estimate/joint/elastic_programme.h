// The elastic programme: straight lines for all clocks where messages may be violated, at a price.
//
// Every message row of joint_programme.h gets a violation e ≥ 0 and a cost c; Σ c · e is minimised,
// so some lines always satisfy the programme. The drift prior stays hard. Where nothing is
// violated, the lines keep as much common room to all rows as they can. Units: violations in µs,
// slacks in ns. Rows keep 1 ns of room for the rounding of later stages. Exactness: anchors follow
// the solution, so that unknowns stay small (joint_programme.h). Errors: Solve returns false where
// the solver finds nothing. Cost: a simplex run, warm-started. Tested by:
// src/estimate/joint/suspects_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimate/joint/joint_programme.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {

// A message between two clocks of a problem. Its minimum delay is taken off and the length of a
// reading added, so that it demands g_to(receive_ns) ≥ g_from(send_ns).
struct TimedMessage {
  size_t from = 0;  // places in JointProblem::clocks
  size_t to = 0;
  int64_t send_ns = 0;
  int64_t receive_ns = 0;
  uint64_t id = 0;  // the caller's name of it
};

class ElasticProgramme {
 public:
  // Of the problem's pairs only the clocks count, to which the drift prior applies.
  explicit ElasticProgramme(JointProblem problem) : problem_(std::move(problem)) { PlaceLines(); }

  // One row each, of cost 1, from the next Solve on.
  void Add(std::span<const TimedMessage> messages);
  void SetCost(size_t row, double cost) { rows_[row].cost = cost; }
  bool Solve();

  // By the lines of the last solution; by the problem's guess before there is one. Cheap.
  double SlackNs(const TimedMessage& message) const;
  // Of the last solution, by row: what its slack lacks of the margin; 0 where it lacks nothing.
  double ViolationUs(size_t row) const { return rows_[row].violation_us; }
  const TimedMessage& message(size_t row) const { return rows_[row].message; }
  double cost(size_t row) const { return rows_[row].cost; }
  size_t rows() const { return rows_.size(); }
  const JointProblem& problem() const { return problem_; }

 private:
  struct Row {
    TimedMessage message;
    double cost = 1;
    double violation_us = 0;
  };

  // A clock's line: global time = y + (x' − x) + offset + extra rate · (x' − x).
  struct PlacedLine {
    Int128 x = 0;
    Int128 y = 0;
    long double offset_ns = 0;
    long double extra_rate = 0;
  };

  void Build();
  void AddNewRows();
  LinearProgramme::Line LineOf(size_t row) const;
  size_t ColumnOf(size_t row) const { return StartOf(problem_.clocks.size()) + 1 + row; }
  bool FollowSolution();
  void MeasureViolations();
  void PlaceLines();

  JointProblem problem_;
  std::vector<Row> rows_;
  std::vector<double> unknowns_us_;
  std::vector<PlacedLine> lines_;
  std::optional<LinearSolver> solver_;
  std::vector<double> costs_;  // that the solver knows, by row
};

}  // namespace syncline
