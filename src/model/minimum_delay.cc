#include "syncline/minimum_delay.h"

#include <algorithm>

#include "base/int128.h"

namespace syncline {

bool DelayModel::grows_with_size() const {
  return all_.ps_per_byte > 0 || std::ranges::any_of(by_direction_, [](const auto& entry) {
           return entry.second.ps_per_byte > 0;
         });
}

Duration DelayModel::Of(ClockId from, ClockId to, uint64_t bytes) const {
  constexpr Int128 kLargest = Int128{1} << 62;
  MinimumDelay delay = all_;
  if (!by_direction_.empty()) {
    if (const auto it = by_direction_.find({from, to}); it != by_direction_.end()) {
      delay = it->second;
    }
  }
  if (delay.ps_per_byte == 0) return {delay.fixed_ns};
  const Int128 ns = delay.fixed_ns + static_cast<Int128>(bytes) * delay.ps_per_byte / 1000;
  return {static_cast<int64_t>(std::min(ns, kLargest))};
}

}  // namespace syncline
