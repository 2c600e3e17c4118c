#include "measure/concurrency/region_series.h"

#include <utility>

#include "syncline/time.h"

#include "measure/concurrency/measures.h"

namespace syncline {
namespace {

constexpr double kOne = 0x1p60;  // an α of 1 in RegionBin::alpha_sum

}  // namespace

void RegionBin::Merge(const RegionBin& other) {
  regions += other.regions;
  computed_ns = SaturatedSum(computed_ns, other.computed_ns);
  delayed_ns = SaturatedSum(delayed_ns, other.delayed_ns);
  with_alpha += other.with_alpha;
  alpha_sum += other.alpha_sum;
  if (other.with_alpha == 0 || other.least_alpha > least_alpha) return;
  const bool is_less = other.least_alpha < least_alpha;
  if (is_less || std::pair(other.process, other.region) < std::pair(process, region)) {
    process = other.process;
    region = other.region;
  }
  least_alpha = other.least_alpha;
}

std::optional<double> RegionBin::MeanAlpha() const {
  if (with_alpha == 0) return std::nullopt;
  return static_cast<double>(alpha_sum) / kOne / static_cast<double>(with_alpha);
}

void RegionSeries::Add(const Region& region, int64_t origin_ns) {
  RegionBin one{.regions = 1,
                .computed_ns = region.own_computed_ns,
                .delayed_ns = region.own_delayed_ns,
                .process = region.process,
                .region = region.number};
  if (const Ratio alpha = MeasureRegion(region.values).alpha) {
    one.with_alpha = 1;
    one.alpha_sum = static_cast<Int128>(*alpha * kOne);
    one.least_alpha = *alpha;
  }
  bins_.At(SaturatedDifference(region.end_ns, origin_ns)).Merge(one);
}

}  // namespace syncline
