#include "simulate/clock_spec.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "simulate/spec_scanner.h"

namespace syncline {
namespace {

// Knots of one part keep this distance, so that rounding to nanoseconds bends no line by much.
constexpr int64_t kMinIntervalNs = 1'000;
constexpr int64_t kMaxOffsetNs = int64_t{1} << 60;

struct Rate {
  int64_t amount = 0;
  int64_t every_ns = 0;
};

Result<int64_t> Interval(SpecScanner& scan) {
  const size_t where = scan.position();
  auto every = scan.DurationNs();
  if (every && *every < kMinIntervalNs) return scan.ExpectedAt(where, "an interval of 1us or more");
  return every;
}

Result<int64_t> Elapsed(SpecScanner& scan, int64_t least) {
  const size_t where = scan.position();
  auto at = scan.DurationNs();
  if (at && *at < least) return scan.ExpectedAt(where, fmt::format("{}ns or later", least));
  return at;
}

// PPM/T with |PPM| ≤ most.
Result<Rate> DriftEvery(SpecScanner& scan, int64_t most) {
  const size_t where = scan.position();
  const auto ppt = scan.DriftPpt();
  if (!ppt) return tl::unexpected(ppt.error());
  if (*ppt > most || *ppt < -most) {
    return scan.ExpectedAt(where, fmt::format("a drift within ±{} ppm", most / kPptPerPpm));
  }
  if (auto slash = scan.Expect('/'); !slash) return tl::unexpected(slash.error());
  const auto every = Interval(scan);
  if (!every) return tl::unexpected(every.error());
  return Rate{*ppt, *every};
}

Result<ClockPart> ReadOffset(SpecScanner& scan) {
  const bool is_drawn = scan.Accept('~');
  const auto ns = scan.DurationNs();
  if (!ns) return tl::unexpected(ns.error());
  return OffsetPart{{*ns, is_drawn}};
}

Result<ClockPart> ReadDrift(SpecScanner& scan) {
  DriftPart part;
  do {
    const bool is_drawn = scan.Accept('~');
    const auto ppt = scan.DriftPpt();
    if (!ppt) return tl::unexpected(ppt.error());
    int64_t from_ns = 0;
    if (!part.steps.empty()) {
      if (auto at = scan.Expect('@'); !at) return tl::unexpected(at.error());
      const auto elapsed = Elapsed(scan, part.steps.back().from_ns + kMinIntervalNs);
      if (!elapsed) return tl::unexpected(elapsed.error());
      from_ns = *elapsed;
    }
    part.steps.push_back({{*ppt, is_drawn}, from_ns});
  } while (scan.Accept(','));
  return part;
}

Result<ClockPart> ReadSine(SpecScanner& scan) {
  const auto amplitude = scan.DurationNs();
  if (!amplitude) return tl::unexpected(amplitude.error());
  if (auto slash = scan.Expect('/'); !slash) return tl::unexpected(slash.error());
  const size_t where = scan.position();
  const auto period = scan.DurationNs();
  if (!period) return tl::unexpected(period.error());
  if (*period < 64 * kMinIntervalNs) return scan.ExpectedAt(where, "a period of 64us or more");
  return SinePart{*amplitude, *period};
}

Result<ClockPart> ReadJump(SpecScanner& scan) {
  const auto ns = scan.DurationNs();
  if (!ns) return tl::unexpected(ns.error());
  if (auto at = scan.Expect('@'); !at) return tl::unexpected(at.error());
  const auto elapsed = Elapsed(scan, 2);
  if (!elapsed) return tl::unexpected(elapsed.error());
  return JumpPart{*ns, *elapsed};
}

template <typename Part>
Result<ClockPart> ReadDriftEvery(SpecScanner& scan, int64_t most) {
  const auto rate = DriftEvery(scan, most);
  if (!rate) return tl::unexpected(rate.error());
  return Part{rate->amount, rate->every_ns};
}

Result<void> ReadTick(SpecScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  const auto tick = scan.DurationNs();
  if (!tick) return tl::unexpected(tick.error());
  if (*tick < 1) return scan.ExpectedAt(where, "a tick of 1ns or more");
  spec.tick_ns = *tick;
  if (!scan.Accept('@')) return {};
  const auto phase = scan.DurationNs();
  if (!phase) return tl::unexpected(phase.error());
  spec.tick_phase_ns = *phase;
  return {};
}

Result<void> ReadHz(SpecScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  const auto hz = scan.Number(1'000'000'000'000);
  if (!hz) return tl::unexpected(hz.error());
  if (*hz == 0) return scan.ExpectedAt(where, "1 or more ticks per second");
  spec.ticks_per_second = static_cast<int64_t>(*hz);
  return {};
}

Result<ClockPart> ReadCurve(SpecScanner& scan, std::string_view name, size_t where) {
  if (name == "offset") return ReadOffset(scan);
  if (name == "drift") return ReadDrift(scan);
  if (name == "steps") return ReadDriftEvery<StepsPart>(scan, kMaxDriftPpt);
  if (name == "walk") return ReadDriftEvery<WalkPart>(scan, kMaxDriftPpt / kWalkLimit);
  if (name == "sine") return ReadSine(scan);
  if (name == "slew") return ReadDriftEvery<SlewPart>(scan, kSlewPpt / 2 - 1);
  if (name == "jump") return ReadJump(scan);
  return scan.ExpectedAt(where, "offset, drift, steps, walk, sine, slew, jump, tick or hz");
}

Result<void> ReadPart(SpecScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  const std::string_view name = scan.Word();
  if (!name.empty()) {
    if (auto is = scan.Expect('='); !is) return is;
  }
  if (name == "tick") return ReadTick(scan, spec);
  if (name == "hz") return ReadHz(scan, spec);
  auto part = ReadCurve(scan, name, where);
  if (!part) return tl::unexpected(part.error());
  spec.parts.push_back(std::move(*part));
  return {};
}

Result<void> ReadWhich(SpecScanner& scan, ClockAssignment& assignment) {
  if (scan.Accept('*')) return {};
  const size_t where = scan.position();
  const auto first = scan.Number(UINT32_MAX - 1);
  if (!first) return scan.ExpectedAt(where, "*, a process or FIRST-LAST");
  assignment.first = assignment.last = static_cast<uint32_t>(*first);
  if (!scan.Accept('-')) return {};
  const size_t last_begin = scan.position();
  const auto last = scan.Number(UINT32_MAX - 1);
  if (!last) return tl::unexpected(last.error());
  if (*last < *first) return scan.ExpectedAt(last_begin, "a process not before the first one");
  assignment.last = static_cast<uint32_t>(*last);
  return {};
}

// The most that the part may ever make the clock run too fast or too slow.
Int128 LargestDriftPpt(const ClockPart& part) {
  if (const auto* drift = std::get_if<DriftPart>(&part)) {
    int64_t most = 0;
    for (const auto& step : drift->steps) most = std::max(most, std::abs(step.ppt.value));
    return most;
  }
  if (const auto* steps = std::get_if<StepsPart>(&part)) return std::abs(steps->ppt);
  if (const auto* walk = std::get_if<WalkPart>(&part)) {
    return static_cast<Int128>(kWalkLimit) * std::abs(walk->ppt);
  }
  if (const auto* sine = std::get_if<SinePart>(&part)) {
    // 2π < 6.3
    return static_cast<Int128>(std::abs(sine->amplitude_ns)) * 6'300'000'000'000 / sine->period_ns;
  }
  if (std::holds_alternative<SlewPart>(part)) return kSlewPpt;
  return 0;
}

int64_t LargestOffsetNs(const ClockPart& part) {
  if (const auto* offset = std::get_if<OffsetPart>(&part)) return std::abs(offset->ns.value);
  if (const auto* sine = std::get_if<SinePart>(&part)) return std::abs(sine->amplitude_ns);
  if (const auto* jump = std::get_if<JumpPart>(&part)) return std::abs(jump->ns);
  return 0;
}

}  // namespace

Result<ClockAssignment> ParseClockAssignment(std::string_view text) {
  SpecScanner scan(text);
  ClockAssignment assignment;
  if (auto done = ReadWhich(scan, assignment); !done) return tl::unexpected(done.error());
  if (auto done = scan.Expect(':'); !done) return tl::unexpected(done.error());
  do {
    if (auto done = ReadPart(scan, assignment.spec); !done) return tl::unexpected(done.error());
  } while (scan.Accept('+'));
  if (!scan.AtEnd()) return scan.Expected("'+' or the end");
  return assignment;
}

Result<ClockSpec> SpecOf(uint32_t process, ClockSpec own,
                         std::span<const ClockAssignment> assignments) {
  const auto fail = [process](std::string_view what) {
    return Fail(ErrorCode::kUsage, fmt::format("the clock of process {} {}", process, what));
  };
  for (const ClockAssignment& assignment : assignments) {
    if (process < assignment.first || process > assignment.last) continue;
    const ClockSpec& more = assignment.spec;
    own.parts.insert(own.parts.end(), more.parts.begin(), more.parts.end());
    const bool ticks = more.tick_ns != 0 || more.ticks_per_second != ClockSpec{}.ticks_per_second;
    if (!ticks) continue;
    if (own.tick_ns != 0 || own.ticks_per_second != ClockSpec{}.ticks_per_second) {
      return fail("has more than one tick or hz");
    }
    own.tick_ns = more.tick_ns;
    own.tick_phase_ns = more.tick_phase_ns;
    own.ticks_per_second = more.ticks_per_second;
  }
  if (own.tick_ns != 0 && own.ticks_per_second != ClockSpec{}.ticks_per_second) {
    return fail("has both tick and hz");
  }
  Int128 drift = 0;
  Int128 offset = 0;
  for (const ClockPart& part : own.parts) {
    drift += LargestDriftPpt(part);
    offset += LargestOffsetNs(part);
  }
  if (offset > kMaxOffsetNs) return fail("may be more than 2^60 ns ahead or behind");
  if (drift > kMaxDriftPpt) return fail("may drift by more than 500000 ppm in all");
  return own;
}

}  // namespace syncline
