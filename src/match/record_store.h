// Packet records on their way to the join, divided by hash so that equal packets come out together.
//
// Records fill chunks of memory, one list of chunks per partition; when memory_bytes are in use,
// all chunks go to temporary disk space. NextBatch() then delivers the records by ranges of
// PacketRecord::loose, each range of keys whole.
// A key that repeats without end does not take memory without end: while a batch is loaded, copies
// of one packet in one capture and direction beyond the second are left out and counted. Errors:
// temporary storage that cannot be created, written or read. Cost: about 10 ns per record in
// memory; each record is written and read at most once, except where a partition does not fit into
// memory. Tested by: record_store_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "match/packet_record.h"

namespace syncline {

class RecordStore {
 public:
  // At least kMinMemory bytes are used where needed.
  explicit RecordStore(size_t memory_bytes);

  static constexpr size_t kMinMemory = size_t{1} << 20;

  Result<void> Add(const PacketRecord& record) {
    Partition& partition = partitions_[record.loose >> 56];
    if (partition.free == 0) {
      if (auto grown = Grow(partition); !grown) return grown;
    }
    *partition.next++ = record;
    --partition.free;
    return {};
  }

  // All records of the next range of keys; empty after the last. Valid until the next call. Add()
  // must not be called any more.
  Result<std::span<const PacketRecord>> NextBatch();
  // Whether the batch delivered last holds every record of its keys.
  bool batch_is_whole() const { return left_out_of_batch_.empty(); }
  // Per capture, the records that NextBatch() left out.
  std::span<const uint64_t> left_out() const { return left_out_; }
  uint64_t bytes_on_disk() const { return file_ ? file_->size() : 0; }

 private:
  static constexpr size_t kPartitions = 256;
  static constexpr size_t kChunkRecords = 64;
  using Chunk = std::array<PacketRecord, kChunkRecords>;

  struct Extent {
    uint64_t offset = 0;
    uint64_t records = 0;
  };
  struct Partition {
    PacketRecord* next = nullptr;  // where the next record goes, in the last chunk
    size_t free = 0;
    std::vector<uint32_t> chunks;
    std::vector<Extent> extents;
    size_t in_memory() const { return chunks.size() * kChunkRecords - free; }
  };

  Result<void> Grow(Partition& partition);
  Result<void> Spill();
  Chunk& ChunkAt(uint32_t number);
  static uint64_t Records(const Partition& partition);
  // Loads the part of a partition whose next hash bits are `range` of `ranges_`.
  Result<bool> LoadRange(const Partition& partition);
  bool Take(std::span<const PacketRecord> records);
  void LeaveOutRepeats();

  size_t max_chunks_ = 0;
  size_t used_chunks_ = 0;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
  std::array<Partition, kPartitions> partitions_;
  std::optional<TempFile> file_;

  size_t batch_limit_ = 0;  // records
  size_t partition_ = 0;
  uint32_t range_ = 0;
  uint32_t ranges_ = 1;      // a power of two
  uint32_t max_ranges_ = 1;  // of the current partition; dividing further would be of no use
  size_t batch_room_ = 0;    // records at which the batch is searched for repeats next
  std::vector<PacketRecord> batch_;
  std::vector<uint64_t> left_out_;
  std::vector<uint64_t> left_out_of_batch_;
};

}  // namespace syncline
