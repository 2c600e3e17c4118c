#include "live/character/peer_meter.h"

namespace syncline {

std::optional<OffsetSample> PeerMeter::Measure() {
  if (error_) return std::nullopt;
  const auto burst = client_.Burst(exchanges_, 0);
  if (!burst) {
    error_ = burst.error();
    return std::nullopt;
  }
  const auto best = FiguresOf(*burst).best;
  if (!best) return std::nullopt;
  return OffsetSample{best->at_ns, best->offset_ns, best->bound_ns};
}

Effort PeerMeter::GetEffort() const {
  const ClientCounts& counts = client_.counts();
  // Each exchange has two stamps of this machine.
  return {2 * counts.answered, counts.asked + counts.answered};
}

}  // namespace syncline
