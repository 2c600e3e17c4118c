// What options of simulations take besides durations: ranges, counts, drifts and shares.
//
// Errors: kUsage, with the character (text_scanner.h). Tested by: range_text_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "syncline/result.h"

#include "base/text_scanner.h"
#include "simulate/random.h"

namespace syncline {

inline Result<uint64_t> ParseWholeNumber(std::string_view text) {
  TextScanner scan(text);
  return scan.Finish(scan.Number(UINT64_MAX));
}

// More than any of those that take it: UINT32_MAX.
inline Result<uint32_t> ParseSmallCount(std::string_view text) {
  TextScanner scan(text);
  return scan.Finish(
      static_cast<uint32_t>(std::min<uint64_t>(scan.Number(UINT64_MAX), UINT32_MAX)));
}

// "LO:HI", or one for both, each as `next` reads it.
template <typename Next>
Result<Range> ParseRange(std::string_view text, const Next& next) {
  TextScanner scan(text);
  const int64_t low = next(scan);
  scan.RefuseIf(low < 0, 0, "a duration of 0 or more");
  Range range{low, low};
  if (scan.Accept(':')) {
    const size_t where = scan.position();
    range.high = next(scan);
    scan.RefuseIf(range.high < low, where, "an upper limit not below the lower one");
  }
  return scan.Finish(range);
}
inline Result<Range> ParseDurationRange(std::string_view text) {
  return ParseRange(text, [](TextScanner& scan) { return scan.DurationNs(); });
}
inline Result<Range> ParseCountRange(std::string_view text) {
  return ParseRange(
      text, [](TextScanner& scan) { return static_cast<int64_t>(scan.Number(kMaxDurationNs)); });
}

// In parts in 10^12.
inline Result<int64_t> ParseDrift(std::string_view text) {
  TextScanner scan(text);
  return scan.Finish(scan.DriftPpt());
}

// From 0 to 1, in parts in 10^9.
inline Result<int64_t> ParseShare(std::string_view text) {
  TextScanner scan(text);
  const int64_t ppb = scan.SharePpb();
  scan.RefuseIf(ppb < 0 || ppb > kPpb, 0, "a share from 0 to 1");
  return scan.Finish(ppb);
}

}  // namespace syncline
