// The regions of all processes over time, in a bounded number of parts.
//
// A region counts where it ends, by the time since an origin of its own process: clocks of
// different processes need not agree. Units: nanoseconds. Cost: O(1) per region; memory 512 bins.
// Tested by: region_series_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "base/parcel.h"
#include "base/time_bins.h"
#include "measure/concurrency/region.h"

namespace syncline {

struct RegionBin {
  uint64_t regions = 0;
  int64_t computed_ns = 0;  // of the regions' own; sums saturate
  int64_t delayed_ns = 0;
  uint64_t with_alpha = 0;  // regions whose α is defined
  // Of these, in units of 2⁻⁶⁰: whole numbers, so that the order in which regions come does not
  // matter.
  Int128 alpha_sum = 0;
  double least_alpha = 2;  // 2: of none
  ProcessId process;       // of the least: the first process, then region
  uint64_t region = 0;
  void Merge(const RegionBin& other);
  std::optional<double> MeanAlpha() const;
};

class RegionSeries {
 public:
  void Add(const Region& region, int64_t origin_ns);
  const TimeBins<RegionBin>& bins() const { return bins_; }

  // Of shares of a computation: adds the regions of another series.
  void Put(Parcel& parcel) const { bins_.Put(parcel); }
  void Adopt(ParcelReader& parcel) { bins_.Merge(TimeBins<RegionBin>::Take(parcel)); }

 private:
  TimeBins<RegionBin> bins_;
};

}  // namespace syncline
