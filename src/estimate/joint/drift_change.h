// Whether clocks that straight lines fit show a change of rate all the same.
//
// Straight lines can satisfy all messages of clocks whose rates change, as long as these stray by
// less than messages leave open; bounds that assume constant rates then miss true times. The
// middles of centre_curves.h tell: each curve without its own line, all pairs of one clock
// together, is fitted by cosines of up to kMostWaves halves of the trace. What the cosines explain,
// per one, is compared with what the rest of the curves scatter by, per bin: an F statistic, as the
// deviation of a normal distribution (Paulson 1942). Where deviations persist from bin to bin, as
// where processes fall behind one another and catch up, they count as fewer, by their
// autocorrelation at lag 1 (Bartlett 1946). A queue that comes and goes on one way between two
// clocks, as at a busy server, moves the middle, too, but widens the gap between both ways by as
// much; so only what the cosines of the middles have beyond those of the half-widths counts, of all
// pairs of a clock together: of queues that grow with some and shrink with others too little is
// taken away. A clock whose cosines then swing by less than kLeastShare of the half-width of its
// pairs does not count: bounds bear that.
// Units: microseconds. Errors: none; with fewer than kFewestBins bins nothing is found. Cost:
// O(pairs · bins · waves²). Tested by: src/estimate/joint/drift_change_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "estimate/joint/centre_curves.h"

namespace syncline {

struct DriftChange {
  size_t clock = 0;
  double sigmas = 0;    // of a normal distribution with the same tail
  double swing_us = 0;  // how far from straight, about
};

// The most significant one, where any is.
std::optional<DriftChange> FindDriftChange(std::span<const CentreCurve> curves, size_t clocks);

}  // namespace syncline
