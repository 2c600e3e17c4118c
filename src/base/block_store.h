// Values of many streams, for passes after the one that makes them: in memory up to a budget that
// all streams share, else in temporary disk space, as they are. Streams that go on once the budget
// is used up go to disk as a whole, and no other gets the memory that they had: of long traces
// little is held in memory.
//
// Threads: different streams may be filled, and any be read, in different threads at once.
// Errors: temporary storage that cannot be created, written or read. Ownership: a stream's values
// keep the space alive. Memory: the budget, a block of 32 KiB for each stream and for each reader
// (less if it is told so), and 40 bytes for each block. Tested by: block_store_test.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "base/try.h"

namespace syncline {

// What all streams share.
class SpillSpace {
 public:
  explicit SpillSpace(size_t memory_bytes = size_t{16} << 20) : memory_bytes_(memory_bytes) {}

  // True as long as the budget lasts, which is then so much smaller, for good.
  bool TakeMemory(size_t bytes);
  // Puts bytes on disk; returns where they lie.
  Result<uint64_t> Append(std::span<const std::byte> bytes);
  Result<void> Read(uint64_t place, std::span<std::byte> bytes) const;
  uint64_t bytes_on_disk() const;

 private:
  std::atomic<size_t> memory_bytes_;  // left
  mutable std::mutex mutex_;          // guards the file while it is written, and its size
  std::optional<TempFile> file_;
};

template <typename T>
class BlockReader;

// The values of one stream, in order.
template <typename T>
class BlockStore {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "values go to disk as they are");
  static constexpr size_t kBlockBytes = size_t{32} << 10;
  static constexpr size_t kBlock = kBlockBytes / sizeof(T);  // values

  explicit BlockStore(std::shared_ptr<SpillSpace> space) : space_(std::move(space)) {}
  BlockStore(BlockStore&&) noexcept = default;
  BlockStore& operator=(BlockStore&&) noexcept = default;

  // No reader may be looking at it, and `value` is none of its own.
  Result<void> Add(const T& value) {
    if (recent_.size() == kBlock) SYNCLINE_TRY(PutAway());
    recent_.push_back(value);
    return {};
  }
  uint64_t size() const { return blocks_.size() * kBlock + recent_.size(); }
  const std::shared_ptr<SpillSpace>& space() const { return space_; }
  // Empties it for other values; false where it holds more than a block.
  bool ClearRecent() {
    recent_.clear();
    return blocks_.empty();
  }
  // All values in order, some at once, the first of them number `first`.
  Result<void> ForEach(
      const std::function<void(uint64_t first, std::span<const T> values)>& visit) const {
    BlockReader<T> reader(*this);
    for (uint64_t first = 0; first < size(); first += kBlock) {
      SYNCLINE_ASSIGN(const std::span<const T> values, reader.Block(first / kBlock));
      visit(first, values);
    }
    return {};
  }
  Result<std::vector<T>> All() const {
    std::vector<T> all;
    all.reserve(size());
    SYNCLINE_TRY(ForEach([&](uint64_t /*first*/, std::span<const T> values) {
      all.insert(all.end(), values.begin(), values.end());
    }));
    return all;
  }

 private:
  friend BlockReader<T>;
  struct Block {
    std::vector<T> values;  // empty where they are on disk
    uint64_t place = 0;
  };

  Result<void> PutAway() {
    Block block;
    if (!is_on_disk_ && space_->TakeMemory(kBlock * sizeof(T))) {
      block.values = std::move(recent_);
      recent_ = {};
    } else {
      if (!std::exchange(is_on_disk_, true)) SYNCLINE_TRY(PutAllAway());
      SYNCLINE_ASSIGN(block.place, space_->Append(std::as_bytes(std::span(recent_))));
      recent_.clear();
    }
    blocks_.push_back(std::move(block));
    return {};
  }
  Result<void> PutAllAway() {
    for (Block& block : blocks_) {
      SYNCLINE_ASSIGN(block.place, space_->Append(std::as_bytes(std::span(block.values))));
      block.values = std::vector<T>();
    }
    return {};
  }

  std::shared_ptr<SpillSpace> space_;
  std::vector<Block> blocks_;
  std::vector<T> recent_;
  bool is_on_disk_ = false;  // but for the recent ones
};

// Looks at a stream's values, best one after the other. The stream must outlive it, in its place,
// and nothing may be added meanwhile.
template <typename T>
class BlockReader {
 public:
  // At keeps at most `bytes` of what is on disk, one value at least.
  explicit BlockReader(const BlockStore<T>& store, size_t bytes = BlockStore<T>::kBlockBytes)
      : store_(&store), piece_(std::clamp<size_t>(bytes / sizeof(T), 1, kBlock)) {}
  BlockReader(BlockReader&&) noexcept = default;
  BlockReader& operator=(BlockReader&&) noexcept = default;

  uint64_t size() const { return store_->size(); }
  // Requires i < size(). Valid until the next call.
  Result<const T*> At(uint64_t i) {
    if (i < first_ || i - first_ >= some_.size()) {
      const uint64_t within = i % kBlock / piece_ * piece_;
      SYNCLINE_ASSIGN(some_, Some(i / kBlock, within, std::min<uint64_t>(piece_, kBlock - within)));
      first_ = i - i % kBlock + within;
    }
    return &some_[i - first_];
  }
  // The block of this number, kBlock values but for the last; none beyond it. It takes the place of
  // what At returned.
  Result<std::span<const T>> Block(uint64_t number) {
    some_ = {};
    if (number > store_->blocks_.size()) return std::span<const T>();
    return Some(number, 0, kBlock);
  }

 private:
  static constexpr size_t kBlock = BlockStore<T>::kBlock;

  // Of a block that is there.
  Result<std::span<const T>> Some(uint64_t number, size_t within, size_t count) {
    if (number == store_->blocks_.size()) {
      return std::span<const T>(store_->recent_)
          .subspan(within, std::min(count, store_->recent_.size() - within));
    }
    const auto& block = store_->blocks_[number];
    if (!block.values.empty()) return std::span<const T>(block.values).subspan(within, count);
    loaded_.resize(count);
    SYNCLINE_TRY(store_->space_->Read(block.place + within * sizeof(T),
                                      std::as_writable_bytes(std::span(loaded_))));
    return std::span<const T>(loaded_);
  }

  const BlockStore<T>* store_;
  size_t piece_;  // values
  uint64_t first_ = 0;
  std::span<const T> some_;  // from that value on
  std::vector<T> loaded_;
};

}  // namespace syncline
