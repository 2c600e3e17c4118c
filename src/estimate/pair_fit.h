// The line of a pair by methods that need more than hulls: regression, robust, two-point, minmax.
//
// It replaces the line that EstimatePair found; quality and bounds, which rest on the hulls, stay.
// Such a line need not be admissible: how many hull points it has on its wrong side, and by how
// much, is counted exactly, and the reason says so.
// Where messages go one way only, or the method finds no line, the line stays what it was:
// `line_from` tells.
// Units: nominal nanoseconds. Requires: the same messages as in `points`, once each, in any order,
// where NeedsMessages(method); else none. Those that `points` found out of range are left out
// again. Ownership: `points` must outlive the fit. Cost: see the methods; memory does not grow
// with messages. Tested by: src/estimate/pair_fit_test.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "estimate/hulls/pair_points.h"
#include "estimate/lines/line_fit.h"
#include "estimate/lines/regression.h"
#include "estimate/pair.h"

namespace syncline {

// Whether the method looks at every message once more.
constexpr bool NeedsMessages(LineMethod method) {
  return !IsOfHulls(method) && method != LineMethod::kRobust;
}

class PairFit {
 public:
  // `estimate` is EstimatePair(points, options); `confidence` that of a regression's intervals.
  PairFit(const PairPoints& points, PairEstimate estimate, const PairOptions& options,
          double confidence = kConfidence);

  void AddAToB(int64_t send_a_ns, int64_t receive_b_ns) {
    const Point p{send_a_ns, receive_b_ns};
    if (fit_ && points_.IsInRange(p)) fit_->AddUpper({p.x, p.y - estimate_.min_delays.ab_ns});
  }
  void AddBToA(int64_t send_b_ns, int64_t receive_a_ns) {
    const Point p{receive_a_ns, send_b_ns};
    if (fit_ && points_.IsInRange(p)) fit_->AddLower({p.x, p.y + estimate_.min_delays.ba_ns});
  }
  PairEstimate Finish() &&;

 private:
  const PairPoints& points_;
  PairEstimate estimate_;
  PairOptions options_;
  std::unique_ptr<LineFit> fit_;  // none: the line stays
};

}  // namespace syncline
