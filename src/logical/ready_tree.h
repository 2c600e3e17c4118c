// Which of n processes goes first: the one with the smallest time, ties to the smallest number.
//
// Cost: a change O(log n), the first O(1). Tested by: src/logical/trees_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

class ReadyTree {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX;

  void Resize(size_t count) {
    if (count <= times_.size()) return;
    const std::vector<int64_t> old = times_;
    const size_t leaves = std::bit_ceil(count);
    times_.assign(leaves, kNever);
    winners_.assign(leaves, 0);
    for (size_t i = 0; i < leaves; ++i) Set(i, i < old.size() ? old[i] : kNever);
  }
  // The process is ready with this time. Times above kNever − 1 count as that.
  void SetReady(size_t process, int64_t time) { Set(process, time < kNever ? time : kNever - 1); }
  void SetWaiting(size_t process) { Set(process, kNever); }
  uint32_t first() const {
    if (times_.empty()) return kNobody;
    const uint32_t first = times_.size() == 1 ? 0 : winners_[1];
    return times_[first] == kNever ? kNobody : first;
  }

 private:
  static constexpr int64_t kNever = INT64_MAX;

  void Set(size_t process, int64_t time) {
    times_[process] = time;
    const size_t leaves = times_.size();
    uint32_t winner = static_cast<uint32_t>(process);
    for (size_t node = leaves + process; node > 1; node /= 2) {
      const size_t sibling = node ^ 1;
      const uint32_t other =
          sibling >= leaves ? static_cast<uint32_t>(sibling - leaves) : winners_[sibling];
      const bool other_wins =
          times_[other] < times_[winner] || (times_[other] == times_[winner] && other < winner);
      if (other_wins) winner = other;
      winners_[node / 2] = winner;
    }
  }

  std::vector<int64_t> times_;     // per process; a power of two of them
  std::vector<uint32_t> winners_;  // of the inner nodes; [1] is the root
};

}  // namespace syncline
