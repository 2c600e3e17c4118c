// Sorts more values than fit into memory, and goes through them as often as is asked for.
//
// Of equal values the one that was added first comes first. Method: runs of `memory_bytes` that are
// sorted and put on disk, merged anew in each pass. Errors: those of temporary storage, and of who
// visits. Memory: twice `memory_bytes` while values are added, then 8 MiB for all runs, or 4 KiB
// for each of more than 2000; and for the group at hand up to `memory_bytes`. Cost: O(n log n)
// comparisons; each value is written once, and read once in each pass. Tested by:
// external_sort_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/block_store.h"
#include "base/try.h"

namespace syncline {

inline constexpr size_t kSortMemory = size_t{4} << 20;  // bytes, where nothing else is asked for

template <typename T, typename Less>
class ExternalSort {
 public:
  // `space` is for what does not fit into memory.
  explicit ExternalSort(size_t memory_bytes = kSortMemory,
                        std::shared_ptr<SpillSpace> space = std::make_shared<SpillSpace>(0))
      : memory_bytes_(memory_bytes),
        run_(std::max<size_t>(1, memory_bytes / sizeof(T))),
        space_(std::move(space)) {}

  // Requires: nothing has been visited.
  Result<void> Add(const T& value) {
    if (recent_.size() == run_) SYNCLINE_TRY(PutAway());
    recent_.push_back(value);
    return {};
  }
  // Adds all of `other`, of which no value may have been visited either.
  Result<void> Take(ExternalSort other) {
    if (!recent_.empty()) SYNCLINE_TRY(PutAway());
    SYNCLINE_TRY(other.PutAllAway());
    for (Run& run : other.runs_) runs_.push_back(std::move(run));
    return {};
  }
  // Leaves nothing in memory.
  Result<void> PutAllAway() {
    if (!recent_.empty()) SYNCLINE_TRY(PutAway());
    // Braces alone would leave them their memory.
    recent_ = decltype(recent_)();
    order_ = decltype(order_)();
    return {};
  }

  // Visits all in order, until a visit, a Result<void>, fails.
  template <typename Visit>
  Result<void> ForEach(const Visit& visit) {
    if (!runs_.empty()) {
      SYNCLINE_TRY(PutAllAway());
      return Merge(visit);
    }
    if (!std::exchange(is_sorted_, true)) SortRecent();
    for (const uint32_t i : order_) SYNCLINE_TRY(visit(recent_[i]));
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
  // Of all runs that are merged, and of one.
  static constexpr size_t kReadingBytes = size_t{8} << 20, kLeastBytes = size_t{4} << 10;

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

  // Values of a run, one behind the other in a store.
  struct Run {
    std::shared_ptr<BlockStore<T>> store;
    uint64_t first = 0, end = 0;
  };

  BlockStore<T> EmptyGroup() const {
    return BlockStore<T>(std::make_shared<SpillSpace>(memory_bytes_));
  }

  Result<void> PutAway() {
    SortRecent();
    if (!own_) own_ = std::make_shared<BlockStore<T>>(space_);
    const uint64_t first = own_->size();
    for (const uint32_t i : order_) SYNCLINE_TRY(own_->Add(recent_[i]));
    runs_.push_back({own_, first, own_->size()});
    recent_.clear();
    return {};
  }

  // Values are large: they stay where they are.
  void SortRecent() {
    order_.resize(recent_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    if (std::is_sorted(recent_.begin(), recent_.end(), Less())) return;
    std::stable_sort(order_.begin(), order_.end(),
                     [this](uint32_t a, uint32_t b) { return Less()(recent_[a], recent_[b]); });
  }

  template <typename Visit>
  Result<void> Merge(const Visit& visit) {
    std::vector<Rest> rests;
    const auto later = [&](size_t a, size_t b) {
      if (Less()(*rests[a].value, *rests[b].value)) return false;
      return a > b || Less()(*rests[b].value, *rests[a].value);
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);  // of runs
    const size_t bytes = std::max(kLeastBytes, kReadingBytes / runs_.size());
    for (const Run& run : runs_) {
      rests.push_back({BlockReader<T>(*run.store, bytes), run.first, run.end});
      SYNCLINE_TRY(rests.back().Advance());
      queue.push(queue.size());
    }
    while (!queue.empty()) {
      const size_t number = queue.top();
      queue.pop();
      // As long as it comes before all others, its place in the queue need not be looked for.
      do {
        SYNCLINE_TRY(visit(*rests[number].value));
        SYNCLINE_ASSIGN(const bool has_more, rests[number].Advance());
        if (!has_more) break;
        if (!queue.empty() && later(number, queue.top())) {
          queue.push(number);
          break;
        }
      } while (true);
    }
    return {};
  }

  size_t memory_bytes_;
  size_t run_;             // values
  std::vector<T> recent_;  // at most one run
  std::vector<uint32_t> order_;
  bool is_sorted_ = false;
  std::shared_ptr<SpillSpace> space_;
  std::shared_ptr<BlockStore<T>> own_;  // what this one has put away
  std::vector<Run> runs_;               // and of others that were taken, in the order of arrival
};

}  // namespace syncline
