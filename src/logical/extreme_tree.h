// The least or largest of n values that change one at a time: a tournament tree.
//
// Cost: a change O(log n), less where it does not reach the top; the extreme O(1). Memory: 16 bytes
// per value. Tested by: src/logical/trees_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

// `Better(a, b)`: a wins against b.
template <typename Better>
class ExtremeTree {
 public:
  // `neutral` never wins; it stands for values that are not set.
  explicit ExtremeTree(int64_t neutral) : neutral_(neutral), nodes_(2, neutral) {}

  // Keeps the values there are; new ones are neutral.
  void Resize(size_t count) {
    if (count <= leaves_) return;
    const std::vector<int64_t> old(nodes_.begin() + static_cast<ptrdiff_t>(leaves_), nodes_.end());
    leaves_ = std::bit_ceil(count);
    nodes_.assign(2 * leaves_, neutral_);
    for (size_t i = 0; i < old.size(); ++i) Set(i, old[i]);
  }
  void Set(size_t index, int64_t value) {
    size_t node = leaves_ + index;
    if (nodes_[node] == value) return;
    nodes_[node] = value;
    while (node > 1) {
      const int64_t sibling = nodes_[node ^ 1];
      value = Better{}(value, sibling) ? value : sibling;
      node /= 2;
      if (nodes_[node] == value) return;
      nodes_[node] = value;
    }
  }
  int64_t Get(size_t index) const { return nodes_[leaves_ + index]; }
  int64_t best() const { return nodes_[1]; }

 private:
  int64_t neutral_;
  size_t leaves_ = 1;           // a power of two
  std::vector<int64_t> nodes_;  // nodes_[1] is the root, the leaves stand at the end
};

}  // namespace syncline
