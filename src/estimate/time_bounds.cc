#include "estimate/time_bounds.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/int128.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline {
namespace {

using Curve = std::optional<BoundCurve> Bounds::*;

void AppendBends(std::span<const TimeBounds::Step> steps, Curve side, const Clock& clock,
                 std::vector<LocalTime>& bends) {
  for (size_t k = 0; k < steps.size() && ((*steps[k]).*side).has_value(); ++k) {
    for (const Point p : ((*steps[k]).*side)->vertices()) {
      int64_t x = p.x;
      for (size_t i = k; i-- > 0;) x = ((*steps[i]).*side)->Preimage(x);
      bends.push_back(clock.FromNominalNs(x));
    }
  }
}

std::optional<GlobalTime> AsTime(std::optional<int64_t> ns) {
  if (!ns) return std::nullopt;
  return GlobalTime{*ns};
}

}  // namespace

std::optional<GlobalTime> TimeBounds::Lower(LocalTime t) const {
  if (is_open_) return std::nullopt;
  int64_t v = clock_.NominalNs(t);
  if (tube_) return AsTime(tube_->LowerNs(v));
  for (const Step& step : steps_) {
    if (!step->lower) return std::nullopt;
    v = step->lower->Floor(v);
    if (v == std::numeric_limits<int64_t>::min()) return std::nullopt;
  }
  return GlobalTime{v};
}

std::optional<GlobalTime> TimeBounds::Upper(LocalTime t) const {
  if (is_open_) return std::nullopt;
  int64_t v = Saturate(static_cast<Int128>(clock_.NominalNs(t)) + clock_.reading_ns);
  if (tube_) return AsTime(tube_->UpperNs(v));
  for (const Step& step : steps_) {
    if (!step->upper) return std::nullopt;
    v = step->upper->Ceil(v);
    if (v == std::numeric_limits<int64_t>::max()) return std::nullopt;
  }
  return GlobalTime{v};
}

std::vector<LocalTime> TimeBounds::Bends() const {
  std::vector<LocalTime> bends;
  if (tube_) {
    const std::vector<int64_t> within = tube_->BendsNs();
    bends.reserve(within.size());
    for (const int64_t ns : within) bends.push_back(clock_.FromNominalNs(ns));
    for (const int64_t ns : tube_->BendsBetweenNs()) {
      for (const int64_t late_ns : {int64_t{0}, clock_.reading_ns}) {
        const int64_t ticks = clock_.FromNominalNs(SaturatedSum(ns, -late_ns)).ticks;
        for (const int64_t by : {-1, 0, 1}) bends.push_back({SaturatedSum(ticks, by)});
      }
    }
  }
  AppendBends(steps_, &Bounds::lower, clock_, bends);
  AppendBends(steps_, &Bounds::upper, clock_, bends);
  return bends;
}

}  // namespace syncline
