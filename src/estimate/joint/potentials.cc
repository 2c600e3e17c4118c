#include "estimate/joint/potentials.h"

#include <algorithm>
#include <numeric>

namespace syncline {
namespace {

using Vector = std::vector<double>;

double Dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The weighted Laplacian of the graph times x.
Vector Laplacian(std::span<const PotentialEdge> edges, const Vector& x) {
  Vector product(x.size());
  for (const PotentialEdge& e : edges) {
    const double pull = e.weight * (x[e.to] - x[e.from]);
    product[e.to] += pull;
    product[e.from] -= pull;
  }
  return product;
}

// Nodes by component, each named by its first node.
std::vector<size_t> Components(size_t nodes, std::span<const PotentialEdge> edges) {
  std::vector<size_t> parent(nodes);
  std::iota(parent.begin(), parent.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const PotentialEdge& e : edges) {
    const size_t from = find(e.from);
    const size_t to = find(e.to);
    parent[std::max(from, to)] = std::min(from, to);
  }
  for (size_t i = 0; i < nodes; ++i) parent[i] = find(i);
  return parent;
}

}  // namespace

std::vector<double> FitPotentials(size_t nodes, std::span<const PotentialEdge> edges) {
  constexpr double kEnough = 1e-24;  // of the squared residual
  // Scaling by the diagonal keeps weights of very different size from slowing the steps down.
  Vector scale(nodes);
  Vector residual(nodes);
  for (const PotentialEdge& e : edges) {
    scale[e.from] += e.weight;
    scale[e.to] += e.weight;
    residual[e.to] += e.weight * e.difference;
    residual[e.from] -= e.weight * e.difference;
  }
  for (double& s : scale) s = s > 0 ? 1 / s : 0;
  const auto scaled = [&](const Vector& r) {
    Vector result(nodes);
    for (size_t i = 0; i < nodes; ++i) result[i] = scale[i] * r[i];
    return result;
  };
  Vector values(nodes);
  Vector direction = scaled(residual);
  double size = Dot(residual, direction);
  const double enough = size * kEnough;
  for (size_t step = 0; step < 2 * nodes + 20 && size > enough; ++step) {
    const Vector product = Laplacian(edges, direction);
    const double curvature = Dot(direction, product);
    if (!(curvature > 0)) break;
    const double length = size / curvature;
    for (size_t i = 0; i < nodes; ++i) {
      values[i] += length * direction[i];
      residual[i] -= length * product[i];
    }
    const Vector next = scaled(residual);
    const double next_size = Dot(residual, next);
    for (size_t i = 0; i < nodes; ++i) direction[i] = next[i] + next_size / size * direction[i];
    size = next_size;
  }
  // Each component is determined up to a constant.
  const std::vector<size_t> component = Components(nodes, edges);
  Vector sums(nodes);
  Vector counts(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    sums[component[i]] += values[i];
    counts[component[i]] += 1;
  }
  const double root = nodes > 0 ? values[0] : 0;
  for (size_t i = 0; i < nodes; ++i) {
    values[i] -= component[i] == 0 ? root : sums[component[i]] / counts[component[i]];
  }
  return values;
}

}  // namespace syncline
