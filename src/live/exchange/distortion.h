// A known distortion of a clock, for tests of what estimates it.
//
// Units: nanoseconds, parts in 10^9. Sign: positive is ahead, and fast.
// Cost: O(1), 128-bit. Rounds down, so it keeps the order of times. Saturates.
// Tested by: distortion_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

namespace syncline {

struct Distortion {
  int64_t offset_ns = 0;  // at the origin
  int64_t drift_ppb = 0;  // |drift_ppb| ≤ 10^8
  int64_t origin_ns = 0;

  int64_t Shown(int64_t true_ns) const;
};

// "offset=-1.7s,drift=35ppm,origin=NS": each part at most once, in any order; units as
// text_scanner.h has them. The origin, nanoseconds since the epoch, is `now_ns` where it is not
// given. Errors: kUsage, with the character.
Result<Distortion> ParseDistortion(const std::string& text, int64_t now_ns);

}  // namespace syncline
