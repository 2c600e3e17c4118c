#include "estimate/hulls/half_hull.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMostSurvivors = 128;
constexpr size_t kStretches = 256;
constexpr size_t kMissesBeforeIndex = 32;
// Of as many points right of the chain the lowest extends it.
constexpr size_t kBlock = 32;

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
  std::ranges::sort(points);
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

// How much less than 1 or more than 1 the chain rises from end to end.
double Drift(const std::vector<Point>& chain) {
  const Point a = chain.front();
  const Point b = chain.back();
  if (a.x == b.x) return 0;
  return SlopeOf(a, b).ToDouble() - 1;
}

// The lowest point as lines of slope 1 + drift see it, about. Any point would do.
Point Lowest(std::span<const Point> points, double drift) {
  const Point first = points.front();
  size_t lowest = 0;
  double least = 0;
  for (size_t i = 1; i < points.size(); ++i) {
    const int64_t x = points[i].x - first.x;
    const int64_t y = points[i].y - first.y;
    const double height = static_cast<double>(y - x) - drift * static_cast<double>(x);
    lowest = height < least ? i : lowest;
    least = std::min(height, least);
  }
  return points[lowest];
}

}  // namespace

HalfHull::HalfHull(Side side, std::vector<Point> vertices) : HalfHull(side) {
  chain_ = std::move(vertices);
  for (Point& p : chain_) p.y *= sign_;
  peak_ = chain_.size();
}

void HalfHull::Add(std::span<const Point> points) {
  for (; points.size() > kBatch; points = points.subspan(kBatch)) AddBatch(points.first(kBatch));
  if (!points.empty()) AddBatch(points);
}

void HalfHull::AddBatch(std::span<const Point> points) {
  if (chain_.empty()) chain_.push_back({points.front().x, sign_ * points.front().y});
  right_.resize(kBatch);
  size_t right = 0;
  const int64_t end = chain_.back().x;
  for (const Point& point : points) {
    const Point p{point.x, sign_ * point.y};
    if (p.x > end) {
      right_[right++] = p;
    } else if (!IsCovered(p)) {
      survivors_.push_back(p);
    }
  }
  peak_ = std::max(peak_, chain_.size() + survivors_.size() + kBatch);
  if (right > 0) AddRightOfChain(std::span(right_).first(right));
  // No fewer than the chain has vertices, so that merging costs O(1) per point.
  if (survivors_.size() >= std::max(kMostSurvivors, chain_.size())) MergeSurvivors();
}

void HalfHull::AddRightOfChain(std::span<const Point> points) {
  std::array<Point, kBatch / kBlock> lowest;
  size_t blocks = 0;
  const double drift = Drift(chain_);
  for (size_t i = 0; i < points.size(); i += kBlock) {
    const size_t count = std::min(kBlock, points.size() - i);
    lowest[blocks++] = Lowest(points.subspan(i, count), drift);
  }
  const auto end = lowest.begin() + static_cast<ptrdiff_t>(blocks);
  std::sort(lowest.begin(), end);
  for (auto p = lowest.begin(); p != end; ++p) Append(chain_, *p);
  OnChainChanged();
  for (const Point& p : points) {
    if (p.x > chain_.back().x || !IsCovered(p)) survivors_.push_back(p);
  }
}

void HalfHull::MergeSurvivors() {
  // The chain may have gone on below them.
  std::erase_if(survivors_, [this](Point p) { return p.x <= chain_.back().x && IsCovered(p); });
  chain_ = MergedChain(chain_, std::move(survivors_));
  survivors_.clear();
  OnChainChanged();
}

// True when p lies on or above the chain. Requires p.x ≤ the chain's last x.
bool HalfHull::IsCovered(Point p) {
  if (p.x < chain_.front().x) return false;
  if (chain_.size() == 1) return p.y >= chain_.front().y;
  const size_t edge = EdgeAt(p.x);
  return Turn(chain_[edge], chain_[edge + 1], p) >= 0;
}

// Requires two vertices at least, and x between the first and the last.
size_t HalfHull::EdgeAt(int64_t x) {
  const auto is_left = [](const Point& p, int64_t limit) { return p.x < limit; };
  if (is_indexed_) {
    const auto stretch = static_cast<size_t>((x - chain_.front().x) >> stretch_bits_);
    const auto end = chain_.begin() + 1 + edge_of_stretch_[stretch + 1];
    const auto right =
        std::lower_bound(chain_.begin() + 1 + edge_of_stretch_[stretch], end, x, is_left);
    return static_cast<size_t>(right - chain_.begin()) - 1;
  }
  if (hint_ + 1 < chain_.size() && x >= chain_[hint_].x && x <= chain_[hint_ + 1].x) return hint_;
  const auto right = std::lower_bound(chain_.begin() + 1, chain_.end() - 1, x, is_left);
  hint_ = static_cast<size_t>(right - chain_.begin()) - 1;
  if (++misses_ == kMissesBeforeIndex) IndexEdges();
  return hint_;
}

void HalfHull::IndexEdges() {
  const int64_t first = chain_.front().x;
  const auto width = static_cast<uint64_t>(chain_.back().x - first);
  stretch_bits_ = std::max(
      static_cast<int>(std::bit_width(width)) - static_cast<int>(std::bit_width(kStretches - 1)),
      0);
  edge_of_stretch_.assign(kStretches + 1, static_cast<uint32_t>(chain_.size() - 2));
  uint32_t edge = 0;
  for (size_t i = 0; i <= width >> stretch_bits_; ++i) {
    const int64_t left = first + static_cast<int64_t>(static_cast<uint64_t>(i) << stretch_bits_);
    while (left > chain_[edge + 1].x) ++edge;
    edge_of_stretch_[i] = edge;
  }
  is_indexed_ = true;
}

void HalfHull::OnChainChanged() {
  is_indexed_ = false;
  misses_ = 0;
}

std::vector<Point> HalfHull::Points() const {
  std::vector<Point> points = MergedChain(chain_, survivors_);
  for (Point& p : points) p.y *= sign_;
  return points;
}

}  // namespace syncline
