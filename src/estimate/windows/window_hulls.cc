#include "estimate/windows/window_hulls.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

// Andrew's monotone chain, the lower one. Points of a cell are within a part of each other.
std::vector<Point> LowerHull(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  std::vector<Point> hull;
  for (const Point p : points) {
    if (!hull.empty() && hull.back().x == p.x) continue;  // the lower of both came first
    while (hull.size() >= 2 && Turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
    hull.push_back(p);
  }
  return hull;
}

}  // namespace

void WindowHulls::Add(ClockId from, ClockId to, int64_t send_ns, int64_t receive_ns) {
  const auto part_of = [&](int64_t ns) {
    return static_cast<int64_t>(FloorDiv(Int128{ns}, Int128{part_ns_}));
  };
  Points& cell = cells_[{from, to, part_of(send_ns), part_of(receive_ns)}];
  cell.points.push_back({send_ns, receive_ns});
  if (cell.points.size() < cell.next_reduction) return;
  // Twice of what remains keeps the cost per message constant even where a hull is large itself.
  cell.points = LowerHull(std::move(cell.points));
  cell.next_reduction = std::max(cell.next_reduction, 2 * cell.points.size());
}

std::vector<WindowHulls::Cell> WindowHulls::Cells() const {
  std::vector<Cell> cells;
  cells.reserve(cells_.size());
  for (const auto& [place, cell] : cells_) cells.push_back({place, LowerHull(cell.points)});
  std::sort(cells.begin(), cells.end(),
            [](const Cell& x, const Cell& y) { return x.place < y.place; });
  return cells;
}

}  // namespace syncline
