#include "read/ctf/ctf_clock.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {
namespace {

constexpr int64_t kHalfRange = int64_t{1} << 62;
constexpr uint64_t kFast = 4'000'000'000;

// Below 2^127, whatever the values.
Int128 OffsetOf(const CtfClock& clock) {
  return static_cast<Int128>(clock.offset_s) * static_cast<Int128>(clock.frequency) +
         static_cast<Int128>(clock.offset_cycles);
}

bool Fits(Int128 value) { return Saturate(value) == value; }

}  // namespace

LocalTime CtfClock::FromCycles(uint64_t cycles) const {
  return {Saturate(static_cast<Int128>(cycles) - origin)};
}

bool CtfClock::Holds(uint64_t cycles) const { return Fits(static_cast<Int128>(cycles) - origin); }

uint64_t CtfClock::ToCycles(LocalTime time) const {
  const Int128 cycles = static_cast<Int128>(time.ticks) + origin;
  constexpr Int128 kMost = std::numeric_limits<uint64_t>::max();
  return cycles < 0 ? 0 : static_cast<uint64_t>(cycles > kMost ? kMost : cycles);
}

Clock CtfClock::ToClock(std::string clock_name) const {
  const auto rate = static_cast<int64_t>(frequency);
  return {.name = std::move(clock_name),
          .ticks_per_second = rate,
          .offset_ticks = Saturate(OffsetOf(*this) + origin),
          .reading_ns = Clock::ReadingNs(rate)};
}

Result<CtfClock> WithOrigin(CtfClock clock, const std::string& file) {
  const Int128 offset = OffsetOf(clock);
  const auto rate = static_cast<Int128>(clock.frequency);
  Int128 origin = clock.frequency > kFast ? kHalfRange : 0;
  // Half of what does not fit goes into the readings.
  if (!Fits(offset + origin)) origin = (offset < 0 ? -kHalfRange : kHalfRange) - offset;
  const bool is_possible = rate > 0 && Fits(rate) && Fits(origin) && Fits(offset + origin) &&
                           Fits(FloorDiv(offset, rate) * kNsPerSecond);
  if (!is_possible) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("clock {} of {} Hz, {} s from its origin, is beyond the range of times",
                            clock.name, clock.frequency, clock.offset_s),
                file);
  }
  clock.origin = static_cast<int64_t>(origin);
  return clock;
}

}  // namespace syncline
