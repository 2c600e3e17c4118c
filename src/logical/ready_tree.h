// Which of n processes goes first: the one with the smallest time, ties to the smallest number.
//
// Cost: a change O(log n) without unpredictable branches, the first O(1). Memory: 32 bytes per
// process. Tested by: src/logical/trees_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.h"

namespace syncline {

class ReadyTree {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX;

  void Resize(size_t count) {
    if (count <= leaves_) return;
    const std::vector<UInt128> old = nodes_;
    const size_t old_leaves = leaves_;
    leaves_ = std::bit_ceil(count);
    nodes_.assign(2 * leaves_, kNever);
    for (size_t i = 0; i < old_leaves; ++i) Set(i, old[old_leaves + i]);
  }
  void SetReady(size_t process, int64_t time) {
    // Flipping the sign makes the order of unsigned numbers that of signed ones.
    const uint64_t order = static_cast<uint64_t>(time) ^ (uint64_t{1} << 63);
    Set(process, static_cast<UInt128>(order) << 64 | process);
  }
  void SetWaiting(size_t process) { Set(process, kNever); }
  uint32_t first() const { return static_cast<uint32_t>(nodes_[1]); }

 private:
  static constexpr UInt128 kNever = ~UInt128{0};  // its lowest 32 bits are kNobody

  void Set(size_t process, UInt128 key) {
    size_t node = leaves_ + process;
    nodes_[node] = key;
    // By halves and masks: which one is first is random, a branch would be mispredicted.
    auto high = static_cast<uint64_t>(key >> 64);
    auto low = static_cast<uint64_t>(key);
    for (; node > 1; node /= 2) {
      const UInt128 other = nodes_[node ^ 1];
      const uint64_t high_change = high ^ static_cast<uint64_t>(other >> 64);
      const uint64_t low_change = low ^ static_cast<uint64_t>(other);
      const uint64_t mask = ~uint64_t{other < (static_cast<UInt128>(high) << 64 | low)} + 1;
      high ^= high_change & mask;
      low ^= low_change & mask;
      nodes_[node / 2] = static_cast<UInt128>(high) << 64 | low;
    }
  }

  size_t leaves_ = 0;  // a power of two
  // Time and process of the first below; [1] is the root, the leaves stand at the end.
  std::vector<UInt128> nodes_ = {kNever, kNever};
};

}  // namespace syncline
