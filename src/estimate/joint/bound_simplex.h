// A simplex method for one kind of linear programme: the maximum of a linear function over clocks'
// unknowns, two each, that all have limits, under rows of two clocks.
//
// Method: the dual simplex method from a corner of the limits, which is the maximum without rows. A
// vertex is kept as the constraints that hold it with equality, as many as unknowns, and the
// inverse of their weights. The constraint that is violated most comes in, and the one goes whose
// multiplier becomes 0 first. With limits that nearly satisfy the rows, as those of JointPaths do,
// some dozens of steps lead to the maximum: a fraction of what a general solver spends on its way
// in and out. Departure: the function is changed by parts in 10^10, lest steps between equal
// vertices go round in circles. multipliers() are those of the function as it was given, cut off at
// 0, so they are not quite a solution: who needs certainty makes it of them (dual_bound.h). Units:
// any; weights should be about 1. Cost of a step: at most n² for n unknowns, and four products per
// row. Tested by: bound_simplex_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace syncline {

class BoundSimplex {
 public:
  struct Limits {
    double low = 0;
    double high = 0;
  };
  // constant + Σ weight · unknown ≥ 0, over the unknowns 2i and 2i + 1 of two clocks i.
  struct Row {
    uint32_t clock = 0;
    uint32_t other = 0;
    std::array<double, 2> weights = {};
    std::array<double, 2> other_weights = {};
    double constant = 0;

    double At(std::span<const double> unknowns) const {
      const double* u = &unknowns[2 * clock];
      const double* v = &unknowns[2 * other];
      return constant + ((weights[0] * u[0] + other_weights[0] * v[0]) +
                         (weights[1] * u[1] + other_weights[1] * v[1]));
    }
  };

  // By unknown.
  explicit BoundSimplex(std::vector<Limits> limits);

  // Must hold from the next call of Maximise or Continue on.
  void Add(const Row& row) { rows_.push_back(row); }
  // False where rows contradict each other, or the steps do not come to an end; what unknowns() and
  // multipliers() say then is of the last vertex.
  bool Maximise(std::span<const double> objective);
  // The same function, after rows were added.
  bool Continue();

  std::span<const double> unknowns() const { return vertex_; }
  // One for each row, ≥ 0: objective + Σ multiplier · weights is 0 but for what limits make up for.
  std::vector<double> multipliers() const;

 private:
  // Constraints are numbered: the lower limits, the upper limits, the rows.
  using Constraint = uint32_t;

  size_t size() const { return limits_.size(); }
  double ConstantOf(Constraint constraint) const;
  double SlackOf(Constraint constraint) const;
  void StartInCorner();
  std::optional<Constraint> WorstViolated();
  bool FindViolated();
  void Express(Constraint constraint);
  std::optional<size_t> FirstToGo() const;
  void Exchange(size_t place, Constraint entering);
  void FindVertex();

  std::vector<Limits> limits_;
  std::vector<Row> rows_;
  std::vector<double> objective_;  // as given
  std::vector<double> target_;     // the same, a little changed
  std::vector<Constraint> active_;
  std::vector<bool> is_active_;  // by constraint
  std::vector<Constraint> violated_;
  std::vector<double> inverse_;  // by unknown, then by place in active_
  std::vector<double> prices_;   // by place: multipliers of target_
  std::vector<double> vertex_;
  std::vector<double> weights_;    // of a constraint, in terms of the active ones
  std::vector<uint32_t> nonzero_;  // places in weights_
};

}  // namespace syncline
