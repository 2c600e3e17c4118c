#include "match/record_store.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/try.h"

namespace syncline {
namespace {

constexpr size_t kSlabChunks = 256;
constexpr uint32_t kRangeBits = 16;

// The copies that are ambiguous with each other stand together.
auto AmbiguityKey(const PacketRecord& r) {
  return std::tuple(r.loose, r.strict, uint16_t{r.capture}, uint32_t{r.direction_bits});
}

}  // namespace

RecordStore::RecordStore(size_t memory_bytes) {
  const size_t bytes = std::max(memory_bytes, kMinMemory);
  max_chunks_ = std::max(bytes / sizeof(Chunk), kPartitions);
  batch_limit_ = bytes / 2 / sizeof(PacketRecord);
}

RecordStore::Chunk& RecordStore::ChunkAt(uint32_t number) {
  return slabs_[number / kSlabChunks][number % kSlabChunks];
}

Result<void> RecordStore::Grow(Partition& partition) {
  if (used_chunks_ == max_chunks_) {
    SYNCLINE_TRY(Spill());
  }
  if (used_chunks_ == slabs_.size() * kSlabChunks) {
    slabs_.push_back(std::make_unique_for_overwrite<Chunk[]>(kSlabChunks));
  }
  partition.chunks.push_back(static_cast<uint32_t>(used_chunks_++));
  partition.next = ChunkAt(partition.chunks.back()).data();
  partition.free = kChunkRecords;
  return {};
}

Result<void> RecordStore::Spill() {
  if (!file_) {
    SYNCLINE_ASSIGN(file_, TempFile::Create());
  }
  std::vector<PacketRecord> extent;
  for (Partition& partition : partitions_) {
    extent.clear();
    for (const uint32_t number : partition.chunks) {
      const Chunk& chunk = ChunkAt(number);
      const size_t unused = number == partition.chunks.back() ? partition.free : 0;
      extent.insert(extent.end(), chunk.begin(), chunk.end() - static_cast<ptrdiff_t>(unused));
    }
    if (!extent.empty()) {
      partition.extents.push_back({file_->size(), extent.size()});
      SYNCLINE_TRY(file_->Append(std::as_bytes(std::span(extent))));
    }
    partition.chunks.clear();
    partition.next = nullptr;
    partition.free = 0;
  }
  used_chunks_ = 0;
  return {};
}

Result<std::span<const PacketRecord>> RecordStore::NextBatch() {
  if (file_ && used_chunks_ > 0) {
    SYNCLINE_TRY(Spill());
    slabs_.clear();
  }
  while (partition_ < kPartitions) {
    SYNCLINE_ASSIGN(auto fits, LoadRange(partitions_[partition_]));
    if (!fits) {
      ranges_ *= 2;
      range_ *= 2;
      continue;
    }
    if (++range_ == ranges_) {
      range_ = 0;
      ranges_ = 1;
      ++partition_;
    }
    if (left_out_.size() < left_out_of_batch_.size()) left_out_.resize(left_out_of_batch_.size());
    for (size_t i = 0; i < left_out_of_batch_.size(); ++i) left_out_[i] += left_out_of_batch_[i];
    if (!batch_.empty()) return std::span<const PacketRecord>(batch_);
  }
  batch_ = {};
  return std::span<const PacketRecord>();
}

uint64_t RecordStore::Records(const Partition& partition) {
  uint64_t records = partition.in_memory();
  for (const Extent& extent : partition.extents) records += extent.records;
  return records;
}

Result<bool> RecordStore::LoadRange(const Partition& partition) {
  constexpr size_t kReadRecords = kFileBlock / sizeof(PacketRecord);
  batch_.clear();
  left_out_of_batch_.clear();
  batch_room_ = batch_limit_;
  // Keys are spread evenly, so four times the ranges that the records fill are always enough,
  // except for segments without number that end alike: those must stay together.
  const uint64_t fill = Records(partition) / batch_limit_;
  max_ranges_ = std::bit_ceil(static_cast<uint32_t>(std::min<uint64_t>(4 * fill + 2, 1 << 15)));
  std::vector<PacketRecord> buffer;
  for (const Extent& extent : partition.extents) {
    for (uint64_t done = 0; done < extent.records; done += buffer.size()) {
      buffer.resize(std::min<uint64_t>(kReadRecords, extent.records - done));
      const uint64_t offset = extent.offset + done * sizeof(PacketRecord);
      SYNCLINE_TRY(file_->ReadAt(offset, std::as_writable_bytes(std::span(buffer))));
      if (!Take(buffer)) return false;
    }
  }
  for (const uint32_t number : partition.chunks) {
    const size_t unused = number == partition.chunks.back() ? partition.free : 0;
    if (!Take(std::span(ChunkAt(number)).first(kChunkRecords - unused))) return false;
  }
  return true;
}

// False when the range is too large for memory and can be divided further.
bool RecordStore::Take(std::span<const PacketRecord> records) {
  if (ranges_ == 1) {
    batch_.insert(batch_.end(), records.begin(), records.end());
  } else {
    const auto in_range = [&](const PacketRecord& r) {
      return ((r.loose >> 40 & 0xffff) * ranges_) >> kRangeBits == range_;
    };
    std::copy_if(records.begin(), records.end(), std::back_inserter(batch_), in_range);
  }
  if (batch_.size() <= batch_room_) return true;
  LeaveOutRepeats();
  if (batch_.size() > batch_limit_ / 2 && ranges_ < max_ranges_) return false;
  batch_room_ = std::max(batch_limit_, 2 * batch_.size());
  return true;
}

void RecordStore::LeaveOutRepeats() {
  std::ranges::sort(batch_, {}, AmbiguityKey);
  size_t kept = 0;
  for (const PacketRecord& record : batch_) {
    const bool third = kept >= 2 && AmbiguityKey(batch_[kept - 2]) == AmbiguityKey(record);
    if (!third) {
      batch_[kept++] = record;
      continue;
    }
    if (left_out_of_batch_.size() <= record.capture) left_out_of_batch_.resize(record.capture + 1u);
    ++left_out_of_batch_[record.capture];
  }
  batch_.resize(kept);
}

}  // namespace syncline
