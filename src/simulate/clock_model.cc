#include "simulate/clock_model.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/int128.h"

namespace syncline {
namespace {

int64_t AheadAt(const OffsetKnot& from, const OffsetKnot& to, int64_t elapsed_ns) {
  const int64_t span = to.elapsed_ns - from.elapsed_ns;
  const Int128 rise = static_cast<Int128>(to.ahead_ns) - from.ahead_ns;
  return Saturate(from.ahead_ns + MulDivRound(elapsed_ns - from.elapsed_ns, rise, span));
}

// ⌊a·b / c⌋; mostly the product fits 64 bits.
int64_t MulDivFloor(int64_t a, int64_t b, int64_t c) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product / c - (product % c < 0 ? 1 : 0);
  }
  return Saturate(FloorDiv(static_cast<Int128>(a) * b, c));
}

}  // namespace

ClockKnots::ClockKnots(const ClockSpec& spec, int64_t start_ns, uint64_t seed)
    : start_ns_(start_ns) {
  // Without parts, or with a jump alone, there is still a curve to walk along.
  std::vector<ClockPart> parts = spec.parts;
  parts.emplace_back(OffsetPart{});
  for (size_t i = 0; i < parts.size(); ++i) {
    Curve curve{KnotsOf(parts[i], Random(seed, i)), {}, {}};
    curve.from = curve.knots();
    curve.to = curve.knots();
    curves_.push_back(std::move(curve));
  }
}

ClockKnot ClockKnots::Next() {
  Int128 local = static_cast<Int128>(start_ns_) + elapsed_ns_;
  bool is_step_back = false;
  int64_t next_ns = INT64_MAX;
  for (Curve& curve : curves_) {
    if (curve.to.elapsed_ns == elapsed_ns_) {
      is_step_back = is_step_back || curve.to.is_step_back;
      curve.from = curve.to;
      curve.to = curve.knots();
    }
    local += AheadAt(curve.from, curve.to, elapsed_ns_);
    next_ns = std::min(next_ns, curve.to.elapsed_ns);
  }
  ClockKnot knot{start_ns_ + elapsed_ns_, Saturate(local), is_step_back};
  if (any_ && !is_step_back) knot.local_ns = std::max(knot.local_ns, last_.local_ns + 1);
  any_ = true;
  last_ = knot;
  elapsed_ns_ = next_ns;
  return knot;
}

ClockModel::ClockModel(ClockSpec spec, int64_t start_ns, uint64_t seed)
    : spec_(std::move(spec)),
      start_ns_(start_ns),
      seed_(seed),
      ahead_(spec_, start_ns, seed),
      from_(ahead_.Next()),
      to_(ahead_.Next()) {}

int64_t ClockModel::LocalNsAt(int64_t true_ns) {
  SYNCLINE_CHECK(true_ns >= start_ns_);
  if (true_ns < from_.true_ns) {
    ahead_ = Knots();
    from_ = ahead_.Next();
    to_ = ahead_.Next();
  }
  while (true_ns >= to_.true_ns) {
    from_ = to_;
    to_ = ahead_.Next();
  }
  const int64_t span = to_.true_ns - from_.true_ns;
  const int64_t gain = (to_.local_ns - from_.local_ns) - span;
  const int64_t since = true_ns - from_.true_ns;
  return from_.local_ns + since + MulDivFloor(since, gain, span);
}

LocalTime ClockModel::At(int64_t true_ns) {
  const int64_t local_ns = LocalNsAt(true_ns);
  if (spec_.tick_ns != 0) {
    const Int128 since = static_cast<Int128>(local_ns) - spec_.tick_phase_ns;
    return {Saturate(FloorDiv(since, spec_.tick_ns) * spec_.tick_ns + spec_.tick_phase_ns)};
  }
  const int64_t rate = spec_.ticks_per_second;
  if (rate == 1'000'000'000) return {local_ns};
  return {Saturate(FloorDiv(static_cast<Int128>(local_ns) * rate, 1'000'000'000))};
}

Clock ClockModel::Declaration(std::string name) const {
  Clock clock{.name = std::move(name), .ticks_per_second = spec_.ticks_per_second};
  clock.reading_ns = spec_.tick_ns > 1 ? spec_.tick_ns : Clock::ReadingNs(spec_.ticks_per_second);
  return clock;
}

}  // namespace syncline
