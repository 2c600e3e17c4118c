#include "logical/jump_spread.h"

#include "base/check.h"

namespace syncline {
namespace {

uint64_t IntervalNs(int64_t largest_jump_ns, const AmortizationOptions& options) {
  const Int128 interval =
      static_cast<Int128>(largest_jump_ns) * options.error_denominator / options.error_numerator;
  return interval > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(interval);
}

}  // namespace

JumpSpread::JumpSpread(const AmortizationOptions& options) : options_(options) {
  SYNCLINE_CHECK(options.error_numerator > 0 && options.error_denominator > 0 &&
                 options.start_difference_ns >= 0);
  interval_ns_ = IntervalNs(options.start_difference_ns, options);
}

void JumpSpread::NoteJump(int64_t jump_ns) {
  if (jump_ns <= figures_.largest_jump_ns) return;
  figures_.largest_jump_ns = jump_ns;
  if (jump_ns <= options_.start_difference_ns) return;
  figures_.exceeded_start = true;
  interval_ns_ = IntervalNs(jump_ns, options_);
}

std::span<const HullVertex> JumpSpread::HullOf(const Receive& receive, const Open& open) {
  limits_.ForgetBefore(open.first);
  const Int128 jump = receive.jump_ns * kNanosecondRise;
  const RisePoint left =
      open.first == 0 ? RisePoint{0, limits_.Least(jump)}
                      : RisePoint{receive.x - std::min(interval_ns_, receive.x - open.x_before), 0};
  return limits_.Hull({left, open.first}, {{receive.x, jump}, receive.number});
}

// Edges get steeper to the right: the last one is the steepest.
void JumpSpread::NoteSlope(RiseEdge edge, uint64_t receive) {
  if (CompareSlopes(edge, figures_.largest_slope.edge) <= 0) return;
  figures_.largest_slope = {static_cast<int64_t>(CeilDiv(edge.rise, kNanosecondRise)), edge.run,
                            receive, edge};
}

}  // namespace syncline
