#include "syncline/correction.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {
namespace {

using Knot = Correction::Knot;

// The knot that opens the segment for `key`: the last one at or before it, kept inside so that a
// following knot exists.
template <typename Less>
size_t SegmentOf(const std::vector<Knot>& knots, Less is_after) {
  if (knots.size() == 2) return 0;
  const auto it = std::partition_point(knots.begin() + 1, knots.end() - 1,
                                       [&](const Knot& k) { return !is_after(k); });
  return static_cast<size_t>(it - knots.begin()) - 1;
}

// The value by 64-bit arithmetic, where ticks are about nanoseconds and it can be had without an
// overflow: dx·rise/run = dx + dx·(rise − run)/run, where the quotient is small.
std::optional<int64_t> SmallDrift(const Knot& a, const Knot& b, LocalTime t) {
  int64_t dx = 0, run = 0, rise = 0, excess = 0, twice = 0, sum = 0, value = 0;
  const bool overflows = __builtin_sub_overflow(t.ticks, a.local.ticks, &dx) ||
                         __builtin_sub_overflow(b.local.ticks, a.local.ticks, &run) ||
                         __builtin_sub_overflow(b.global.ns, a.global.ns, &rise) ||
                         __builtin_sub_overflow(rise, run, &excess) ||
                         __builtin_mul_overflow(dx, excess, &twice) ||
                         __builtin_mul_overflow(twice, 2, &twice) ||
                         __builtin_add_overflow(twice, dx < 0 ? -run : run, &sum) ||
                         run > std::numeric_limits<int64_t>::max() / 2;
  if (overflows) return std::nullopt;
  // To nearest; halves go away from zero as dx·rise/run does, which has the sign of dx.
  int64_t change = sum / (2 * run);
  const int64_t rest = sum % (2 * run);
  if (dx < 0 && rest > 0) ++change;
  if (dx >= 0 && rest < 0) --change;
  if (__builtin_add_overflow(a.global.ns, dx, &value) ||
      __builtin_add_overflow(value, change, &value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

Result<Correction> Correction::FromKnots(std::vector<Knot> knots) {
  if (knots.size() < 2) return Fail(ErrorCode::kUsage, "a correction needs at least two knots");
  for (size_t i = 1; i < knots.size(); ++i) {
    if (knots[i - 1].local >= knots[i].local || knots[i - 1].global >= knots[i].global) {
      return Fail(ErrorCode::kUsage, "the knots of a correction must increase strictly");
    }
  }
  return Correction(std::move(knots));
}

Correction Correction::Nominal(const Clock& clock) {
  // One second of exactly known ticks and nanoseconds; the origin is exact because it is whole.
  const Int128 first = -static_cast<Int128>(clock.offset_ticks);
  const int64_t step = clock.ticks_per_second;
  // Near the end of the range step to the other side.
  const Int128 seconds = Saturate(first) != first                             ? -1
                         : first + step > std::numeric_limits<int64_t>::max() ? -1
                                                                              : 1;
  const int64_t anchor = Saturate(first);
  const int64_t anchor_ns = clock.NominalNs({anchor});
  Knot a{{anchor}, {anchor_ns}};
  Knot b{{Saturate(static_cast<Int128>(anchor) + seconds * step)},
         {Saturate(static_cast<Int128>(anchor_ns) + seconds * kNsPerSecond)}};
  if (b.local < a.local) std::swap(a, b);
  return Correction({a, b});
}

GlobalTime Correction::operator()(LocalTime t) const {
  const size_t i = SegmentOf(knots_, [&](const Knot& k) { return k.local > t; });
  const Knot& a = knots_[i];
  const Knot& b = knots_[i + 1];
  if (const auto ns = SmallDrift(a, b, t)) return {*ns};
  const Int128 dx = static_cast<Int128>(t.ticks) - a.local.ticks;
  const Int128 run = static_cast<Int128>(b.local.ticks) - a.local.ticks;
  const Int128 rise = static_cast<Int128>(b.global.ns) - a.global.ns;
  return {Saturate(a.global.ns + MulDivRound(dx, rise, static_cast<UInt128>(run)))};
}

LocalTime Correction::Inverse(GlobalTime t) const {
  const size_t i = SegmentOf(knots_, [&](const Knot& k) { return k.global > t; });
  const Knot& a = knots_[i];
  const Knot& b = knots_[i + 1];
  const Int128 dy = static_cast<Int128>(t.ns) - a.global.ns;
  const Int128 run = static_cast<Int128>(b.local.ticks) - a.local.ticks;
  const Int128 rise = static_cast<Int128>(b.global.ns) - a.global.ns;
  return {Saturate(a.local.ticks + MulDivRound(dy, run, static_cast<UInt128>(rise)))};
}

Correction Correction::Then(const Correction& after) const {
  std::vector<LocalTime> places;
  for (const Knot& k : knots_) places.push_back(k.local);
  for (const Knot& k : after.knots_) places.push_back(Inverse({k.local.ticks}));
  std::sort(places.begin(), places.end());
  std::vector<Knot> knots;
  for (const LocalTime x : places) {
    const Knot knot{x, after({(*this)(x).ns})};
    if (knots.empty() || (knots.back().local < knot.local && knots.back().global < knot.global)) {
      knots.push_back(knot);
    }
  }
  SYNCLINE_CHECK(knots.size() >= 2);
  return Correction(std::move(knots));
}

}  // namespace syncline
