#include "estimate/joint/segment_hulls.h"

#include <algorithm>
#include <bit>

#include "estimate/hulls/half_hull.h"

namespace syncline {
namespace {

constexpr size_t kFewest = 256;  // points worth reducing
constexpr double kMostDrift = 1e-2;

std::vector<Point> HullOf(const std::vector<Point>& points) {
  HalfHull hull(HalfHull::Side::kLower);
  hull.Add(points);
  return hull.Points();
}

// Vertices that a line of a rate within 1 ± kMostDrift can touch.
std::vector<Point> Binding(const std::vector<Point>& hull) {
  std::vector<Point> binding;
  for (size_t i = 0; i < hull.size(); ++i) {
    const bool is_left = i > 0 && SlopeOf(hull[i - 1], hull[i]).Drift() > kMostDrift;
    const bool is_right =
        i + 1 < hull.size() && SlopeOf(hull[i], hull[i + 1]).Drift() < -kMostDrift;
    if (!is_left && !is_right) binding.push_back(hull[i]);
  }
  return binding;
}

std::array<double, 2> WeightsAt(const KnottedClock& clock, size_t segment, int64_t x) {
  const Point left = clock.knots[segment];
  const Point right = clock.knots[segment + 1];
  const auto length = static_cast<long double>(right.x - left.x);
  const auto from_left = static_cast<long double>(static_cast<Int128>(x) - left.x);
  return {static_cast<double>(1 - from_left / length), static_cast<double>(from_left / length)};
}

// The line's value less its rounding to a whole number below, and that number.
struct ExactTime {
  Int128 whole = 0;
  long double fraction = 0;
};
ExactTime ValueAt(const Line& line, int64_t x) {
  const Int128 rise = (static_cast<Int128>(x) - line.at.x) * line.slope.num;
  const Int128 whole = FloorDiv(rise, line.slope.den);
  const auto rest = static_cast<long double>(rise - whole * line.slope.den);
  return {line.at.y + whole, rest / static_cast<long double>(line.slope.den)};
}

}  // namespace

void SegmentHulls::Add(const PlacedMessage& message) {
  const KnottedClock& earlier = problem_.knotted[message.earlier];
  const size_t segment = earlier.SegmentAt(message.earlier_ns);
  const int64_t sent = earlier.SegmentLine(segment).Nearest(message.earlier_ns);
  const Cell cell{message.pair, message.is_a_to_b, segment,
                  problem_.knotted[message.later].SegmentAt(message.later_ns),
                  problem_.BinOf(sent)};
  std::vector<Point>& points = cells_[cell];
  points.push_back({message.earlier_ns, message.later_ns});
  // Doubling keeps the cost per message constant even where a hull is large itself.
  if (points.size() >= kFewest && std::has_single_bit(points.size())) points = HullOf(points);
}

std::vector<PiecewiseRow> SegmentHulls::Rows() const {
  std::vector<std::pair<Cell, const std::vector<Point>*>> sorted;
  for (const auto& [cell, points] : cells_) sorted.emplace_back(cell, &points);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<PiecewiseRow> rows;
  for (const auto& [cell, points] : sorted) {
    for (const Point message : Binding(HullOf(*points))) rows.push_back(RowOf(cell, message));
  }
  return rows;
}

PiecewiseRow SegmentHulls::RowOf(const Cell& cell, Point message) const {
  const PiecewisePair& pair = problem_.pairs[cell.pair];
  PiecewiseRow row{.pair = cell.pair,
                   .bin = cell.bin,
                   .is_a_to_b = cell.is_a_to_b,
                   .earlier = cell.is_a_to_b ? pair.a : pair.b,
                   .later = cell.is_a_to_b ? pair.b : pair.a,
                   .earlier_segment = cell.earlier_segment,
                   .later_segment = cell.later_segment,
                   .earlier_ns = message.x,
                   .later_ns = message.y};
  const KnottedClock& earlier = problem_.knotted[row.earlier];
  const KnottedClock& later = problem_.knotted[row.later];
  const ExactTime sent = ValueAt(earlier.SegmentLine(row.earlier_segment), message.x);
  const ExactTime received = ValueAt(later.SegmentLine(row.later_segment), message.y);
  row.constant_ns = static_cast<double>(static_cast<long double>(received.whole - sent.whole) +
                                        (received.fraction - sent.fraction));
  row.earlier_weights = WeightsAt(earlier, row.earlier_segment, message.x);
  row.later_weights = WeightsAt(later, row.later_segment, message.y);
  for (double& weight : row.earlier_weights) weight = -weight;
  return row;
}

}  // namespace syncline
