// Sorts more values than fit into memory, and goes through them as often as is asked for.
//
// Of equal values the one that was added first comes first. Method: runs of `memory_bytes` that are
// sorted and put on disk, merged anew in each pass. Errors: those of temporary storage, and of who
// visits. Memory: twice `memory_bytes` while values are added, then 32 KiB for each so many bytes
// of values, and for the group at hand up to `memory_bytes`. Cost: O(n log n) comparisons; each
// value is written once, and read once in each pass. Tested by: external_sort_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/block_store.h"
#include "base/try.h"

namespace syncline {

template <typename T, typename Less>
class ExternalSort {
 public:
  explicit ExternalSort(size_t memory_bytes = size_t{4} << 20)
      : memory_bytes_(memory_bytes), run_(std::max<size_t>(1, memory_bytes / sizeof(T))) {}

  // Requires: nothing has been visited.
  Result<void> Add(const T& value) {
    if (recent_.size() == run_) SYNCLINE_TRY(PutAway());
    recent_.push_back(value);
    return {};
  }

  // Visits all in order, until a visit, a Result<void>, fails.
  template <typename Visit>
  Result<void> ForEach(const Visit& visit) {
    if (sorted_.size() > 0 && !recent_.empty()) SYNCLINE_TRY(PutAway());
    if (sorted_.size() > 0) return Merge(visit);
    if (!is_sorted_) std::stable_sort(recent_.begin(), recent_.end(), Less());
    is_sorted_ = true;
    for (const T& value : recent_) SYNCLINE_TRY(visit(value));
    return {};
  }

  // The same, all at once that are `same` as their predecessor, as a BlockStore.
  template <typename Same, typename Visit>
  Result<void> ForEachGroup(const Same& same, const Visit& visit) {
    BlockStore<T> group = EmptyGroup();
    T last = {};
    SYNCLINE_TRY(ForEach([&](const T& value) -> Result<void> {
      if (group.size() > 0 && !same(last, value)) {
        SYNCLINE_TRY(visit(std::as_const(group)));
        if (!group.ClearRecent()) group = EmptyGroup();
      }
      last = value;
      return group.Add(value);
    }));
    return group.size() > 0 ? visit(std::as_const(group)) : Result<void>();
  }

 private:
  // Values of a run that were not visited.
  struct Rest {
    BlockReader<T> reader;
    uint64_t next = 0, end = 0;
    const T* value = nullptr;

    Result<bool> Advance() {
      if (next == end) return false;
      SYNCLINE_ASSIGN(value, reader.At(next++));
      return true;
    }
  };

  BlockStore<T> EmptyGroup() const {
    return BlockStore<T>(std::make_shared<SpillSpace>(memory_bytes_));
  }

  Result<void> PutAway() {
    std::stable_sort(recent_.begin(), recent_.end(), Less());
    for (const T& value : recent_) SYNCLINE_TRY(sorted_.Add(value));
    recent_.clear();
    return {};
  }

  template <typename Visit>
  Result<void> Merge(const Visit& visit) {
    recent_ = {};
    std::vector<Rest> runs;
    const auto later = [&](size_t a, size_t b) {
      if (Less()(*runs[a].value, *runs[b].value)) return false;
      return Less()(*runs[b].value, *runs[a].value) || a > b;
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);  // of runs
    for (uint64_t first = 0; first < sorted_.size(); first += run_) {
      const uint64_t end = std::min<uint64_t>(sorted_.size(), first + run_);
      runs.push_back({BlockReader<T>(sorted_), first, end});
      SYNCLINE_TRY(runs.back().Advance());
      queue.push(queue.size());
    }
    while (!queue.empty()) {
      const size_t number = queue.top();
      queue.pop();
      SYNCLINE_TRY(visit(*runs[number].value));
      SYNCLINE_ASSIGN(const bool has_more, runs[number].Advance());
      if (has_more) queue.push(number);
    }
    return {};
  }

  size_t memory_bytes_;
  size_t run_;             // values
  std::vector<T> recent_;  // at most one run
  bool is_sorted_ = false;
  BlockStore<T> sorted_{std::make_shared<SpillSpace>(0)};  // runs, one behind the other
};

}  // namespace syncline
