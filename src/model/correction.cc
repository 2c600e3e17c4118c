#include "syncline/correction.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/int128.h"
#include "base/ticks.h"
#include "model/correct_all.h"

namespace syncline {
namespace {

using Knot = Correction::Knot;

// The knot that opens the segment for `key`: the last one at or before it, kept inside so that a
// following knot exists.
template <typename Less>
size_t SegmentOf(std::span<const Knot> knots, Less is_after) {
  if (knots.size() == 2) return 0;
  const auto it = std::partition_point(knots.begin() + 1, knots.end() - 1,
                                       [&](const Knot& k) { return !is_after(k); });
  return static_cast<size_t>(it - knots.begin()) - 1;
}

// From one knot to the next.
class Segment {
 public:
  Segment(const Knot& a, const Knot& b) : a_(a), b_(b) {
    int64_t rise = 0;
    is_small_ = !__builtin_sub_overflow(b.local.ticks, a.local.ticks, &run_) &&
                !__builtin_sub_overflow(b.global.ns, a.global.ns, &rise) &&
                !__builtin_sub_overflow(rise, run_, &excess_) &&
                run_ <= std::numeric_limits<int64_t>::max() / 2;
  }

  GlobalTime At(LocalTime t) const {
    if (const auto ns = SmallDrift(t)) return {*ns};
    const Int128 dx = static_cast<Int128>(t.ticks) - a_.local.ticks;
    const Int128 run = static_cast<Int128>(b_.local.ticks) - a_.local.ticks;
    const Int128 rise = static_cast<Int128>(b_.global.ns) - a_.global.ns;
    return {Saturate(a_.global.ns + MulDivRound(dx, rise, static_cast<UInt128>(run)))};
  }

 private:
  // The value by 64-bit arithmetic, where ticks are about nanoseconds and it can be had without an
  // overflow: dx·rise/run = dx + dx·(rise − run)/run, where the quotient is small.
  std::optional<int64_t> SmallDrift(LocalTime t) const {
    int64_t dx = 0, twice = 0, sum = 0, value = 0;
    const bool overflows = !is_small_ || __builtin_sub_overflow(t.ticks, a_.local.ticks, &dx) ||
                           __builtin_mul_overflow(dx, excess_, &twice) ||
                           __builtin_mul_overflow(twice, 2, &twice) ||
                           __builtin_add_overflow(twice, dx < 0 ? -run_ : run_, &sum);
    if (overflows) return std::nullopt;
    // To nearest; halves go away from zero as dx·rise/run does, which has the sign of dx.
    int64_t change = sum / (2 * run_);
    const int64_t rest = sum % (2 * run_);
    if (dx < 0 && rest > 0) ++change;
    if (dx >= 0 && rest < 0) --change;
    if (__builtin_add_overflow(a_.global.ns, dx, &value) ||
        __builtin_add_overflow(value, change, &value)) {
      return std::nullopt;
    }
    return value;
  }

  Knot a_;
  Knot b_;
  int64_t run_ = 0;
  int64_t excess_ = 0;  // of the rise over the run
  bool is_small_ = false;
};

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
  return Segment(knots_[i], knots_[i + 1]).At(t);
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
  std::ranges::sort(places);
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

void CorrectAll(const Correction& correction, std::span<const LocalTime> local,
                std::span<GlobalTime> corrected) {
  const std::span<const Knot> knots = correction.knots();
  const LocalTime* next = local.data();
  const LocalTime* const end = next + std::min(local.size(), corrected.size());
  GlobalTime* out = corrected.data();
  while (next != end) {
    const size_t i = SegmentOf(knots, [&](const Knot& k) { return k.local > *next; });
    const bool is_first = i == 0;
    const bool is_last = i + 2 == knots.size();
    const Segment segment(knots[i], knots[i + 1]);
    do {
      *out++ = segment.At(*next++);
    } while (next != end && (is_first || *next >= knots[i].local) &&
             (is_last || *next < knots[i + 1].local));
  }
}

}  // namespace syncline
