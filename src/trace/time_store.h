// Recorded times of many streams, for passes after the one that reads them: in memory up to a
// budget that all streams share, beyond it in temporary disk space, 8 bytes each.
//
// Threads: different streams may be filled, and any be read, in different threads at once.
// Errors: temporary storage that cannot be created, written or read. Ownership: a stream's times
// keep the space alive. Memory: the budget, a block of 32 KiB for each stream, and 40 bytes for
// each block. Tested by: time_store_test.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/file.h"
#include "base/try.h"

namespace syncline {

// What all streams share.
class TimeSpace {
 public:
  explicit TimeSpace(size_t memory_bytes = size_t{16} << 20) : memory_bytes_(memory_bytes) {}

  // True as long as the budget lasts, which is then so much smaller.
  bool TakeMemory(size_t bytes);
  // Puts times on disk; returns where they lie.
  Result<uint64_t> Append(std::span<const LocalTime> times);
  Result<void> Read(uint64_t place, std::span<LocalTime> times) const;
  uint64_t bytes_on_disk() const;

 private:
  std::atomic<size_t> memory_bytes_;  // left
  mutable std::mutex mutex_;          // guards the file while it is written, and its size
  std::optional<TempFile> file_;
};

// The times of one stream, in order.
class TimeStore {
 public:
  static constexpr size_t kBlock = 4096;  // times

  explicit TimeStore(std::shared_ptr<TimeSpace> space) : space_(std::move(space)) {}

  Result<void> Add(LocalTime time) {
    if (recent_.size() == kBlock) SYNCLINE_TRY(PutAway());
    recent_.push_back(time);
    return {};
  }
  uint64_t size() const { return blocks_.size() * kBlock + recent_.size(); }
  // All times in order, some at once, the first of them number `first`.
  Result<void> ForEach(
      const std::function<void(uint64_t first, std::span<const LocalTime> times)>& visit) const;
  Result<std::vector<LocalTime>> All() const;
  // The block of this number, kBlock times but for the last; none beyond it.
  Result<std::vector<LocalTime>> BlockAt(uint64_t number) const;

 private:
  struct Block {
    std::vector<LocalTime> times;  // empty where they are on disk
    uint64_t place = 0;
  };
  Result<void> PutAway();

  std::shared_ptr<TimeSpace> space_;
  std::vector<Block> blocks_;
  std::vector<LocalTime> recent_;
};

}  // namespace syncline
