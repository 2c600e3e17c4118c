// Times as logs write them, and the same notation with another time in it.
//
//   2026-11-23T23:36:40.123456789+01:00   RFC 3339, also with a blank, commas, slashes, without
//   zone 23/Nov/2026:23:36:40 +0100            nginx, Apache, HAProxy [Mon ]Nov 23 23:36:40.123[
//   2026]      syslog, Apache's errors 1795477000.123456                     since 1970: s, ms, µs
//   or ns
//
// Units: nanoseconds since 1970. Never through floating-point numbers. Tested by: log_time_test.cc,
// fuzz/logs_fuzz.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/log_source.h"

namespace syncline {

enum class LogTimeDefect : uint8_t { kNone, kNotATime, kOutOfRange, kYearMissing };

// Where in the text the parts of a time stand. Parts have fixed lengths but for the fraction.
struct LogTimeLayout {
  static constexpr uint8_t kNowhere = 255;
  bool is_epoch = false;
  int64_t unit_ns = 1'000'000'000;  // of the integer part of kEpoch; else a second
  uint8_t year = kNowhere;
  uint8_t month = kNowhere;
  bool is_month_named = false;
  uint8_t weekday = kNowhere;
  uint8_t day = kNowhere;
  bool is_day_blank_padded = false;
  uint8_t clock = kNowhere;     // HH:MM:SS
  uint8_t fraction = 0;         // where it is or would be, its separator included
  uint8_t fraction_length = 0;  // separator and digits
  int32_t zone_s = 0;
};

struct LogTime {
  LogTimeDefect defect = LogTimeDefect::kNotATime;
  int64_t ns = 0;
  LogTimeLayout layout;
  int decimals() const { return layout.fraction_length > 0 ? layout.fraction_length - 1 : 0; }
};

// Times are from 1970 to 2261. `near_ns`: of two years that a time without one may be in, the one
// that is nearer to it; nothing: source.year.
LogTime ParseLogTime(std::string_view text, const LogSource& source,
                     std::optional<int64_t> near_ns);

// The time `ns` in the notation of `text`, which `like` was parsed from, with so many decimals;
// beyond `least_decimals` zeros at the end are left out. Requires: 0 ≤ ns.
void AppendLogTime(const LogTime& like, std::string_view text, int64_t ns, int decimals,
                   int least_decimals, std::string& out);

// A whole or decimal number of units in nanoseconds, its last decimal's worth beside it; not
// negative, at most 30 years.
struct LogDuration {
  int64_t ns = 0;
  int64_t tick_ns = 1;
};
std::optional<LogDuration> ParseLogDuration(std::string_view text, LogUnit unit);

// Nanoseconds; of kByMagnitude those of a second.
int64_t LogUnitNs(LogUnit unit);
// Of the last of so many decimals.
int64_t LogTickNs(int64_t unit_ns, int decimals);

}  // namespace syncline
