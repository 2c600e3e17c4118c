// Whether a message contradicts all others so much that only a wrong match can explain it.
//
// Clocks that are not quite linear make messages contradict too, but few of them, and by less than
// the time that messages take: else many would. So a suspect must be received before it was sent,
// on corrected time, by more than messages usually take there and back.
// Units: nominal nanoseconds in, nanoseconds out. Errors: none.
// Tested by: src/estimate/joint/set_aside_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "estimate/group.h"
#include "estimate/hulls/pair_points.h"

namespace syncline {

// The median delay there plus the median delay back, of samples of a pair's messages; where they go
// one way only, twice the delay there is.
int64_t UsualRoundTripNs(const PairInput& pair, const PairPoints& points,
                         const GroupEstimate& group, std::span<const ClockInput> clocks);

// Receive less send on corrected time.
int64_t CorrectedDelayNs(ClockId from, int64_t send_ns, ClockId to, int64_t receive_ns,
                         const GroupEstimate& group, std::span<const ClockInput> clocks);

}  // namespace syncline
