#include "measure/concurrency/region_ranking.h"

#include <algorithm>
#include <tuple>

#include "base/int128.h"
#include "measure/concurrency/measures.h"

namespace syncline {

bool RegionRanking::Ranked::operator<(const Ranked& other) const {
  const auto order = [](const Ranked& r) {
    return std::tuple(r.key, -r.region.own_delayed_ns, r.region.process, r.region.number);
  };
  return order(*this) < order(other);
}

void RegionRanking::Add(const Region& region) {
  const Ratio alpha = MeasureRegion(region.values).alpha;
  if (alpha) Offer(least_alpha_, *alpha, region);
  if (region.own_delayed_ns == 0) return;
  Offer(longest_waits_, -static_cast<double>(region.own_delayed_ns), region);
  const bool has_cause =
      region.end == RegionEnd::kDelivery || region.end == RegionEnd::kCollectiveEnd;
  if (!has_cause) return;
  AddWait({region.process, region.sender, 1, region.own_delayed_ns});
}

void RegionRanking::AddWait(const WaitedFor& wait) {
  const Pair pair{wait.process.value, wait.sender ? wait.sender->value : UINT32_MAX};
  WaitedFor& waited = waits_[pair];
  waited.process = wait.process;
  waited.sender = wait.sender;
  waited.waits += wait.waits;
  waited.delayed_ns = Saturate(Int128{waited.delayed_ns} + wait.delayed_ns);
}

void RegionRanking::Put(Parcel& parcel) const {
  std::vector<WaitedFor> waits;
  for (const auto& [pair, waited] : waits_) waits.push_back(waited);
  parcel.Put(least_alpha_, longest_waits_, waits);
}

void RegionRanking::Adopt(ParcelReader& parcel) {
  for (const Ranked& r : parcel.TakeAll<Ranked>()) Offer(least_alpha_, r.key, r.region);
  for (const Ranked& r : parcel.TakeAll<Ranked>()) Offer(longest_waits_, r.key, r.region);
  for (const WaitedFor& wait : parcel.TakeAll<WaitedFor>()) AddWait(wait);
}

void RegionRanking::Offer(std::vector<Ranked>& heap, double key, const Region& region) const {
  const Ranked ranked{key, region};
  if (heap.size() == most_) {
    if (heap.empty() || !(ranked < heap.front())) return;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  heap.push_back(ranked);
  std::push_heap(heap.begin(), heap.end());
}

std::vector<Region> RegionRanking::Sorted(std::vector<Ranked> heap) {
  std::sort_heap(heap.begin(), heap.end());
  std::vector<Region> regions;
  regions.reserve(heap.size());
  for (const Ranked& ranked : heap) regions.push_back(ranked.region);
  return regions;
}

std::vector<Region> RegionRanking::LeastAlpha() const { return Sorted(least_alpha_); }

std::vector<Region> RegionRanking::LongestWaits() const { return Sorted(longest_waits_); }

std::vector<WaitedFor> RegionRanking::Waits() const {
  std::vector<WaitedFor> waits;
  for (const auto& [pair, waited] : waits_) waits.push_back(waited);
  std::ranges::sort(waits, {}, [](const WaitedFor& wait) {
    return std::tuple(-wait.delayed_ns, wait.process, wait.sender);
  });
  waits.resize(std::min(waits.size(), most_));
  return waits;
}

}  // namespace syncline
