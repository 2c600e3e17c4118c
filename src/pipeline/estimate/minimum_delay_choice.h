// Least travel times as --min-delay gives them, to estimation and to the logical clock.
//
// Units: nanoseconds, and picoseconds per byte.
// Tested by: minimum_delay_choice_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/minimum_delay.h"
#include "syncline/result.h"

namespace syncline {

struct MinimumDelayChoice {
  bool is_auto = false;
  std::optional<int64_t> all_ns;  // of directions not listed; none where there is no such number
  std::map<std::pair<std::string, std::string>, MinimumDelay> by_direction;  // (from, to) clocks

  bool IsNothing() const { return !is_auto && all_ns.value_or(0) == 0 && by_direction.empty(); }
};

// The longest minimum delay there may be: 13 days.
inline constexpr int64_t kLongestMinimumDelayNs = int64_t{1} << 50;

// "auto", a duration up to the longest (a number alone counts nanoseconds), or a file with lines
// FROM TO DURATION [NS_PER_BYTE] (# starts a comment; the last line on a direction counts).
// Errors: kUsage for another number; kMalformed with the line; kUnreadable.
Result<MinimumDelayChoice> ParseMinimumDelay(const std::string& text);

// Names in the choice that no clock has, in alphabetical order.
std::vector<std::string> UnknownClocks(const MinimumDelayChoice& choice, const TraceSet& traces);

}  // namespace syncline
