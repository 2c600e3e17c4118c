// One pair of clocks: the line between them, how far to trust it, and the bounds it is known
// within.
//
// Units: nominal nanoseconds of both clocks; x at a, y at b. Sign: a line turns a's time into b's.
// Errors: none; what cannot be estimated has quality kAbsent and a reason.
// Guarantee: with quality kAccurate the true conversion lies within `bounds` at every x, given that
// both clocks run linearly, within the drift prior, and the minimum delays used hold. kIncomplete:
// the same for the one bound there is; kApproximate: no bound is claimed. Without `violations` the
// line is admissible at every message, exactly; the lines of hulls always are where one exists.
// Cost: O(h) after the messages have been added; see half_hull.h and fallback.h.
// Tested by: src/estimate/pair_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "estimate/hulls/bound_curve.h"
#include "estimate/hulls/corridor.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/lines/line_fit.h"
#include "estimate/point.h"

namespace syncline {

// From best to worst.
enum class Quality {
  kAccurate,     // an admissible line exists
  kApproximate,  // none does; the line violates some messages
  kIncomplete,   // messages in one direction only
  kAbsent,       // nothing known
};
std::string_view QualityName(Quality quality);  // "accurate", "approximate", …

enum class LineMethod {
  kWidest,
  kBisector,
  kRegression,
  kRobust,
  kTwoPoint,
  kMinMax,
};
inline constexpr LineMethod kLineMethods[] = {
    LineMethod::kWidest, LineMethod::kBisector, LineMethod::kRegression,
    LineMethod::kRobust, LineMethod::kTwoPoint, LineMethod::kMinMax,
};
std::string_view LineMethodName(LineMethod method);  // as --method gives it: "two-point"
// The two that hulls are enough for; EstimatePair gives their line.
constexpr bool IsOfHulls(LineMethod method) {
  return method == LineMethod::kWidest || method == LineMethod::kBisector;
}

struct PairOptions {
  // With those that are not of hulls EstimatePair gives the widest line, PairFit (pair_fit.h)
  // theirs.
  LineMethod method = LineMethod::kWidest;
  std::optional<double> max_drift_ppm = 200;  // ≥ 0; none: no prior
  MinDelays min_delays = {};                  // known lower bounds of travel times, 0: none
  // How late an instant of either clock may be behind its reading: bounds allow for it, and a line
  // is only chosen to need it where none does without.
  int64_t reading_a_ns = 0;
  int64_t reading_b_ns = 0;
  // Instead of `min_delays`, for both directions: 0.9 times half of the smallest round trip, as far
  // as the line found without minimum delays can tell. An assumption, not a finding.
  enum class MinDelaySource { kGiven, kAuto } min_delay_source = MinDelaySource::kGiven;
};

struct PairEstimate {
  Quality quality = Quality::kAbsent;
  std::optional<Line> line;  // a → b; none when absent
  Bounds bounds;             // of the conversion a → b
  // Slopes of admissible lines; of kAccurate and kIncomplete only.
  std::optional<SlopeRange> slopes;
  // How far the line's slope is likely to be off, > 0: two standard deviations where it follows the
  // fast messages, else half of what the corridor leaves. Of kAccurate only.
  double drift_error = 0;
  uint64_t messages_ab = 0;
  uint64_t messages_ba = 0;
  uint64_t out_of_range = 0;  // messages too far in time from the others to be used
  size_t hull_ab = 0;         // vertices
  size_t hull_ba = 0;
  // Those of PairOptions, which `bounds` allow for.
  int64_t reading_a_ns = 0;
  int64_t reading_b_ns = 0;
  MinDelays min_delays;             // those used, at most 2^49 ns
  bool min_delays_assumed = false;  // they come from kAuto
  // Hull points on the wrong side of the line: of kApproximate, and of methods that do not keep to
  // the corridor.
  Violations violations;
  // Why the quality is below kAccurate, or what the line violates; empty otherwise.
  std::string reason;
  // Where the line comes from: a LineMethodName, "fallback" or "least-delay"; empty: no line.
  std::string_view line_from;
  std::optional<RegressionFigures> regression;  // of lines from `regression`
};

PairEstimate EstimatePair(const PairPoints& points, const PairOptions& options);

}  // namespace syncline
