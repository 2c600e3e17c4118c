// Times as trace events write them, in decimals → whole nanoseconds, and back.
//
// Never through floating-point numbers: epoch microseconds with three decimals need 61 bits.
// Units: nanoseconds; what is finer is rounded down. Tested by: decimal_time_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace syncline {

struct DecimalTime {
  int64_t ns = 0;
  uint8_t decimals = 0;   // as written, of microseconds at most 3, of nanoseconds none
  bool is_finer = false;  // than nanoseconds: something was rounded away
};

// A number of JSON's grammar (leading zeros are let pass). None where it is no number, or not below
// kMostNs either side of 0.
std::optional<DecimalTime> ParseMicroseconds(std::string_view text);
std::optional<DecimalTime> ParseNanoseconds(std::string_view text);
inline constexpr int64_t kMostNs = int64_t{1} << 61;

// With so many decimals, 0 to 3, further digits cut off.
void AppendMicroseconds(int64_t ns, int decimals, std::string& text);

}  // namespace syncline
