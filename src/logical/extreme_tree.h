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
  explicit ExtremeTree(int64_t neutral) : neutral_(neutral) { Build(1); }

  // Keeps the values there are; new ones are neutral.
  void Resize(size_t count) {
    if (count <= parents_) return;
    std::vector<int64_t> old = values_;
    old.resize(parents_);
    Build(count);
    for (size_t i = 0; i < old.size(); ++i) Set(i, old[i]);
  }
  // Returns whether the extreme may have changed.
  bool Set(size_t index, int64_t value) {
    if (!SetValue(index, value)) return false;
    UpdateParents(index);
    return true;
  }
  // Set() in two steps, of which the second is rarely needed: returns whether it is.
  bool SetValue(size_t index, int64_t value) {
    const int64_t before = values_[index];
    const int64_t best = values_[parents_ + index / kBranches];
    values_[index] = value;
    return Better{}(value, best) | ((before == best) & (value != best));
  }
  // Requires: the value is the best of its node, or was it.
  void UpdateParents(size_t index) {
    int64_t before = 0;
    for (size_t level = 0; level + 1 < levels_.size(); ++level) {
      const int64_t* values = &values_[levels_[level]];
      int64_t& best = values_[levels_[level + 1] + index / kBranches];
      const int64_t best_before = best;
      if (Better{}(values[index], best)) {
        best = values[index];
      } else if (level == 0 || before == best) {
        best = BestOf(values + index / kBranches * kBranches);
      }
      if (best == best_before) return;
      before = best_before;
      index /= kBranches;
    }
  }
  int64_t Get(size_t index) const { return values_[index]; }
  int64_t best() const { return values_.back(); }

 private:
  static constexpr size_t kBranches = 16;

  static int64_t BestOf(const int64_t* values) {
    int64_t best = values[0];
    for (size_t i = 1; i < kBranches; ++i) best = Better{}(values[i], best) ? values[i] : best;
    return best;
  }
  // All values neutral.
  void Build(size_t count) {
    levels_.assign(1, 0);
    size_t end = 0;
    do {
      const size_t nodes = (count + kBranches - 1) / kBranches;
      end += nodes * kBranches;
      levels_.push_back(end);
      count = nodes;
    } while (count > 1);
    parents_ = levels_[1];
    values_.assign(end + 1, neutral_);
  }

  int64_t neutral_;
  // The values, the best of each 16 of them, …, the best of all.
  std::vector<int64_t> values_;
  std::vector<size_t> levels_;  // where each begins
  size_t parents_ = 0;          // the second
};

}  // namespace syncline
