#include "record/stamp/event_buffer.h"

#include <algorithm>
#include <bit>

namespace syncline {

EventBuffer::EventBuffer(size_t capacity)
    : capacity_(std::bit_ceil(std::max<size_t>(capacity, 1))),
      slots_(std::make_unique<Slot[]>(capacity_)) {}

void EventBuffer::Reset(WhenFull when_full) {
  when_full_ = when_full;
  begun_.store(0);
  done_.store(0);
  refused_.store(0);
}

std::vector<Stamp> EventBuffer::Copy() const {
  const uint64_t done = done_.load(std::memory_order_acquire);
  const uint64_t first = done > capacity_ ? done - capacity_ : 0;
  std::vector<Stamp> stamps;
  stamps.reserve(done - first);
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (uint64_t i = first; i < done; ++i) {
    const Slot& slot = slots_[i & (capacity_ - 1)];
    const uint64_t kind_and_subject = slot[1].load(kRelaxed);
    stamps.push_back({.ticks = static_cast<int64_t>(slot[0].load(kRelaxed)),
                      .kind = static_cast<StampKind>(kind_and_subject >> 32),
                      .subject = static_cast<int32_t>(kind_and_subject & UINT32_MAX),
                      .message = slot[2].load(kRelaxed),
                      .bytes = slot[3].load(kRelaxed)});
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  const uint64_t begun = begun_.load(kRelaxed);
  const uint64_t intact = begun > capacity_ ? begun - capacity_ : 0;
  const uint64_t lost = std::clamp(intact, first, done) - first;
  stamps.erase(stamps.begin(), stamps.begin() + static_cast<ptrdiff_t>(lost));
  return stamps;
}

uint64_t EventBuffer::kept() const {
  return std::min<uint64_t>(done_.load(std::memory_order_relaxed), capacity_);
}

uint64_t EventBuffer::overwritten() const {
  const uint64_t done = done_.load(std::memory_order_relaxed);
  return done - std::min<uint64_t>(done, capacity_);
}

}  // namespace syncline
