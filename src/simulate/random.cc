#include "simulate/random.h"

#include <cstddef>

namespace syncline {
namespace {

constexpr int kIndexBits = 10;
constexpr size_t kSteps = size_t{1} << kIndexBits;

// log2 of 1 + step / 1024 in units of 2^-32, rounded down: each squaring tells one binary digit.
constexpr uint64_t Log2OfStep(size_t step) {
  constexpr int kPoint = 62;
  UInt128 x = static_cast<UInt128>(kSteps + step) << (kPoint - kIndexBits);
  uint64_t digits = 0;
  for (int i = 0; i < 32; ++i) {
    x = (x * x) >> kPoint;
    const bool is_one = (x >> (kPoint + 1)) != 0;
    digits = digits << 1 | (is_one ? 1 : 0);
    if (is_one) x >>= 1;
  }
  return digits;
}

using Table = std::array<uint64_t, kSteps + 1>;

const Table& Logarithms() {
  static const Table table = [] {
    Table t = {};
    for (size_t i = 0; i < kSteps; ++i) t[i] = Log2OfStep(i);
    t[kSteps] = uint64_t{1} << 32;
    return t;
  }();
  return table;
}

}  // namespace

uint64_t NegativeLog2(uint64_t bits) {
  if (bits == 0) bits = 1;
  const int zeros = std::countl_zero(bits);
  // What follows the leading one, from the top.
  const uint64_t fraction = zeros == 63 ? 0 : bits << (zeros + 1);
  const auto index = static_cast<size_t>(fraction >> (64 - kIndexBits));
  const uint64_t rest = fraction << kIndexBits >> 32;
  const Table& table = Logarithms();
  const uint64_t mantissa = table[index] + (((table[index + 1] - table[index]) * rest) >> 32);
  return (static_cast<uint64_t>(zeros + 1) << 32) - mantissa;
}

int64_t DrawExponential(Random& random, int64_t mean) {
  constexpr uint64_t kLn2 = 2'977'044'472;  // in units of 2^-32
  const UInt128 natural = static_cast<UInt128>(NegativeLog2(random.Next())) * kLn2;
  return static_cast<int64_t>((natural >> 32) * static_cast<UInt128>(mean) >> 32);
}

}  // namespace syncline
