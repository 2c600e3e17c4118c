#include "estimate/lines/two_point.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <utility>

#include "estimate/lines/least_squares.h"

namespace syncline {
namespace {

struct Exchange {
  double round_trip = 0;  // δ, never negative
  // Twice the middle, from the origin: x and e = y − x.
  Int128 sum_x = 0;
  Int128 sum_e = 0;
  friend auto operator<=>(const Exchange&, const Exchange&) = default;
};

// The exchanges that the given messages form, each message followed by the next one back.
std::vector<Exchange> ExchangesOf(std::vector<Point> upper, std::vector<Point> lower,
                                  const FitFrame& frame) {
  std::vector<Exchange> exchanges;
  const auto add = [&](Point u, Point l) {
    exchanges.push_back({std::max(frame.Residual(u) - frame.Residual(l), 0.0),
                         Minus(u.x, frame.origin.x) + (l.x - frame.origin.x),
                         static_cast<Int128>(frame.Difference(u)) + frame.Difference(l)});
  };
  const auto by_x = [](Point p, Point q) { return std::tie(p.x, p.y) < std::tie(q.x, q.y); };
  const auto by_y = [](Point p, Point q) { return std::tie(p.y, p.x) < std::tie(q.y, q.x); };
  // b answers: received at b, then sent by b.
  std::ranges::sort(upper, by_y);
  std::ranges::sort(lower, by_y);
  const int64_t taken_off = frame.min_delays.ab_ns + frame.min_delays.ba_ns;
  auto back = lower.begin();
  for (const Point u : upper) {
    while (back != lower.end() && back->y < u.y + taken_off) ++back;
    if (back == lower.end()) break;
    add(u, *back);
  }
  // a answers.
  std::ranges::sort(upper, by_x);
  std::ranges::sort(lower, by_x);
  auto there = upper.begin();
  for (const Point l : lower) {
    while (there != upper.end() && there->x < l.x) ++there;
    if (there == upper.end()) break;
    add(*there, l);
  }
  return exchanges;
}

// The best of each part of the time between the first and the last middle.
std::vector<Exchange> BestOfParts(std::vector<Exchange> exchanges) {
  std::ranges::sort(exchanges);
  const auto [first, last] = std::ranges::minmax_element(exchanges, {}, &Exchange::sum_x);
  const Int128 start = first->sum_x;
  const Int128 length = last->sum_x - start;
  std::array<size_t, TwoPointFit::kParts> chosen{};
  std::erase_if(exchanges, [&](const Exchange& exchange) {
    const Int128 part = (exchange.sum_x - start) * TwoPointFit::kParts / (length + 1);
    return ++chosen[static_cast<size_t>(part)] > TwoPointFit::kBestPerPart;
  });
  return exchanges;
}

// β − 1 of the pair with the least Δβ; of equally good ones the pair furthest apart.
long double DriftOf(const std::vector<Exchange>& exchanges) {
  auto least = std::pair(std::numeric_limits<long double>::infinity(), Int128{0});
  long double drift = 0;
  for (size_t i = 0; i < exchanges.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Int128 distance = exchanges[i].sum_x - exchanges[k].sum_x;
      if (distance == 0) continue;
      const Int128 apart = distance < 0 ? -distance : distance;
      const long double delta_beta =
          (static_cast<long double>(exchanges[i].round_trip) + exchanges[k].round_trip) /
          static_cast<long double>(apart);
      const auto badness = std::pair(delta_beta, -apart);
      if (badness >= least) continue;
      least = badness;
      drift = static_cast<long double>(exchanges[i].sum_e - exchanges[k].sum_e) /
              static_cast<long double>(distance);
    }
  }
  return drift;
}

}  // namespace

TwoPointFit::TwoPointFit(const FitFrame& frame) : frame_(frame) {
  width_ = (frame.last_x - frame.first_x) / static_cast<int64_t>(kParts) + 1;
}

void TwoPointFit::Keep(Part& part, const Kept& message) {
  if (part.size() == kKeptPerPart) {
    if (!(message < part.front())) return;
    std::pop_heap(part.begin(), part.end());
    part.pop_back();
  }
  part.push_back(message);
  std::push_heap(part.begin(), part.end());
}

std::optional<FittedLine> TwoPointFit::Fit(SlopeRange allowed) const {
  const auto points_of = [](const Direction& direction) {
    std::vector<Point> points;
    for (const Part& part : direction) {
      for (const Kept& kept : part) points.push_back(kept.point);
    }
    return points;
  };
  const std::vector<Exchange> exchanges = ExchangesOf(points_of(upper_), points_of(lower_), frame_);
  if (exchanges.empty()) return std::nullopt;
  const std::vector<Exchange> best = BestOfParts(exchanges);
  const Exchange& quickest = best.front();
  const Slope s = AllowedSlope(DriftOf(best), allowed);
  return FittedLine{LineThroughMean(frame_.origin, quickest.sum_x, quickest.sum_e, 2, s),
                    std::nullopt};
}

}  // namespace syncline
