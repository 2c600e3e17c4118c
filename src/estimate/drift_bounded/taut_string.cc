#include "estimate/drift_bounded/taut_string.h"

#include <utility>

#include "base/check.h"

namespace syncline::drift_bounded {
namespace {

int Sign(Int128 v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

Point MiddleOf(const Gate& gate) { return {gate.x, gate.low + (gate.high - gate.low) / 2}; }

}  // namespace

void TautString::Chain::Add(Point p) {
  while (points_.size() - first_ >= 2 &&
         turn_ * Sign(Turn(points_[points_.size() - 2], points_.back(), p)) <= 0) {
    points_.pop_back();
  }
  points_.push_back(p);
}

void TautString::Pass(const Gate& gate) {
  if (path_.empty()) {
    path_ = {MiddleOf(gate)};
    upper_.StartAt(path_.back());
    lower_.StartAt(path_.back());
    return;
  }
  const Point high{gate.x, gate.high}, low{gate.x, gate.low};
  upper_.Add(high);
  if (upper_.IsStraight()) Follow(lower_, upper_, high, 1);
  lower_.Add(low);
  if (lower_.IsStraight()) Follow(upper_, lower_, low, -1);
}

void TautString::Follow(Chain& passed, Chain& other, Point end, int side) {
  while (passed.HasEdge() && passed.next() != end &&
         side * Sign(Turn(path_.back(), passed.next(), end)) < 0) {
    path_.push_back(passed.TakeNext());
    other.StartAt(path_.back());
    other.Add(end);
  }
}

std::vector<Point> TautString::Finish() {
  SYNCLINE_CHECK(last_.has_value());
  const Point end = MiddleOf(*last_);
  const bool is_only = path_.empty();
  Pass({end.x, end.y, end.y});
  if (!is_only) path_.push_back(end);
  return std::move(path_);
}

}  // namespace syncline::drift_bounded
