#include "estimate/half_hull.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMinChunk = 128;
constexpr size_t kMaxCarried = 1024;

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

std::vector<Point> MergedChain(const std::vector<Point>& chain, std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  std::vector<Point> result;
  result.reserve(chain.size() + 16);
  auto next = chain.begin();
  for (const Point p : points) {
    for (; next != chain.end() && *next < p; ++next) Append(result, *next);
    Append(result, p);
  }
  for (; next != chain.end(); ++next) Append(result, *next);
  return result;
}

// The lowest point as lines of slope 1 see it. Differences may wrap around: any point would do.
Point Lowest(const std::vector<Point>& points) {
  const auto height = [](Point p) {
    return static_cast<uint64_t>(p.y) - static_cast<uint64_t>(p.x);
  };
  const uint64_t base = height(points.front());
  Point lowest = points.front();
  int64_t least = 0;
  for (const Point p : points) {
    const auto h = static_cast<int64_t>(height(p) - base);
    lowest = h < least ? p : lowest;
    least = std::min(h, least);
  }
  return lowest;
}

}  // namespace

void HalfHull::ReduceBatch() {
  const Point lowest = Lowest(batch_);
  if (chain_.empty() || lowest.x > chain_.back().x) Append(chain_, lowest);
  size_t carried = 0;
  for (const Point p : batch_) {
    if (p.x > chain_.back().x) {
      batch_[carried++] = p;
    } else if (!IsCovered(p)) {
      survivors_.push_back(p);
    }
  }
  peak_ = std::max(peak_, chain_.size() + batch_.size() + survivors_.size());
  batch_.resize(carried);
  // Carrying on would test the same points again and again.
  if (carried > kMaxCarried) {
    std::sort(batch_.begin(), batch_.end());
    for (const Point p : batch_) Append(chain_, p);
    batch_.clear();
  }
  full_batch_ = batch_.size() + kBatch;
  // No fewer than the chain has vertices, so that merging costs O(1) per point.
  if (survivors_.size() >= std::max(kMinChunk, chain_.size())) MergeSurvivors();
}

// True when p lies on or above the chain. Requires p.x ≤ the chain's last x.
bool HalfHull::IsCovered(Point p) {
  if (hint_ + 1 >= chain_.size() || p.x < chain_[hint_].x || p.x > chain_[hint_ + 1].x) {
    if (p.x < chain_.front().x) return false;
    const auto right = std::upper_bound(chain_.begin(), chain_.end(), p.x,
                                        [](int64_t x, const Point& q) { return x < q.x; });
    if (right == chain_.end()) return p.y >= chain_.back().y;
    hint_ = static_cast<size_t>(right - chain_.begin()) - 1;
  }
  return Turn(chain_[hint_], chain_[hint_ + 1], p) >= 0;
}

void HalfHull::MergeSurvivors() {
  chain_ = MergedChain(chain_, std::move(survivors_));
  survivors_.clear();
}

std::vector<Point> HalfHull::Points() const {
  std::vector<Point> others = survivors_;
  others.insert(others.end(), batch_.begin(), batch_.end());
  std::vector<Point> points = MergedChain(chain_, std::move(others));
  for (Point& p : points) p.y *= sign_;
  return points;
}

size_t HalfHull::peak_points() const {
  return std::max(peak_, chain_.size() + batch_.size() + survivors_.size());
}

}  // namespace syncline
