// Random numbers that are the same on every machine: the seed of a simulation decides every byte.
//
// Method: xoshiro256** (Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2021),
// its state filled by SplitMix64. Standard distributions are not used: their results differ between
// libraries. Cost: about 2 ns. Tested by: random_test.cc (the generators' published values).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/int128.h"

namespace syncline {

// Integers from low to high, both included. Requires low ≤ high.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_ = 0;
};

class Random {
 public:
  // Independent sequences for every pair of seed and stream.
  Random(uint64_t seed, uint64_t stream) {
    SplitMix64 fill(SplitMix64(seed).Next() ^ SplitMix64(~stream).Next());
    for (uint64_t& word : state_) word = fill.Next();
  }
  explicit Random(const std::array<uint64_t, 4>& state) : state_(state) {}

  uint64_t Next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform but for a bias below 2^-64 times the width.
  int64_t In(Range range) {
    const UInt128 width =
        static_cast<UInt128>(static_cast<Int128>(range.high) - static_cast<Int128>(range.low)) + 1;
    if (width == 1) return range.low;
    return static_cast<int64_t>(range.low + static_cast<Int128>((Next() * width) >> 64));
  }

 private:
  std::array<uint64_t, 4> state_ = {};
};

// Exponentially distributed durations that are the same on every machine, for delays that have a
// least value and no largest one. Units: those of the mean. Cost: about 5 ns. Method: inversion,
// −ln of a uniform number, in integers: the exponent is the number of leading zeros, the logarithm
// of the mantissa comes from a table of 1024 steps between which it is interpolated; wrong by less
// than 2e-7 of the mean. The largest value is 44 times the mean. Tested by: exponential_test.cc.

// −log2 of (bits / 2^64), in units of 2^-32; 0 counts as 1.
uint64_t NegativeLog2(uint64_t bits);

// Requires 0 ≤ mean < 2^56.
int64_t DrawExponential(Random& random, int64_t mean);

}  // namespace syncline
