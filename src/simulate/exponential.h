// Exponentially distributed durations that are the same on every machine, for delays that have a
// least value and no largest one.
//
// Units: those of the mean. Cost: about 5 ns. Method: inversion, −ln of a uniform number, in
// integers: the exponent is the number of leading zeros, the logarithm of the mantissa comes from a
// table of 1024 steps between which it is interpolated; wrong by less than 2e-7 of the mean. The
// largest value is 44 times the mean.
// Tested by: exponential_test.cc.
#pragma once

#include <cstdint>

#include "simulate/random.h"

namespace syncline {

// −log2 of (bits / 2^64), in units of 2^-32; 0 counts as 1.
uint64_t NegativeLog2(uint64_t bits);

// Requires 0 ≤ mean < 2^56.
int64_t DrawExponential(Random& random, int64_t mean);

}  // namespace syncline
