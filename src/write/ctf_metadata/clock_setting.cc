#include "write/ctf_metadata/clock_setting.h"

#include <cmath>
#include <limits>

#include "base/ticks.h"

namespace syncline::ctf_metadata {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// As babeltrace2 does it, in its order of operations.
uint64_t ScaledNs(uint64_t freq, uint64_t cycles) {
  if (freq == kNsPerSecond) return cycles;
  const double ns = 1e9 * static_cast<double>(cycles) / static_cast<double>(freq);
  if (ns >= static_cast<double>(std::numeric_limits<uint64_t>::max())) {
    return std::numeric_limits<uint64_t>::max();
  }
  return static_cast<uint64_t>(ns);
}

// The most that rounding to a double changes a value of this size.
double HalfUnit(double value) { return std::ldexp(1.0, std::ilogb(value) - 53); }

}  // namespace

Int128 ExactNs(const ClockSetting& setting, uint64_t cycles) {
  const UInt128 sum = static_cast<UInt128>(setting.offset) + cycles;
  if (setting.freq == kNsPerSecond) {
    return static_cast<Int128>(setting.offset_s) * Int128{kNsPerSecond} + static_cast<Int128>(sum);
  }
  const UInt128 seconds = sum / setting.freq;
  const UInt128 rest = sum % setting.freq;
  return (static_cast<Int128>(seconds) + setting.offset_s) * Int128{kNsPerSecond} +
         static_cast<Int128>(rest * kNsPerSecond / setting.freq);
}

std::optional<BabeltraceClock> BabeltraceClock::Make(const ClockSetting& setting) {
  const uint64_t whole = setting.offset / setting.freq;
  const Int128 seconds = static_cast<Int128>(setting.offset_s) + whole;
  if (seconds <= kMin / kNsPerSecond - 1 || seconds >= kMax / kNsPerSecond - 1) return std::nullopt;
  const Int128 base =
      seconds * kNsPerSecond + ScaledNs(setting.freq, setting.offset - whole * setting.freq);
  if (base < kMin || base > kMax) return std::nullopt;
  return BabeltraceClock(setting.freq, static_cast<int64_t>(base));
}

std::optional<int64_t> BabeltraceClock::Ns(uint64_t cycles) const {
  const uint64_t value = ScaledNs(freq_, cycles);
  if (value >= static_cast<uint64_t>(kMax)) return std::nullopt;
  int64_t ns = 0;
  if (__builtin_add_overflow(base_ns_, static_cast<int64_t>(value), &ns)) return std::nullopt;
  return ns;
}

int64_t BabeltraceClock::LargestError(uint64_t freq, uint64_t cycles) {
  if (freq == kNsPerSecond) return 0;
  if (cycles == 0) return 1;
  const double value = static_cast<double>(cycles);
  const double scale = 1e9 / static_cast<double>(freq);
  // Converting the counter (exact up to 2^53), the product, the quotient; then the fraction goes.
  const double conversion = cycles >> 53 == 0 ? 0 : HalfUnit(value) * scale;
  const double product = HalfUnit(1e9 * value) / static_cast<double>(freq);
  const double quotient = HalfUnit(value * scale);
  const double error = std::ceil(1.001 * (conversion + product + quotient)) + 1;
  return error < 9e18 ? static_cast<int64_t>(error) : kMax;
}

}  // namespace syncline::ctf_metadata
