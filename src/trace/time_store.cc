#include "trace/time_store.h"

#include <type_traits>

namespace syncline {

static_assert(std::is_trivially_copyable_v<LocalTime>, "times go to disk as they are");

bool TimeSpace::TakeMemory(size_t bytes) {
  size_t left = memory_bytes_;
  while (left >= bytes) {
    if (memory_bytes_.compare_exchange_weak(left, left - bytes)) return true;
  }
  return false;
}

Result<uint64_t> TimeSpace::Append(std::span<const LocalTime> times) {
  const std::lock_guard lock(mutex_);
  if (!file_) {
    SYNCLINE_ASSIGN(file_, TempFile::Create());
  }
  const uint64_t place = file_->size();
  SYNCLINE_TRY(file_->Append(std::as_bytes(times)));
  return place;
}

Result<void> TimeSpace::Read(uint64_t place, std::span<LocalTime> times) const {
  const TempFile* file = nullptr;
  {
    const std::lock_guard lock(mutex_);
    file = &*file_;
  }
  return file->ReadAt(place, std::as_writable_bytes(times));
}

uint64_t TimeSpace::bytes_on_disk() const {
  const std::lock_guard lock(mutex_);
  return file_ ? file_->size() : 0;
}

Result<void> TimeStore::PutAway() {
  Block block;
  if (space_->TakeMemory(kBlock * sizeof(LocalTime))) {
    block.times = std::move(recent_);
    recent_ = {};
  } else {
    SYNCLINE_ASSIGN(block.place, space_->Append(recent_));
    recent_.clear();
  }
  blocks_.push_back(std::move(block));
  return {};
}

Result<void> TimeStore::ForEach(
    const std::function<void(uint64_t first, std::span<const LocalTime> times)>& visit) const {
  std::vector<LocalTime> loaded;
  uint64_t first = 0;
  for (const Block& block : blocks_) {
    std::span<const LocalTime> times = block.times;
    if (times.empty()) {
      loaded.resize(kBlock);
      SYNCLINE_TRY(space_->Read(block.place, loaded));
      times = loaded;
    }
    visit(first, times);
    first += kBlock;
  }
  if (!recent_.empty()) visit(first, recent_);
  return {};
}

Result<std::vector<LocalTime>> TimeStore::All() const {
  std::vector<LocalTime> all;
  all.reserve(size());
  SYNCLINE_TRY(ForEach([&](uint64_t /*first*/, std::span<const LocalTime> times) {
    all.insert(all.end(), times.begin(), times.end());
  }));
  return all;
}

Result<std::vector<LocalTime>> TimeStore::BlockAt(uint64_t number) const {
  if (number > blocks_.size()) return std::vector<LocalTime>{};
  if (number == blocks_.size()) return recent_;
  const Block& block = blocks_[number];
  if (!block.times.empty()) return block.times;
  std::vector<LocalTime> loaded(kBlock);
  SYNCLINE_TRY(space_->Read(block.place, loaded));
  return loaded;
}

}  // namespace syncline
