#include "simulate/clock_model.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/int128.h"

namespace syncline {
namespace {

// sin(2πj/64) · 2^30 for the first quarter of a period.
constexpr std::array<int64_t, 17> kSine = {0,          105245103, 209476638, 311690799,  410903207,
                                           506158392,  596538995, 681174602, 759250125,  830013654,
                                           892783698,  946955747, 992008094, 1027506862, 1053110176,
                                           1068571464, 1073741824};

int64_t SineOf64th(int64_t j) {
  const int64_t quarter = (j / 16) % 4;
  const int64_t rest = j % 16;
  const int64_t value = kSine[static_cast<size_t>(quarter % 2 == 0 ? rest : 16 - rest)];
  return quarter < 2 ? value : -value;
}

int64_t Gain(int64_t span_ns, int64_t ppt) {
  return Saturate(MulDivRound(span_ns, ppt, kMaxSegmentNs));
}

int64_t Draw(const Amount& amount, Random& random) {
  if (!amount.is_drawn) return amount.value;
  const int64_t most = std::abs(amount.value);
  return random.In({-most, most});
}

// From `knot` on along a straight line to `until_ns`, in pieces short enough.
OffsetKnot Towards(const OffsetKnot& knot, int64_t until_ns, int64_t ppt) {
  const int64_t span = std::min(until_ns - knot.elapsed_ns, kMaxSegmentNs);
  return {knot.elapsed_ns + span, knot.ahead_ns + Gain(span, ppt)};
}

// The knot so far, then the one that `next` makes of it.
template <typename Next>
OffsetKnots From(OffsetKnot first, Next next) {
  return [knot = first, next = std::move(next)]() mutable {
    const OffsetKnot result = knot;
    knot = next(result);
    return result;
  };
}

OffsetKnots Knots(const OffsetPart& part, Random random) {
  return From({0, Draw(part.ns, random)},
              [](const OffsetKnot& knot) { return Towards(knot, INT64_MAX, 0); });
}

OffsetKnots Knots(const DriftPart& part, Random random) {
  DriftPart drawn = part;
  for (auto& step : drawn.steps) step.ppt = {Draw(step.ppt, random), false};
  return From({0, 0}, [steps = drawn.steps, at = size_t{0}](const OffsetKnot& knot) mutable {
    while (at + 1 < steps.size() && steps[at + 1].from_ns <= knot.elapsed_ns) ++at;
    const int64_t until = at + 1 < steps.size() ? steps[at + 1].from_ns : INT64_MAX;
    return Towards(knot, until, steps[at].ppt.value);
  });
}

OffsetKnots Knots(const StepsPart& part, Random random) {
  const int64_t most = std::abs(part.ppt);
  return From({0, 0}, [=, drift = int64_t{0}, end = int64_t{0}](const OffsetKnot& knot) mutable {
    if (knot.elapsed_ns == end) {
      drift = random.In({-most, most});
      end += part.every_ns;
    }
    return Towards(knot, end, drift);
  });
}

OffsetKnots Knots(const WalkPart& part, Random random) {
  const int64_t most = std::abs(part.ppt);
  const int64_t limit = kWalkLimit * most;
  return From({0, 0}, [=, drift = int64_t{0}, end = int64_t{0}](const OffsetKnot& knot) mutable {
    if (knot.elapsed_ns == end) {
      drift += random.In({-most, most});
      if (drift > limit) drift = 2 * limit - drift;
      if (drift < -limit) drift = -2 * limit - drift;
      end += part.every_ns;
    }
    return Towards(knot, end, drift);
  });
}

OffsetKnots Knots(const SinePart& part, Random /*random*/) {
  const auto knot_at = [part](int64_t j) {
    const int64_t period = j / 64;
    // j·PERIOD/64, by halves so that nothing overflows.
    const int64_t elapsed =
        period * part.period_ns +
        static_cast<int64_t>(static_cast<Int128>(part.period_ns) * (j % 64) / 64);
    return OffsetKnot{
        elapsed, Saturate(MulDivRound(part.amplitude_ns, SineOf64th(j % 64), uint64_t{1} << 30))};
  };
  return From({0, 0}, [knot_at, j = int64_t{0}](const OffsetKnot& knot) mutable {
    const OffsetKnot next = knot_at(j + 1);
    if (next.elapsed_ns - knot.elapsed_ns > kMaxSegmentNs) {
      const OffsetKnot begin = knot_at(j);
      const int64_t at = knot.elapsed_ns + kMaxSegmentNs;
      return OffsetKnot{
          at, begin.ahead_ns +
                  Saturate(MulDivRound(at - begin.elapsed_ns, next.ahead_ns - begin.ahead_ns,
                                       next.elapsed_ns - begin.elapsed_ns))};
    }
    ++j;
    return next;
  });
}

OffsetKnots Knots(const SlewPart& part, Random /*random*/) {
  // Slewing goes against the drift, so the offset shrinks by this much per unit of time.
  const int64_t back = part.ppt < 0 ? part.ppt + kSlewPpt : part.ppt - kSlewPpt;
  return From({0, 0}, [=, end = int64_t{0}, zero = int64_t{0}](const OffsetKnot& knot) mutable {
    if (knot.elapsed_ns == end) {
      zero = end + Saturate(MulDivRound(std::abs(knot.ahead_ns), kMaxSegmentNs, std::abs(back)));
      end += part.every_ns;
    }
    if (knot.elapsed_ns >= zero) return Towards(knot, end, part.ppt);
    OffsetKnot next = Towards(knot, zero, back);
    if (next.elapsed_ns == zero) next.ahead_ns = 0;
    return next;
  });
}

OffsetKnots Knots(const JumpPart& part, Random /*random*/) {
  return From({0, 0}, [part](const OffsetKnot& knot) {
    if (knot.elapsed_ns < part.at_ns - 1) return Towards(knot, part.at_ns - 1, 0);
    if (knot.elapsed_ns == part.at_ns - 1) return OffsetKnot{part.at_ns, part.ns, part.ns < 0};
    return Towards(knot, INT64_MAX, 0);
  });
}

// What the part leaves to chance is drawn from `random`.
OffsetKnots KnotsOf(const ClockPart& part, Random random) {
  return std::visit([&random](const auto& p) { return Knots(p, random); }, part);
}

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
