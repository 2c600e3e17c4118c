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

std::optional<GlobalTime> TimeBounds::Lower(LocalTime t, size_t* near) const {
  if (is_open_) return std::nullopt;
  int64_t v = clock_.NominalNs(t);
  if (tube_) return AsTime(tube_->LowerNs(v, near));
  for (const Step& step : steps_) {
    if (!step->lower) return std::nullopt;
    v = step->lower->Floor(v);
    if (v == std::numeric_limits<int64_t>::min()) return std::nullopt;
  }
  return GlobalTime{v};
}

std::optional<GlobalTime> TimeBounds::Upper(LocalTime t, size_t* near) const {
  if (is_open_) return std::nullopt;
  int64_t v = Saturate(static_cast<Int128>(clock_.NominalNs(t)) + clock_.reading_ns);
  if (tube_) return AsTime(tube_->UpperNs(v, near));
  for (const Step& step : steps_) {
    if (!step->upper) return std::nullopt;
    v = step->upper->Ceil(v);
    if (v == std::numeric_limits<int64_t>::max()) return std::nullopt;
  }
  return GlobalTime{v};
}

void TimeBounds::At(std::span<const LocalTime> increasing, std::span<Interval> intervals) const {
  size_t near_lower = 0, near_upper = 0;
  for (size_t i = 0; i < increasing.size(); ++i) {
    intervals[i] = {Lower(increasing[i], &near_lower), Upper(increasing[i], &near_upper)};
  }
}

void TimeBounds::VisitBends(std::vector<LocalTime> also,
                            const std::function<void(std::span<const LocalTime>)>& visit) const {
  constexpr size_t kSome = 4096;
  if (tube_) {
    for (const int64_t ns : tube_->BendsBetweenNs()) {
      for (const int64_t late_ns : {int64_t{0}, clock_.reading_ns}) {
        const int64_t ticks = clock_.FromNominalNs(SaturatedSum(ns, -late_ns)).ticks;
        for (const int64_t by : {-1, 0, 1}) also.push_back({SaturatedSum(ticks, by)});
      }
    }
  }
  AppendBends(steps_, &Bounds::lower, clock_, also);
  AppendBends(steps_, &Bounds::upper, clock_, also);
  std::ranges::sort(also);
  std::vector<LocalTime> some;
  some.reserve(kSome);
  std::optional<LocalTime> last;
  const auto add = [&](LocalTime t) {
    if (last && t <= *last) return;
    last = t;
    some.push_back(t);
    if (some.size() < kSome) return;
    visit(some);
    some.clear();
  };
  size_t next = 0;
  if (tube_) {
    tube_->VisitBendsNs([&](int64_t ns) {
      const LocalTime bend = clock_.FromNominalNs(ns);
      for (; next < also.size() && also[next] < bend; ++next) add(also[next]);
      add(bend);
    });
  }
  for (; next < also.size(); ++next) add(also[next]);
  if (!some.empty()) visit(some);
}

}  // namespace syncline
