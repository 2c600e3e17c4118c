#include "base/block_store.h"

namespace syncline {

bool SpillSpace::TakeMemory(size_t bytes) {
  size_t left = memory_bytes_;
  while (left >= bytes) {
    if (memory_bytes_.compare_exchange_weak(left, left - bytes)) return true;
  }
  return false;
}

Result<uint64_t> SpillSpace::Append(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (!file_) {
    SYNCLINE_ASSIGN(file_, TempFile::Create());
  }
  const uint64_t place = file_->size();
  SYNCLINE_TRY(file_->Append(bytes));
  return place;
}

Result<void> SpillSpace::Read(uint64_t place, std::span<std::byte> bytes) const {
  const TempFile* file = nullptr;
  {
    const std::lock_guard lock(mutex_);
    file = &*file_;
  }
  return file->ReadAt(place, bytes);
}

uint64_t SpillSpace::bytes_on_disk() const {
  const std::lock_guard lock(mutex_);
  return file_ ? file_->size() : 0;
}

}  // namespace syncline
