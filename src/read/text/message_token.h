// Message and instance tokens of the text format as 64-bit numbers, without a table.
//
// A decimal number below 2^63 without leading zeros stands for itself. `~` and 16 lower-case hex
// digits of a number from 2^63 on stand for that number: how such an id is written. Any other token
// becomes 2^63 + a 63-bit hash of its bytes, equal in every file and run.
// Two different hashed tokens get the same number with probability 2^-63; among n of one sender and
// receiver in flight at once, some two do with about n²/2^64 (10⁶: 5·10⁻⁸).
// Cost: O(1) memory; 1 ns per digit, about 20 ns for a short hashed token.
// Method: SipHash-2-4 (Aumasson, Bernstein, INDOCRYPT 2012) with a fixed key, the top bit set.
// Tested by: message_token_test.cc (the paper's test vector).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

inline constexpr uint64_t kHashedMessage = uint64_t{1} << 63;

uint64_t MessageFromToken(std::string_view token);
// A token that MessageFromToken turns into `message`.
std::string TokenFromMessage(uint64_t message);

struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;
};
uint64_t SipHash24(SipKey key, std::string_view bytes);

}  // namespace syncline
