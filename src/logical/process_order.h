// Which of n processes goes first: the one with the smallest time, ties to the smallest number.
//
// How it works: each process has a key, its time in the upper and its number in the lower bits, so
// that one comparison decides both. Keys are the leaves of a tree in which every node holds the
// least of its four branches; a change goes from its leaf to the root, which is the first. With 16
// processes a key has 60 bits for the time, counted from well before the first one that came; keys
// of 128 bits replace all of them once a time does not fit. A process that does not take part has
// the largest key.
//
// Cost: a change O(log n) without unpredictable branches, the first O(1). Memory: 16 to 64 bytes
// per process, twice that once times have come that lie more than 2^61 / n ns away from the first
// (for 64 processes: 14 months); it is then slower, too.
// Method: a tournament tree of keys that hold both time and process.
// Tested by: src/logical/trees_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"

namespace syncline {

class ProcessOrder {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX;

  void Resize(size_t count);
  void Set(size_t process, int64_t time) { Set(process, time, true); }
  // Or Clear(process), where `takes_part` is false, without a branch.
  void Set(size_t process, int64_t time, bool takes_part) {
    const uint64_t distance = Distance(time);
    if (distance - 1 >= most_distance_) [[unlikely]]
      return SetRare(process, time, takes_part);
    const uint64_t never = takes_part ? 0 : kNever<uint64_t>;
    Replay(narrow_, process, NarrowKey(process, distance) | never);
  }
  void Clear(size_t process) {
    if (is_wide_) return SetWide(process, kNever<UInt128>);
    Replay(narrow_, process, kNever<uint64_t>);
  }
  uint32_t first() const {
    if (is_wide_) return static_cast<uint32_t>(wide_[1]);
    const uint64_t key = narrow_[1];
    return key == kNever<uint64_t> ? kNobody : static_cast<uint32_t>(key & (leaves_ - 1));
  }

 private:
  // Behind all others. As a wide key its lowest bits are kNobody.
  template <typename Key>
  static constexpr Key kNever = ~Key{0};
  static constexpr size_t kBranches = 4;

  // Narrow keys hold a time as its distance from base_, above the process; 0 is INT64_MIN, which
  // stands for processes of which nothing is known.
  uint64_t Distance(int64_t time) const {
    return static_cast<uint64_t>(time) - static_cast<uint64_t>(base_);
  }
  uint64_t NarrowKey(size_t process, uint64_t distance) const {
    return distance << process_bits_ | process;
  }
  // Flipping the sign makes the order of unsigned numbers that of signed ones.
  static UInt128 WideKey(size_t process, int64_t time) {
    return static_cast<UInt128>(static_cast<uint64_t>(time) ^ (uint64_t{1} << 63)) << 64 | process;
  }
  // Four branches per node: the others' least does not wait for the one that changes.
  template <typename Key>
  void Replay(std::vector<Key>& tree, size_t process, Key key) {
    Key* const keys = tree.data();
    size_t node = leaves_ + process;
    keys[node] = key;
    for (; node > 1; node /= kBranches) {
      const Key others = std::min(std::min(keys[node ^ 1], keys[node ^ 2]), keys[node ^ 3]);
      key = std::min(key, others);
      keys[node / kBranches] = key;
    }
  }
  // Apart, so that what is usual is small: a time that is INT64_MIN, the first, or far from it.
  [[gnu::cold]] void SetRare(size_t process, int64_t time, bool takes_part);
  // For a time that does not fit.
  void PrepareFor(int64_t time);
  [[gnu::cold]] void SetWide(size_t process, UInt128 key);
  std::vector<std::optional<int64_t>> Times() const;
  void Rebuild(const std::vector<std::optional<int64_t>>& times);

  size_t leaves_ = 1;  // a power of kBranches
  int process_bits_ = 0;
  bool is_wide_ = false;
  int64_t base_ = 0;
  uint64_t most_distance_ = 0;  // that fits; 0 until there is a base, and with wide keys
  // The least of those below; [1] is the root, the leaves stand at the end.
  std::vector<uint64_t> narrow_ = {kNever<uint64_t>, kNever<uint64_t>};
  std::vector<UInt128> wide_;
};

}  // namespace syncline
