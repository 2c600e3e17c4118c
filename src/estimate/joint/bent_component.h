// One component of clocks on its way from straight lines to pieces, for joint_piecewise.h.
//
// Holds the problem of piecewise_problem.h: guesses are the straight corrections, knots are added
// where clocks bend or where messages stay violated. Bins of time are as many as messages allow.
// Units: nominal nanoseconds, microseconds of moves. Requires: what it is given outlives it.
// Errors: IsUsable() is false where nothing can be done. Tested by:
// src/estimate/joint/joint_piecewise_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/joint/centre_curves.h"
#include "estimate/joint/joint.h"
#include "estimate/joint/knot_search.h"
#include "estimate/joint/piecewise_problem.h"
#include "estimate/joint/piecewise_programme.h"
#include "estimate/joint/segment_hulls.h"

namespace syncline {

class BentComponent {
 public:
  // Component `number` of the group, `root` first; a bin holds so many messages of a pair on
  // average, at least.
  BentComponent(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                const GroupEstimate& straight, size_t number, size_t root,
                uint64_t messages_per_bin);

  bool IsUsable() const;
  const PiecewiseProblem& problem() const { return problem_; }
  size_t KnotCount() const;

  std::vector<FoundStep> StepsIn(std::span<const CentreCurve> curves) const;
  // By clock of the problem; adds their knots.
  void SetShapes(std::vector<ClockShape> shapes);
  WishedRates Wished() const;
  // Halves the segments in which rows stay violated; false where none can be halved.
  bool Halve(std::span<const PiecewiseRow> rows, std::span<const double> lacks_us);
  // `moves_us`, with each clock as a whole in the middle of what the messages leave it.
  std::vector<std::vector<double>> Centred(std::span<const PiecewiseRow> rows,
                                           std::vector<std::vector<double>> moves_us) const;
  // None where a clock would run backwards.
  std::optional<std::vector<KnottedClock>> Moved(
      const std::vector<std::vector<double>>& moves_us) const;

 private:
  void AddClocks(size_t number, size_t root);
  std::optional<KnottedClock> GuessOf(size_t i) const;
  void AddPairs(std::span<const PairInput> pairs);
  void SetBins(uint64_t messages_per_bin);
  int64_t GlobalAt(double bins) const;
  double BinsAt(int64_t global_ns) const;
  bool AddKnot(size_t i, int64_t global_ns);

  std::span<const ClockInput> clocks_;
  const GroupEstimate& straight_;
  PiecewiseProblem problem_;
  uint64_t both_ways_ = 0;  // messages, twice the fewer of each pair's two ways
  std::vector<ClockShape> shapes_;
};

}  // namespace syncline
