// What the program says at its end.
#pragma once

namespace syncline {

inline constexpr int kExitDone = 0;  // all guarantees hold
inline constexpr int kExitUsage = 1;
inline constexpr int kExitUnreadable = 2;
inline constexpr int kExitWeak = 3;  // done, but with a stated weakness
inline constexpr int kExitNoCorrection = 4;

}  // namespace syncline
