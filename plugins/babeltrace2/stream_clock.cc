#include "stream_clock.h"

#include <limits>
#include <utility>

#include "base/int128.h"
#include "base/ticks.h"
#include "base/try.h"

namespace syncline::babeltrace_plugin {
namespace {

// Cycles from the epoch to cycle 0. The product fits: WithOrigin() accepted the clock.
Int128 OffsetCycles(const CtfClock& clock) {
  return static_cast<Int128>(clock.offset_s) * static_cast<Int128>(clock.frequency) +
         static_cast<Int128>(clock.offset_cycles);
}

}  // namespace

Result<StreamClock> StreamClock::Make(CtfClock clock, const Correction& correction,
                                      const std::string& file) {
  SYNCLINE_ASSIGN(auto placed, WithOrigin(std::move(clock), file));
  return StreamClock(std::move(placed), correction);
}

int64_t StreamClock::NominalNs(uint64_t cycles) const {
  const Int128 ticks = static_cast<Int128>(cycles) + OffsetCycles(clock_);
  const auto rate = static_cast<Int128>(clock_.frequency);
  const Int128 seconds = FloorDiv(ticks, rate);
  return Saturate(seconds * kNsPerSecond + (ticks - seconds * rate) * kNsPerSecond / rate);
}

std::optional<uint64_t> StreamClock::ToCycles(GlobalTime time) const {
  const Int128 ticks = NearestTick(time.ns, static_cast<Int128>(clock_.frequency));
  const Int128 cycles = ticks - OffsetCycles(clock_);
  if (cycles < 0 || cycles > std::numeric_limits<uint64_t>::max()) return std::nullopt;
  return static_cast<uint64_t>(cycles);
}

GlobalTime StreamClock::EarliestFrom(int64_t nominal_ns) const {
  // Readers that compute in doubles may show a reading up to 256 ns and a tick too late.
  constexpr int64_t kReaderError = 512;
  const auto rate = static_cast<Int128>(clock_.frequency);
  const Int128 ns = static_cast<Int128>(nominal_ns) - kReaderError;
  const Int128 ticks = FloorDiv(ns * rate, kNsPerSecond) - 1 - OffsetCycles(clock_);
  return correction_({Saturate(ticks - clock_.origin)});
}

}  // namespace syncline::babeltrace_plugin
