#include "live/exchange/host_estimate.h"

#include <algorithm>

#include "base/int128.h"

namespace syncline {
namespace {

int64_t Difference(int64_t a, int64_t b) { return Saturate(static_cast<Int128>(a) - b); }

double Ppm(Slope slope) { return static_cast<double>(slope.Drift() * 1e6L); }

}  // namespace

void HostEstimate::Add(std::span<const ClockExchange> exchanges) {
  for (const ClockExchange& e : exchanges) {
    points_.AddAToB(e.t1_ns, e.t2_ns);
    points_.AddBToA(e.t3_ns, e.t4_ns);
  }
}

std::optional<HostOffset> HostEstimate::At(int64_t own_ns) const {
  const PairEstimate estimate = EstimatePair(points_, {.max_drift_ppm = max_drift_ppm_});
  if (!estimate.line) return std::nullopt;
  HostOffset host = {.quality = estimate.quality, .reason = estimate.reason, .at_ns = own_ns};
  const int64_t shown = estimate.line->Nearest(own_ns);
  host.offset_ns = Difference(shown, own_ns);
  host.drift_ppm = Ppm(estimate.line->slope);
  const Bounds& bounds = estimate.bounds;
  if (estimate.quality != Quality::kAccurate || !bounds.lower || !bounds.upper) return host;
  const int64_t low = bounds.lower->Floor(own_ns);
  const int64_t high = bounds.upper->Ceil(own_ns);
  host.bounds = {.low_ns = Difference(low, own_ns),
                 .high_ns = Difference(high, own_ns),
                 .low_drift_ppm = Ppm(estimate.slopes->min),
                 .high_drift_ppm = Ppm(estimate.slopes->max),
                 .bound_ns = std::max(Difference(high, shown), Difference(shown, low))};
  return host;
}

}  // namespace syncline
