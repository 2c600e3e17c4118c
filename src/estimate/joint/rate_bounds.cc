#include "estimate/joint/rate_bounds.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace syncline {
namespace {

constexpr int64_t kNoUpper = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoLower = std::numeric_limits<int64_t>::min();

Int128 UpTimes(Int128 run, Slope slope) { return CeilDiv(run * slope.num, slope.den); }
Int128 DownTimes(Int128 run, Slope slope) { return FloorDiv(run * slope.num, slope.den); }

// Strictly increasing in both coordinates, as a curve needs it. Raising an upper bound (and
// lowering a lower one, from the right) keeps it valid.
std::vector<Point> Increasing(const std::vector<Point>& points) {
  std::vector<Point> result;
  for (const Point p : points) {
    if (!result.empty() && p.x <= result.back().x) continue;
    result.push_back({p.x, result.empty() ? p.y : std::max(p.y, result.back().y + 1)});
  }
  return result;
}

std::vector<Point> IncreasingFromRight(std::vector<Point> points) {
  for (Point& p : points) p = {-p.x, -p.y};
  std::reverse(points.begin(), points.end());
  std::vector<Point> result = Increasing(points);
  for (Point& p : result) p = {-p.x, -p.y};
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

RateBounds::RateBounds(int64_t first, int64_t last, size_t bins, SlopeRange slopes)
    : first_(first),
      last_(last),
      bins_(bins),
      slopes_(slopes),
      upper_(bins + 1, kNoUpper),
      lower_(bins + 1, kNoLower) {
  SYNCLINE_CHECK(bins >= 1 && first < last && slopes.min.num > 0 && slopes.max.num > 0);
}

int64_t RateBounds::EdgeAt(size_t edge) const {
  SYNCLINE_CHECK(bins_ > 0);
  const Int128 length = static_cast<Int128>(last_) - first_;
  return static_cast<int64_t>(first_ +
                              length * static_cast<int64_t>(edge) / static_cast<int64_t>(bins_));
}

size_t RateBounds::LeftEdge(int64_t x) const {
  if (x <= first_) return 0;
  const Int128 length = static_cast<Int128>(last_) - first_;
  const Int128 bin = (static_cast<Int128>(x) - first_) * static_cast<int64_t>(bins_) / length;
  size_t edge = static_cast<size_t>(std::min<Int128>(bin, static_cast<int64_t>(bins_) - 1));
  if (EdgeAt(edge + 1) <= x && edge + 1 < bins_) ++edge;
  return edge;
}

void RateBounds::AddAToB(int64_t send_a_ns, int64_t receive_b_ns) {
  const size_t left = LeftEdge(send_a_ns);
  for (const size_t edge : {left, left + 1}) {
    const Int128 run = static_cast<Int128>(EdgeAt(edge)) - send_a_ns;
    const Int128 bound = receive_b_ns + UpTimes(run, run >= 0 ? slopes_.max : slopes_.min);
    upper_[edge] = std::min(upper_[edge], Saturate(bound));
  }
}

void RateBounds::AddBToA(int64_t send_b_ns, int64_t receive_a_ns) {
  const size_t left = LeftEdge(receive_a_ns);
  for (const size_t edge : {left, left + 1}) {
    const Int128 run = static_cast<Int128>(EdgeAt(edge)) - receive_a_ns;
    const Int128 bound = send_b_ns + DownTimes(run, run >= 0 ? slopes_.min : slopes_.max);
    lower_[edge] = std::max(lower_[edge], Saturate(bound));
  }
}

// Between edges the bounds of both meet in a corner: f rises by at most `from_left` from the left
// one, and must still reach the right one with `to_right`.
std::vector<Point> RateBounds::WithCorners(std::span<const int64_t> at, Slope from_left,
                                           Slope to_right, Times times) const {
  std::vector<Point> points;
  const long double bend = from_left.Drift() - to_right.Drift();
  for (size_t e = 0; e <= bins_; ++e) {
    points.push_back({EdgeAt(e), at[e]});
    if (e == bins_ || bend == 0) continue;
    const int64_t width = EdgeAt(e + 1) - EdgeAt(e);
    const Int128 gain = static_cast<Int128>(at[e + 1]) - at[e] - times(width, to_right);
    const long double where = static_cast<long double>(gain) / bend;
    if (!(where >= 1 && where < static_cast<long double>(width))) continue;
    const auto x = static_cast<int64_t>(where);
    points.push_back({EdgeAt(e) + x, Saturate(at[e] + times(x, from_left))});
  }
  return points;
}

std::optional<Bounds> RateBounds::Find() const {
  std::vector<int64_t> upper = upper_;
  std::vector<int64_t> lower = lower_;
  const auto carry = [&](size_t from, size_t to) {
    const Int128 run = static_cast<Int128>(EdgeAt(to)) - EdgeAt(from);
    if (upper[from] != kNoUpper) {
      const Int128 bound = upper[from] + UpTimes(run, run >= 0 ? slopes_.max : slopes_.min);
      upper[to] = std::min(upper[to], Saturate(bound));
    }
    if (lower[from] != kNoLower) {
      const Int128 bound = lower[from] + DownTimes(run, run >= 0 ? slopes_.min : slopes_.max);
      lower[to] = std::max(lower[to], Saturate(bound));
    }
  };
  for (size_t e = 1; e <= bins_; ++e) carry(e - 1, e);
  for (size_t e = bins_; e-- > 0;) carry(e + 1, e);
  const bool has_upper = upper[0] != kNoUpper;
  const bool has_lower = lower[0] != kNoLower;
  for (size_t e = 0; e <= bins_ && has_upper && has_lower; ++e) {
    if (lower[e] > upper[e]) return std::nullopt;
  }
  Bounds bounds;
  if (has_upper) {
    std::vector<Point> points = WithCorners(upper, slopes_.max, slopes_.min, UpTimes);
    // A corner's whole x makes it one nanosecond lower than it is.
    for (Point& p : points) p.y = Saturate(static_cast<Int128>(p.y) + 2);
    bounds.upper = BoundCurve(slopes_.min, Increasing(points), slopes_.max);
  }
  if (has_lower) {
    std::vector<Point> points = WithCorners(lower, slopes_.min, slopes_.max, DownTimes);
    for (Point& p : points) p.y = Saturate(static_cast<Int128>(p.y) - 2);
    bounds.lower = BoundCurve(slopes_.max, IncreasingFromRight(std::move(points)), slopes_.min);
  }
  return bounds;
}

}  // namespace syncline
