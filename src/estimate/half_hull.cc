#include "estimate/half_hull.h"

#include <algorithm>
#include <iterator>

namespace syncline {
namespace {

constexpr size_t kMinChunk = 1024;

// Extends a lower chain by a point that is not left of its last.
void Append(std::vector<Point>& chain, Point p) {
  if (!chain.empty() && chain.back().x == p.x) {
    if (chain.back().y <= p.y) return;
    chain.pop_back();
  }
  while (chain.size() >= 2 && Turn(chain[chain.size() - 2], chain.back(), p) <= 0) {
    chain.pop_back();
  }
  chain.push_back(p);
}

std::vector<Point> MergedChain(const std::vector<Point>& chain, std::vector<Point> pending) {
  if (!std::is_sorted(pending.begin(), pending.end())) std::sort(pending.begin(), pending.end());
  std::vector<Point> result;
  result.reserve(chain.size() + 16);
  auto next = chain.begin();
  for (const Point p : pending) {
    for (; next != chain.end() && *next < p; ++next) Append(result, *next);
    Append(result, p);
  }
  for (; next != chain.end(); ++next) Append(result, *next);
  return result;
}

}  // namespace

void HalfHull::Add(int64_t x, int64_t y) {
  const Point p{x, sign_ * y};
  if (chain_.empty() || x > chain_.back().x) {
    Append(chain_, p);
    return;
  }
  if (IsCovered(p)) return;
  pending_.push_back(p);
  // A chunk is no smaller than the chain, so that merging costs O(1) per point.
  if (pending_.size() >= std::max(kMinChunk, chain_.size())) MergePending();
}

// True when p lies on or above the chain. Requires p.x ≤ the chain's last x.
bool HalfHull::IsCovered(Point p) {
  if (p.x < chain_.front().x) return false;
  if (p.x == chain_.back().x) return p.y >= chain_.back().y;
  // Now the chain has an edge with x in [left, right).
  if (hint_ + 1 >= chain_.size() || p.x < chain_[hint_].x || p.x >= chain_[hint_ + 1].x) {
    const auto right = std::upper_bound(chain_.begin(), chain_.end(), p.x,
                                        [](int64_t x, const Point& q) { return x < q.x; });
    hint_ = static_cast<size_t>(right - chain_.begin()) - 1;
  }
  return Turn(chain_[hint_], chain_[hint_ + 1], p) >= 0;
}

void HalfHull::MergePending() {
  peak_ = peak_points();
  chain_ = MergedChain(chain_, pending_);
  pending_.clear();
}

std::vector<Point> HalfHull::Points() const {
  std::vector<Point> points = MergedChain(chain_, pending_);
  for (Point& p : points) p.y *= sign_;
  return points;
}

size_t HalfHull::peak_points() const { return std::max(peak_, chain_.size() + pending_.size()); }

}  // namespace syncline
