// The difference of two integers as a double, rounded once, whatever their size.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace syncline {

inline double DifferenceOf(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return static_cast<double>(difference);
  return static_cast<double>(static_cast<Int128>(a) - b);
}

}  // namespace syncline
