#include "estimate/groups/offset_closure.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int64_t kOpen = OffsetClosure::kOpen;

// Both at most kOpen; far below −kOpen there is no solution anyway.
int64_t Joined(int64_t a, int64_t b) {
  if (a >= kOpen || b >= kOpen) return kOpen;
  return std::clamp(a + b, -kOpen, kOpen);
}

}  // namespace

OffsetClosure::OffsetClosure(size_t clocks) : clocks_(clocks), limits_(clocks * clocks, kOpen) {
  for (size_t i = 0; i < clocks; ++i) At(i, i) = 0;
}

void OffsetClosure::Limit(size_t from, size_t to, int64_t limit) {
  At(from, to) = std::min(At(from, to), std::max(limit, -kOpen));
}

bool OffsetClosure::Close() {
  std::vector<Edge> edges;  // by `from`
  int64_t largest = 1;
  for (uint32_t from = 0; from < clocks_; ++from) {
    if (At(from, from) < 0) return false;
    for (uint32_t to = 0; to < clocks_; ++to) {
      const int64_t limit = At(from, to);
      if (from == to || limit >= kOpen) continue;
      edges.push_back({from, to, limit});
      largest = std::max(largest, std::abs(limit));
    }
  }
  // Sums of twice as many limits as there are clocks.
  const bool is_small = largest < INT64_MAX / 4 / static_cast<int64_t>(clocks_ + 1);
  return is_small ? CloseIn<int64_t>(edges) : CloseIn<Int128>(edges);
}

template <typename Sum>
bool OffsetClosure::CloseIn(std::span<const Edge> edges) {
  // With heights, no edge is negative.
  std::vector<Sum> height(clocks_, 0);
  bool changes = true;
  for (size_t round = 0; changes; ++round) {
    if (round > clocks_) return false;
    changes = false;
    for (const Edge& e : edges) {
      const Sum reached = height[e.from] + e.limit;
      if (reached >= height[e.to]) continue;
      height[e.to] = reached;
      changes = true;
    }
  }
  std::vector<size_t> first(clocks_ + 1, 0);
  for (const Edge& e : edges) ++first[e.from + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  using Reached = std::pair<Sum, uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  std::vector<std::optional<Sum>> path(clocks_);
  for (uint32_t start = 0; start < clocks_; ++start) {
    path.assign(clocks_, std::nullopt);
    path[start] = 0;
    queue.emplace(0, start);
    while (!queue.empty()) {
      const auto [length, at] = queue.top();
      queue.pop();
      if (length > *path[at]) continue;
      for (const Edge& e : edges.subspan(first[at], first[at + 1] - first[at])) {
        const Sum next = length + (e.limit + height[at] - height[e.to]);
        if (path[e.to] && *path[e.to] <= next) continue;
        path[e.to] = next;
        queue.emplace(next, e.to);
      }
    }
    for (size_t to = 0; to < clocks_; ++to) {
      if (!path[to]) continue;
      const Sum limit = *path[to] - height[start] + height[to];
      At(start, to) = static_cast<int64_t>(std::clamp<Sum>(limit, -kOpen, kOpen));
    }
  }
  return true;
}

int64_t OffsetClosure::LeastHarmless(size_t from, size_t to) const {
  int64_t least = -kOpen;
  for (size_t i = 0; i < clocks_; ++i) {
    if (At(i, from) >= kOpen) continue;
    for (size_t k = 0; k < clocks_; ++k) {
      if (At(i, k) >= kOpen || At(to, k) >= kOpen) continue;
      least = std::max(least, At(i, k) - At(i, from) - At(to, k));
    }
  }
  return least;
}

void OffsetClosure::Supply(size_t from, size_t to, int64_t limit) {
  if (At(from, to) < kOpen) return;
  const int64_t edge = std::max(limit, LeastHarmless(from, to));
  for (size_t i = 0; i < clocks_; ++i) {
    const int64_t start = Joined(At(i, from), edge);
    if (start >= kOpen) continue;
    for (size_t k = 0; k < clocks_; ++k) At(i, k) = std::min(At(i, k), Joined(start, At(to, k)));
  }
}

std::optional<int64_t> OffsetClosure::Upper(size_t from, size_t to) const {
  const int64_t limit = At(from, to);
  return limit >= kOpen ? std::nullopt : std::optional(limit);
}

std::optional<int64_t> OffsetClosure::Lower(size_t from, size_t to) const {
  const int64_t limit = At(to, from);
  return limit >= kOpen ? std::nullopt : std::optional(-limit);
}

int64_t OffsetClosure::Middle(size_t from, size_t to) const {
  // Of differences below 2^60; the shift rounds down.
  return (At(from, to) - At(to, from)) >> 1;
}

double OffsetClosure::HalfWidth(size_t from, size_t to) const {
  return static_cast<double>(At(from, to) + At(to, from)) / 2;
}

}  // namespace syncline
