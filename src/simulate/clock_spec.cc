#include "simulate/clock_spec.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/text_scanner.h"

namespace syncline {
namespace {

// Knots of one part keep this distance, so that rounding to nanoseconds bends no line by much.
constexpr int64_t kMinIntervalNs = 1'000;
constexpr int64_t kMaxOffsetNs = int64_t{1} << 60;

int64_t ReadElapsed(TextScanner& scan, int64_t least) {
  const size_t where = scan.position();
  const int64_t at_ns = scan.DurationNs();
  scan.RefuseIf(at_ns < least, where, fmt::format("{}ns or later", least));
  return at_ns;
}

ClockPart ReadOffset(TextScanner& scan) {
  const bool is_drawn = scan.Accept('~');
  return OffsetPart{{scan.DurationNs(), is_drawn}};
}

ClockPart ReadDrift(TextScanner& scan) {
  DriftPart part;
  do {
    const bool is_drawn = scan.Accept('~');
    const int64_t ppt = scan.DriftPpt();
    int64_t from_ns = 0;
    if (!part.steps.empty()) {
      scan.Expect('@');
      from_ns = ReadElapsed(scan, part.steps.back().from_ns + kMinIntervalNs);
    }
    part.steps.push_back({{ppt, is_drawn}, from_ns});
  } while (scan.Accept(','));
  return part;
}

ClockPart ReadSine(TextScanner& scan) {
  const int64_t amplitude_ns = scan.DurationNs();
  scan.Expect('/');
  const size_t where = scan.position();
  const int64_t period_ns = scan.DurationNs();
  scan.RefuseIf(period_ns < 64 * kMinIntervalNs, where, "a period of 64us or more");
  return SinePart{amplitude_ns, period_ns};
}

ClockPart ReadJump(TextScanner& scan) {
  const int64_t ns = scan.DurationNs();
  scan.Expect('@');
  return JumpPart{ns, ReadElapsed(scan, 2)};
}

// PPM/T with |PPM| ≤ most.
template <typename Part>
ClockPart ReadDriftEvery(TextScanner& scan, int64_t most) {
  size_t where = scan.position();
  const int64_t ppt = scan.DriftPpt();
  scan.RefuseIf(ppt > most || ppt < -most, where,
                fmt::format("a drift within ±{} ppm", most / kPptPerPpm));
  scan.Expect('/');
  where = scan.position();
  const int64_t every_ns = scan.DurationNs();
  scan.RefuseIf(every_ns < kMinIntervalNs, where, "an interval of 1us or more");
  return Part{ppt, every_ns};
}

void ReadTick(TextScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  spec.tick_ns = scan.DurationNs();
  scan.RefuseIf(spec.tick_ns < 1, where, "a tick of 1ns or more");
  if (scan.Accept('@')) spec.tick_phase_ns = scan.DurationNs();
}

void ReadHz(TextScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  spec.ticks_per_second = static_cast<int64_t>(scan.Number(1'000'000'000'000));
  scan.RefuseIf(spec.ticks_per_second == 0, where, "1 or more ticks per second");
}

ClockPart ReadCurve(TextScanner& scan, std::string_view name, size_t where) {
  if (name == "offset") return ReadOffset(scan);
  if (name == "drift") return ReadDrift(scan);
  if (name == "steps") return ReadDriftEvery<StepsPart>(scan, kMaxDriftPpt);
  if (name == "walk") return ReadDriftEvery<WalkPart>(scan, kMaxDriftPpt / kWalkLimit);
  if (name == "sine") return ReadSine(scan);
  if (name == "slew") return ReadDriftEvery<SlewPart>(scan, kSlewPpt / 2 - 1);
  if (name == "jump") return ReadJump(scan);
  scan.RefuseAt(where, "offset, drift, steps, walk, sine, slew, jump, tick or hz");
  return {};
}

void ReadPart(TextScanner& scan, ClockSpec& spec) {
  const size_t where = scan.position();
  const std::string_view name = scan.Word();
  if (!name.empty()) scan.Expect('=');
  if (name == "tick") return ReadTick(scan, spec);
  if (name == "hz") return ReadHz(scan, spec);
  spec.parts.push_back(ReadCurve(scan, name, where));
}

void ReadWhich(TextScanner& scan, ClockAssignment& assignment) {
  if (scan.Accept('*')) return;
  size_t where = scan.position();
  scan.RefuseIf(!scan.IsAtDigit(), where, "*, a process or FIRST-LAST");
  assignment.first = assignment.last = static_cast<uint32_t>(scan.Number(UINT32_MAX - 1));
  if (!scan.Accept('-')) return;
  where = scan.position();
  assignment.last = static_cast<uint32_t>(scan.Number(UINT32_MAX - 1));
  scan.RefuseIf(assignment.last < assignment.first, where, "a process not before the first one");
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
  TextScanner scan(text);
  ClockAssignment assignment;
  ReadWhich(scan, assignment);
  scan.Expect(':');
  do {
    ReadPart(scan, assignment.spec);
  } while (scan.Accept('+'));
  return scan.Finish(std::move(assignment), "'+' or the end");
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
