// Values of the nodes of a graph from wished differences along its edges, by least squares.
//
// Cost: O(edges) per step of conjugate gradients, at most 2 · nodes + 20 of them.
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
  double weight = 1;      // > 0
};

// Minimises Σ weight · (value(to) − value(from) − difference)². The value of node 0 is 0; the
// values of nodes that no path connects with it have mean 0 over their component.
std::vector<double> FitPotentials(size_t nodes, std::span<const PotentialEdge> edges);

}  // namespace syncline
