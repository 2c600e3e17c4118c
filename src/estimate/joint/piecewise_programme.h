// The linear programme of clocks with knots.
//
// Stage 1: the least sum, over pairs and bins, of what messages lack to be in order. Where that is
// 0 some corrections with these knots satisfy all messages. Stage 2, then: the rates nearest to the
// wished ones. Stage 3: a half-width w(p, k) for each pair and bin with messages both ways, at most
// the slack of every message of the bin; the greatest Σ w, less a little for every change of rate,
// and the least delays of pairs with messages one way. So a bin with spikes counts no more than
// others, and nothing rests on two messages.
// Requires: straight guesses (their knots on one line), so that unknowns alone bend. Units:
// microseconds. Errors: none where the solver fails. Cost: three simplex runs of (knots + pairs ·
// bins) columns. Tested by: src/estimate/joint/piecewise_programme_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "estimate/joint/piecewise_problem.h"
#include "estimate/joint/segment_hulls.h"

namespace syncline {

struct PiecewiseSolution {
  std::vector<std::vector<double>> moves_us;  // by clock and knot; 0 of clock 0
  double lack_us = 0;                         // Σ lacks
  std::vector<double> lacks_us;               // by row: how far it stays violated
};

// By clock and segment: the rate that the messages show, in ppm against that of the guess.
using WishedRates = std::vector<std::vector<std::optional<double>>>;

// Every row keeps a slack of at least margin_ns.
std::optional<PiecewiseSolution> SolvePiecewise(const PiecewiseProblem& problem,
                                                std::span<const PiecewiseRow> rows,
                                                const WishedRates& wished, double margin_ns);

// The slack of a row after the moves.
double SlackUs(const PiecewiseRow& row, std::span<const std::vector<double>> moves_us);

}  // namespace syncline
