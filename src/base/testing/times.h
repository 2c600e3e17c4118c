// Times that tests are written in: units of nanoseconds, and instants as traces have them.
#pragma once

#include <cstdint>

namespace syncline {

inline constexpr int64_t kUs = 1'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;

// Since 1970: more digits than a double holds, and a round one.
inline constexpr int64_t kEpoch = 1'795'263'390'669'396'121;
inline constexpr int64_t kRoundEpoch = 1'750'000'000'000'000'000;

}  // namespace syncline
