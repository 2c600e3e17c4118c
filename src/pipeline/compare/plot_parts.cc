#include "pipeline/compare/plot_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace syncline {
namespace {

// To the nanosecond, gaps included.
bool Coincide(const std::vector<ChartPoint>& a, const std::vector<ChartPoint>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](ChartPoint p, ChartPoint q) {
    return p.x == q.x && (std::isnan(p.y) ? std::isnan(q.y) : std::abs(p.y - q.y) <= 1);
  });
}

}  // namespace

size_t NumberOf(const Method& method) {
  const auto all = AllMethods();
  const auto it = std::ranges::find(all, method.name, &Method::name);
  return static_cast<size_t>(it - all.begin());
}

void MethodLines::Add(const Method& method, std::vector<ChartPoint> points) {
  for (Line& line : lines_) {
    if (!Coincide(line.points, points)) continue;
    line.names += "\n" + std::string(method.name);
    return;
  }
  lines_.push_back({NumberOf(method), std::string(method.name), std::move(points)});
}

std::vector<ChartSeries> MethodLines::Series() const {
  std::vector<ChartSeries> series;
  for (const Line& line : lines_) {
    series.push_back({.label = line.names,
                      .color = ChartColor(line.number),
                      .dash = ChartDash(line.number),
                      .points = line.points});
  }
  return series;
}

std::optional<std::pair<double, double>> RangeOf(std::span<const ChartPoint> points) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const ChartPoint& p : points) {
    if (!std::isfinite(p.y)) continue;
    low = std::min(low, p.y);
    high = std::max(high, p.y);
  }
  if (low > high) return std::nullopt;
  return std::pair(low, high);
}

std::pair<double, double> Widened(std::pair<double, double> range, double share) {
  const double more = std::max((range.second - range.first) * share, 1.0);
  return {range.first - more, range.second + more};
}

double QuantileOf(std::vector<ChartPoint> points, double share) {
  const auto rank = static_cast<ptrdiff_t>(share * static_cast<double>(points.size() - 1));
  std::nth_element(points.begin(), points.begin() + rank, points.end(),
                   [](ChartPoint p, ChartPoint q) { return p.y < q.y; });
  return points[static_cast<size_t>(rank)].y;
}

std::vector<int64_t> EvenlySpaced(int64_t first, int64_t last, int parts) {
  const Int128 length = static_cast<Int128>(last) - first;
  std::vector<int64_t> values;
  for (int i = 0; i <= parts; ++i) {
    values.push_back(static_cast<int64_t>(first + length * i / parts));
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace syncline
