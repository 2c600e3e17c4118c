// A queue in one block of memory: no allocation once it has grown to its largest length.
//
// Elements are numbered from 0 for ever, so that a number outlives the removal of those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace syncline {

template <typename T>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  size_t size() const { return static_cast<size_t>(end_ - first_); }
  uint64_t first() const { return first_; }  // the number of the front element
  uint64_t end() const { return end_; }      // the number of the next element to be pushed
  T& front() { return slots_[first_ & mask_]; }
  const T& front() const { return slots_[first_ & mask_]; }
  T& back() { return slots_[(end_ - 1) & mask_]; }
  T& operator[](uint64_t number) { return slots_[number & mask_]; }
  const T& operator[](uint64_t number) const { return slots_[number & mask_]; }

  void push_back(const T& element) { push_slot() = element; }
  // The new last element, with any content.
  T& push_slot() {
    if (size() == capacity_) Grow();
    return slots_[end_++ & mask_];
  }
  // One that will be pushed soon: its place is in the cache then.
  void PrefetchSlot(uint64_t number) const {
    const auto* place = reinterpret_cast<const char*>(slots_.data() + (number & mask_));
    __builtin_prefetch(place, 1);
    if (sizeof(T) > 32) __builtin_prefetch(place + sizeof(T) - 1, 1);
  }
  void pop_front() { ++first_; }

 private:
  void Grow() {
    capacity_ = capacity_ == 0 ? 1 : 2 * capacity_;
    std::vector<T> larger(capacity_);
    const uint64_t mask = capacity_ - 1;
    for (uint64_t i = first_; i != end_; ++i) larger[i & mask] = slots_[i & mask_];
    slots_ = std::move(larger);
    mask_ = mask;
  }

  std::vector<T> slots_;
  uint64_t capacity_ = 0;  // a power of two
  uint64_t mask_ = 0;
  uint64_t first_ = 0;
  uint64_t end_ = 0;
};

}  // namespace syncline
