// Values of the nodes of a graph from wished differences along its edges, by least squares.
//
// Method: conjugate gradients on the graph's weighted Laplacian (Eigen's); factors would fill up
// where clocks have many neighbours. Cost: O(edges) per step, at most 2 · nodes of them.
// Tested by: src/estimate/joint/potentials_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncline {

struct PotentialEdge {
  size_t from = 0;
  size_t to = 0;
  double difference = 0;  // wished value of `to` less that of `from`
  double weight = 1;      // one that is not above 0 counts for nothing
};

// Minimises Σ weight · (value(to) − value(from) − difference)². Of nodes that edges connect, the
// value of the first is 0.
std::vector<double> FitPotentials(size_t nodes, std::span<const PotentialEdge> edges);

}  // namespace syncline
