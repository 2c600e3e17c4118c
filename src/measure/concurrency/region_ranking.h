// Where to look: the regions with the least concurrency, the longest waits, and who waited for
// whom, of all regions as they pass.
//
// Regions whose α is undefined are not ranked by it. Ties: the longer wait of its own, then process
// and number, so that the order of arrival does not matter. Cost: O(log most) per region that is
// kept; memory: the regions kept, and some 50 bytes per pair of processes that sent and waited.
// Tested by: region_ranking_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/parcel.h"
#include "measure/concurrency/region.h"

namespace syncline {

// What a process waited for the messages of another one, or for collectives.
struct WaitedFor {
  ProcessId process;
  std::optional<ProcessId> sender;  // empty: collectives
  uint64_t waits = 0;               // regions with some delay
  int64_t delayed_ns = 0;
};

class RegionRanking {
 public:
  explicit RegionRanking(size_t most) : most_(most) {}

  void Add(const Region& region);
  std::vector<Region> LeastAlpha() const;    // least first
  std::vector<Region> LongestWaits() const;  // longest first, none of 0
  std::vector<WaitedFor> Waits() const;      // longest first, at most so many

  // Of shares of a computation: adds the regions of another ranking.
  void Put(Parcel& parcel) const;
  void Adopt(ParcelReader& parcel);

 private:
  struct Ranked {
    double key = 0;  // less is worse
    Region region;
    bool operator<(const Ranked& other) const;
  };
  using Pair = std::pair<uint32_t, uint32_t>;

  void AddWait(const WaitedFor& wait);
  void Offer(std::vector<Ranked>& heap, double key, const Region& region) const;
  static std::vector<Region> Sorted(std::vector<Ranked> heap);

  size_t most_;
  std::vector<Ranked> least_alpha_;  // heaps: the best one first
  std::vector<Ranked> longest_waits_;
  absl::flat_hash_map<Pair, WaitedFor> waits_;
};

}  // namespace syncline
