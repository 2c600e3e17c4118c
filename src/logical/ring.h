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

  void push_back(const T& element) {
    if (size() == slots_.size()) Grow();
    slots_[end_++ & mask_] = element;
  }
  void pop_front() { ++first_; }

 private:
  void Grow() {
    std::vector<T> larger(slots_.empty() ? 8 : 2 * slots_.size());
    const uint64_t mask = larger.size() - 1;
    for (uint64_t i = first_; i != end_; ++i) larger[i & mask] = slots_[i & mask_];
    slots_ = std::move(larger);
    mask_ = mask;
  }

  std::vector<T> slots_;
  uint64_t mask_ = 0;
  uint64_t first_ = 0;
  uint64_t end_ = 0;
};

}  // namespace syncline
