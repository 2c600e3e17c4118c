// One pass over all messages: what the graph needs of each direction, and of its halves.
//
// Units: nominal nanoseconds; readings are kept since an origin of their clock. Errors: those of
// the pass. Cost: see envelope.h; a look-up per message. Memory: the envelopes. Tested by:
// drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/drift_bounded/ladder.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

// How far from its clock's first message a reading may be to be used.
inline constexpr int64_t kReachNs = int64_t{1} << 57;

using ClockPair = std::pair<ClockId, ClockId>;
using DelayMap = absl::flat_hash_map<ClockPair, int64_t>;  // µ of a direction; 0 where absent

struct Collection {
  std::vector<HalvedDirection> directions;  // between tracks, in order of both
  std::vector<Extent> extents;              // by track, of all messages
  uint64_t out_of_range = 0;
};

// Readings of each clock are counted from the first one that a message had.
using Origins = std::vector<std::optional<int64_t>>;  // by clock; learnt on the way

Result<Collection> Collect(const MessagePass& pass, const TrackTable& tracks,
                           std::span<const RateLimits> limits, const DelayMap& delays,
                           const absl::flat_hash_set<uint64_t>& left_out, Origins& origins);

// The difference, if it is within reach.
inline std::optional<int64_t> Since(int64_t origin_ns, int64_t reading_ns) {
  int64_t since = 0;
  if (__builtin_sub_overflow(reading_ns, origin_ns, &since)) return std::nullopt;
  if (since > kReachNs || since < -kReachNs) return std::nullopt;
  return since;
}

}  // namespace syncline::drift_bounded
