// The least or largest of n values that change one at a time: a tree with 16 branches per node.
//
// Cost: a change O(1) unless it is to the extreme of its node, then O(log n); the extreme O(1).
// Memory: 8 bytes per value and a fifteenth of that. Tested by: src/logical/trees_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

// `Better(a, b)`: a wins against b.
template <typename Better>
class ExtremeTree {
 public:
  // `neutral` never wins; it stands for values that are not set.
  explicit ExtremeTree(int64_t neutral) : neutral_(neutral), best_(neutral) { Build(1); }

  // Keeps the values there are; new ones are neutral.
  void Resize(size_t count) {
    if (count <= levels_[0].size()) return;
    const std::vector<int64_t> old = levels_[0];
    Build(count);
    for (size_t i = 0; i < old.size(); ++i) Set(i, old[i]);
  }
  void Set(size_t index, int64_t value) {
    for (size_t level = 0;; ++level, index /= kBranches) {
      int64_t& place = levels_[level][index];
      const int64_t before = place;
      place = value;
      const bool is_top = level + 1 == levels_.size();
      const int64_t best = is_top ? best_ : levels_[level + 1][index / kBranches];
      if (!Better{}(value, best)) {
        if (before != best || value == best) return;
        value = BestOf(&levels_[level][index / kBranches * kBranches]);
      }
      if (is_top) {
        best_ = value;
        return;
      }
    }
  }
  int64_t Get(size_t index) const { return levels_[0][index]; }
  int64_t best() const { return best_; }

 private:
  static constexpr size_t kBranches = 16;

  static int64_t BestOf(const int64_t* values) {
    int64_t best = values[0];
    for (size_t i = 1; i < kBranches; ++i) best = Better{}(values[i], best) ? values[i] : best;
    return best;
  }
  // All values neutral.
  void Build(size_t count) {
    levels_.clear();
    best_ = neutral_;
    do {
      count = (count + kBranches - 1) / kBranches;
      levels_.emplace_back(count * kBranches, neutral_);
    } while (count > 1);
  }

  int64_t neutral_;
  int64_t best_;
  std::vector<std::vector<int64_t>> levels_;  // the values, the best of each 16 of them, …
};

}  // namespace syncline
