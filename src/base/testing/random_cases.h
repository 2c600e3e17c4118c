// How many random cases a test tries: all, or a fifth of them where sanitizers look, which find in
// the first ones what the code does to memory; that it is right is told by the optimized build.
#pragma once

#include <cstdint>

namespace syncline {

#ifdef SYNCLINE_SANITIZED
constexpr uint32_t RandomCases(uint32_t cases) { return cases / 5; }
#else
constexpr uint32_t RandomCases(uint32_t cases) { return cases; }
#endif

}  // namespace syncline
