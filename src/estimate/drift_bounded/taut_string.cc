#include "estimate/drift_bounded/taut_string.h"

namespace syncline::drift_bounded {
namespace {

// The ends of gates on one side that a path from the apex to the last gate bends about.
class Chain {
 public:
  // Upper ends: +1, the chain turns left; lower ends: −1, right.
  explicit Chain(int turn) : turn_(turn) {}

  void StartAt(Point apex) {
    points_.assign(1, apex);
    first_ = 0;
  }
  void Add(Point p) {
    while (points_.size() - first_ >= 2 &&
           turn_ * Sign(Turn(points_[points_.size() - 2], points_.back(), p)) <= 0) {
      points_.pop_back();
    }
    points_.push_back(p);
  }
  // Of the edge that leaves the apex.
  Point next() const { return points_[first_ + 1]; }
  bool HasEdge() const { return points_.size() - first_ >= 2; }
  bool IsStraight() const { return points_.size() - first_ == 2; }
  Point TakeNext() { return points_[++first_]; }

  static int Sign(Int128 v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

 private:
  int turn_;
  std::vector<Point> points_;
  size_t first_ = 0;  // the apex
};

// The chain that a new end of a gate on the other side passes: the path bends at its points. The
// other side begins anew at the bend and leads straight to the new end.
void Follow(Chain& passed, Chain& other, Point end, int side, Point& apex,
            std::vector<Point>& path) {
  while (passed.HasEdge() && passed.next() != end &&
         side * Chain::Sign(Turn(apex, passed.next(), end)) < 0) {
    apex = passed.TakeNext();
    path.push_back(apex);
    other.StartAt(apex);
    other.Add(end);
  }
}

}  // namespace

std::vector<Point> TautString(std::span<const Gate> gates) {
  const auto middle = [](const Gate& g) { return Point{g.x, g.low + (g.high - g.low) / 2}; };
  Point apex = middle(gates.front());
  std::vector<Point> path = {apex};
  if (gates.size() == 1) return path;
  Chain upper(1), lower(-1);
  upper.StartAt(apex);
  lower.StartAt(apex);
  for (size_t i = 1; i < gates.size(); ++i) {
    const bool is_last = i + 1 == gates.size();
    const Point high = is_last ? middle(gates[i]) : Point{gates[i].x, gates[i].high};
    const Point low = is_last ? high : Point{gates[i].x, gates[i].low};
    upper.Add(high);
    if (upper.IsStraight()) Follow(lower, upper, high, 1, apex, path);
    lower.Add(low);
    if (lower.IsStraight()) Follow(upper, lower, low, -1, apex, path);
  }
  path.push_back(middle(gates.back()));
  return path;
}

}  // namespace syncline::drift_bounded
