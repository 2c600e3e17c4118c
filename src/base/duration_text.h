// Durations as options have them: "400us", "1.5ms", "10min"; a number alone counts what its option
// says.
//
// Units: nanoseconds; ns, us, µs, ms, s, min and h are understood. Fractions of a nanosecond are
// refused. Errors: kUsage, with the character (text_scanner.h). Tested by: duration_text_test.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "syncline/result.h"

#include "base/parse_number.h"
#include "base/text_scanner.h"

namespace syncline {

// From 0 to kMaxDurationNs.
inline Result<int64_t> ParseDuration(std::string_view text, int64_t plain_ns = 1) {
  TextScanner scan(text);
  const int64_t ns = scan.DurationNs(plain_ns);
  scan.RefuseIf(ns < 0, 0, "a duration of 0 or more");
  return scan.Finish(ns);
}

// The same where a number alone is in seconds, which may also have an exponent: "1e-3".
inline Result<int64_t> ParseSeconds(std::string_view text) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const auto seconds = ParseNumber<double>(text);
  if (seconds && *seconds >= 0 && *seconds < kMaxDurationNs / kNsPerSecond) {
    return std::llround(*seconds * kNsPerSecond);
  }
  return ParseDuration(text, kNsPerSecond);
}

}  // namespace syncline
