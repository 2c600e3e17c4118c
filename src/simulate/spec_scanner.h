// Reads what the options of a simulation say: names, numbers with units, ranges.
//
// Units: durations become nanoseconds (ns, us, µs, ms, s, min, h; none: ns), drifts become parts in
// 10^12, "ppt" in names (ppm, ppb; none: ppm), shares parts in
// 10^9. Decimal fractions are exact or refused.
// Errors: kUsage; the message quotes the text and says at which character (bytes, from 1) what was
// expected. Tested by: spec_scanner_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "simulate/random.h"

namespace syncline {

inline constexpr int64_t kPptPerPpm = 1'000'000;
inline constexpr int64_t kPpb = 1'000'000'000;
// Durations stay below this, 73 years, so that times of twice as much and one more never overflow.
inline constexpr int64_t kMaxDurationNs = int64_t{1} << 61;

class SpecScanner {
 public:
  explicit SpecScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  // Steps over `c` if it is next.
  bool Accept(char c);
  // The lower-case letters that are next; may be empty.
  std::string_view Word();

  Result<uint64_t> Number(uint64_t max);  // digits only
  Result<int64_t> DurationNs();           // signed
  Result<int64_t> DriftPpt();             // signed
  Result<int64_t> SharePpb();             // signed; of 1
  Result<void> Expect(char c);

  size_t position() const { return at_; }
  tl::unexpected<Error> Expected(std::string_view what) const { return ExpectedAt(at_, what); }
  tl::unexpected<Error> ExpectedAt(size_t where, std::string_view what) const;

 private:
  struct Unit {
    std::string_view name;
    int64_t scale;
  };
  Result<int64_t> Quantity(std::string_view what, std::string_view units_text, int64_t plain_scale,
                           std::initializer_list<Unit> units);

  std::string_view text_;
  size_t at_ = 0;
};

// The whole text is one duration, ≥ 0.
Result<int64_t> ParseDuration(std::string_view text);
// "LO:HI" or one duration for both; 0 ≤ LO ≤ HI.
Result<Range> ParseDurationRange(std::string_view text);
// "LO:HI" or one number for both, without units.
Result<Range> ParseCountRange(std::string_view text);
// The whole text is one drift.
Result<int64_t> ParseDrift(std::string_view text);
// The whole text is one share from 0 to 1; in parts in 10^9.
Result<int64_t> ParseShare(std::string_view text);

}  // namespace syncline
