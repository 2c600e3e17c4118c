// Sets of nodes that edges join; each is named by its first node.
//
// Cost: about O(1) each. Tested by: potentials_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace syncline {

class Blocks {
 public:
  explicit Blocks(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t Of(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Of(a);
    b = Of(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parents_;
};

}  // namespace syncline
