// The correction of one clock: a continuous, strictly monotone, piecewise linear function from
// local to global time, given by integer knots.
//
// Units: LocalTime ticks in, GlobalTime nanoseconds out. Sign: as the values; a clock that is ahead
// has knots with global < nominal local. Exactness: the value at any LocalTime of the whole int64
// range is the exact rational value of the function rounded to nearest (error ≤ ½ ns; ties away
// from zero relative to the segment's left knot); 128-bit products of differences, never a
// floating-point epoch. Values beyond int64 saturate. Cost: O(log knots) per evaluation; one
// 128-by-64-bit division. Tested by: src/model/correction_test.cc (against arbitrary-precision
// arithmetic).
#pragma once

#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/export.h"
#include "syncline/result.h"
#include "syncline/time.h"

namespace syncline {

class SYNCLINE_EXPORT Correction {
 public:
  struct Knot {
    LocalTime local;
    GlobalTime global;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  // Requires at least two knots, strictly increasing in local and in global time (else kUsage).
  // Before the first and after the last knot the nearest segment goes on.
  static Result<Correction> FromKnots(std::vector<Knot> knots);
  // Trusts the clock: local time → the clock's own nominal time.
  static Correction Nominal(const Clock& clock);

  GlobalTime operator()(LocalTime t) const;
  // The local time whose corrected value is nearest to `t`; Inverse(c(x)) is within one tick of x
  // where ticks are not finer than nanoseconds. Saturates.
  LocalTime Inverse(GlobalTime t) const;
  // The correction x → after(this(x)), where `after` maps this correction's global nanoseconds,
  // taken as ticks of a nanosecond clock, further. Knots: this one's, and the preimages of
  // `after`'s, rounded to ticks. Error against exact composition: ≤ 1½ ns between the outer knots.
  Correction Then(const Correction& after) const;

  std::span<const Knot> knots() const { return knots_; }
  friend bool operator==(const Correction&, const Correction&) = default;

 private:
  explicit Correction(std::vector<Knot> knots) : knots_(std::move(knots)) {}
  std::vector<Knot> knots_;
};

}  // namespace syncline
