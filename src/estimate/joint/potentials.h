// Values of the nodes of a graph from wished differences along its edges, by least squares.
//
// Method: conjugate gradients on the graph's weighted Laplacian (Eigen's); factors would fill up
// where clocks have many neighbours. Cost: O(edges) per step, at most 2 · nodes of them.
// Tested by: src/estimate/joint/potentials_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace syncline {

// Sets of nodes that edges join; each is named by its first node. Cost: about O(1) each.
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

struct PotentialEdge {
  size_t from = 0;
  size_t to = 0;
  double difference = 0;  // wished value of `to` less that of `from`
  double weight = 1;      // one that is not above 0 counts for nothing
};

// Minimises Σ weight · (value(to) − value(from) − difference)². Of nodes that edges connect, the
// value of the first is 0. Until what is left of the equations is this share of them; 0: exactly.
std::vector<double> FitPotentials(size_t nodes, std::span<const PotentialEdge> edges,
                                  double tolerance = 0);

}  // namespace syncline
